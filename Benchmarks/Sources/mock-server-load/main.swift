import Foundation
import LoadSupport
import Mocking

// A MockServer with one route, until the process is ended.

let arguments = Arguments()
let answer = Mock.data(Data(Board.json.utf8), contentType: "application/json")
let server = try MockServer(port: arguments.number("port", or: 0)) {
  Route(.get, "/boards/{id}") { _ in answer }
}
print(server.url)
try await Task.sleep(for: .seconds(3600))
