import Foundation
import Mocking
import Networking
import TestSupport

/// A folder for a test's recordings, which goes with it.
final class TapeFolder: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(path: "catena-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  func file(_ name: String = "tape.har") -> URL { url.appending(path: name) }

  /// A file with some text in it.
  func file(_ name: String, holding text: String) throws -> URL {
    try Data(text.utf8).write(to: file(name))
    return file(name)
  }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }
}

/// What came of an exchange on a tape.
struct Played: Sendable, Equatable {
  var head: HTTPResponseHead?
  var body = Data()
  var failure: NetworkError.Code?
  var reason = ""

  static func == (left: Played, right: Played) -> Bool {
    left.head == right.head && left.body == right.body && left.failure == right.failure
  }
}

extension Transport {
  /// Performs an exchange to its end.
  func play(_ request: HTTPRequest) async -> Played {
    let events = Log<TransportEvent>()
    let ended = Log<Void>()
    _ = start(request) { event in
      events.append(event)
      switch event {
      case .end, .failure: ended.append(())
      default: break
      }
    }
    _ = await ended.entries(1)
    var played = Played()
    for event in events.entries {
      switch event {
      case .head(let head): played.head = head
      case .body(let data): played.body += data
      case .failure(let failure):
        played.failure = failure.code
        played.reason = failure.detail
      case .connected, .servedLocally, .sent, .end: break
      }
    }
    return played
  }

  func get(_ url: StaticString, _ headers: HTTPHeaders = [:]) async -> Played {
    await play(HTTPRequest(url: .of(url), headers: headers))
  }
}
