import Foundation
import LoadSupport
import Mocking

// A MockServer with one route, which runs until the process is terminated.

let arguments = Arguments()
let response = Mock.data(Data(Board.json.utf8), contentType: "application/json")
let server = try MockServer(port: arguments.number("port", or: 0)) {
  Route(.get, "/boards/{id}") { _ in response }
}
print(server.url)
try await Task.sleep(for: .seconds(3600))
