// compiles
import Foundation
import Networking

struct Board: Encodable { var title = "Fish" }

func requests(_ board: Board, _ owner: String, _ page: Int, _ networking: Networking<Request>) {
  networking.request(Request(.get, "boards", parameters: ["owner": owner, "page": page, "x": nil]))
  networking.request(
    Request(.get, "boards", parameters: ["owner": "me", "page": 2], .retry(.never)))
  networking.request(Request(.put, "boards", json: board))
  networking.request(Request(.post, "boards", json: ["title": owner, "page": page]))
  networking.request(Request(.post, "boards", payload: .data(Data())))
}

func baseURLs(_ networking: Networking<Request>, _ url: URL) {
  networking.setBaseURL(url)
  networking.setBaseURL(URL(string: "https://api.example.com"))
  networking.setBaseURL("https://api.example.com")
  _ = Networking(baseURL: "https://api.example.com")
  _ = Networking<Request>(baseURL: "https://api.example.com")
}
