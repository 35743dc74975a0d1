import Foundation
import Networking
import NetworkingOAuth2
import NetworkingTransfers
import Promises
import TestSupport

// A client with requests, refreshes and transfers in flight, until its standard input ends.
//
//     suspended-client LOGIN SHOP FOLDER FIRST IDLE
//
// LOGIN and SHOP are the base URLs of the servers, FOLDER has the token file, and IDLE is the idle timeout in
// milliseconds. The numbers of requests begin with FIRST. Prints `ready`, then `ok KIND NUMBER` or
// `failed KIND NUMBER REASON` for each request.
enum SuspendedClient {
  static func run(_ arguments: [String]) async throws {
    guard arguments.count == 6, let login = URL(string: arguments[1] + "/token"),
      let first = Int(arguments[4]), let idle = Int(arguments[5])
    else { exit(64) }
    let folder = URL(fileURLWithPath: arguments[3])
    let session = OAuth2Session(
      OAuth2Client(id: "app", tokenURL: login),
      store: try FileTokenStore(folder.appendingPathComponent("tokens")))
    var configuration = NetworkingConfiguration()
    configuration.retry = .never
    configuration.idleTimeout = .milliseconds(idle)
    let client = Networking<Request>(configuration: configuration)
    client.callbackContext = .inline
    client.baseURL = URL(string: arguments[2])
    client.authorize(with: session)
    let isOver = Counter()
    Thread.detachNewThread {
      while readLine() != nil {}
      isOver.add()
    }
    log("ready")
    await withTaskGroup(of: Void.self) { group in
      for lane in 0..<4 {
        group.addTask {
          var number = first + lane
          repeat {
            await perform(number, client, folder)
            number += 4
          } while isOver.value == 0
        }
      }
    }
    log("end")
  }

  private static func perform(_ number: Int, _ client: Networking<Request>, _ folder: URL) async {
    let kind = ["get", "post", "get", "post", "get", "download", "post", "upload"][number / 4 % 8]
    do {
      switch kind {
      case "get":
        let text = try await client.request(.get("items/\(number)")).validate().toString().value
        guard text == "item \(number)" else { throw TestError("another answer: \(text)") }
      case "post":
        _ = try await client.request(.post("orders/\(number)")).validate().value
      case "download":
        let file = folder.appendingPathComponent("film-\(number)")
        _ = try await client.transfer(.get("film"), to: file).response.validate().value
        let isComplete = try Data(contentsOf: file) == SuspensionServer.film
        try FileManager.default.removeItem(at: file)
        if !isComplete { throw TestError("the file differs") }
      default:
        let file = folder.appendingPathComponent("photo-\(number)")
        try Data.pattern(100_000).write(to: file)
        _ = try await client.transfer(
          file, to: .post("files/\(number)"), by: .tus(pieceSize: 30_000)
        ).response.validate().value
        try FileManager.default.removeItem(at: file)
      }
      log("ok \(kind) \(number)")
    } catch {
      log("failed \(kind) \(number) \(error)")
    }
  }
}
