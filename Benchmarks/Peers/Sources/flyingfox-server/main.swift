import FlyingFox
import Foundation
import LoadSupport

// A FlyingFox server with one route.
let arguments = Arguments()
let server = HTTPServer(port: UInt16(arguments.number("port", or: 0)))
let body = Data(Board.json.utf8)
await server.appendRoute("GET /boards/:id") { _ in
  HTTPResponse(statusCode: .ok, headers: [.contentType: "application/json"], body: body)
}
try await server.run()
