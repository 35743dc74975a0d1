import Foundation

@testable import Mocking
@testable import MockingRecordings
@testable import Networking

extension FuzzTarget {
  /// HTTP archives, as files of other programs.
  static let har = FuzzTarget("har", maximumLength: 8_192) { input in
    let file = URL(fileURLWithPath: "/recording.har")
    Growth.checkLinear(input) { bytes in
      _ = try? HAR(Data(bytes), file: file)
    }
    let archive: HAR
    do throws(RecordingError) {
      archive = try HAR(input.data, file: file)
    } catch {
      guard case .malformed(_, let line, let column, _, let problem) = error else {
        fatalError("violated: the error is \(error)")
      }
      let lines = input.bytes.count { $0 == UInt8(ascii: "\n") } + 1
      expect((1...lines).contains(line) && column >= 1, "the error is in the text: \(error)")
      expect(!problem.isEmpty, "an error has a reason")
      return
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(archive) else {
      fatalError("violated: an archive that is read can be written")
    }
    let again = try? HAR(data, file: file)
    expect(again == archive, "an archive that is written again is equal")
    check(archive, file)
  }

  private static func check(_ archive: HAR, _ file: URL) {
    for entry in archive.log.entries {
      _ = entry.response.head
      expect(entry.response.content.data != nil, "a body can be decoded")
      var masked = entry
      let redactor = RecordingRedactor(Tape.Redaction())
      redactor.redact(&masked)
      var twice = masked
      redactor.redact(&twice)
      expect(twice == masked, "a masked exchange is not changed: \(twice) and \(masked)")
      var scanner = TokenScanner { _ in false }
      scanner.scan(through: masked, at: 0)
    }
    var options = Tape.Options()
    options.matching = [.method, .path, .body]
    let player = TapePlayer(archive, file, options)
    for entry in archive.log.entries.prefix(4) {
      guard let url = URL(string: entry.request.url) else { continue }
      let request = HTTPRequest(method: HTTPMethod(rawValue: entry.request.method), url: url)
      let events = player.events(for: request)
      let endings = events.filter { event in
        switch event {
        case .end, .failure: true
        default: false
        }
      }
      expect(endings.count == 1, "a replayed exchange ends once: \(events)")
    }
  }
}
