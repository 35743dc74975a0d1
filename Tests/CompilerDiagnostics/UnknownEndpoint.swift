// expect 4: type 'BoardsAPI' has no member 'bords'
import Foundation
import Networking
import NetworkingTracing

enum BoardsAPI: RequestConvertible {
  case boards
  case board(id: Int)
  case login(user: String, password: String)

  static let baseURL = URL(string: "https://api.example.com/v1/")

  var request: Request { .get("boards") }
}

func send(_ networking: Networking<BoardsAPI>) {
  networking.request(.bords)
}

func download(_ networking: Networking<BoardsAPI>) {
  networking.download(.bords, to: URL(fileURLWithPath: "/tmp/boards"))
}

func stream(_ networking: Networking<BoardsAPI>) {
  _ = networking.stream(.bords)
}

func print(_ networking: Networking<BoardsAPI>) {
  _ = try? networking.curlCommand(for: .bords)
}
