import Hummingbird
import LoadSupport
import Logging

// A Hummingbird server with one route.
let arguments = Arguments()
let router = Router()
router.get("boards/:id") { _, _ in
  Response(
    status: .ok, headers: [.contentType: "application/json"],
    body: .init(byteBuffer: ByteBuffer(string: Board.json)))
}
var logger = Logger(label: "hummingbird")
logger.logLevel = .error
let application = Application(
  router: router,
  configuration: .init(address: .hostname("127.0.0.1", port: arguments.number("port", or: 0))),
  logger: logger)
try await application.runService()
