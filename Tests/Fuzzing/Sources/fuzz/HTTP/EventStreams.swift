import Foundation

@testable import Networking
@testable import NetworkingStreams

extension FuzzTarget {
  /// The parser of server-sent events, and the splitter of lines.
  ///
  /// The input is the body of a stream of events.
  static let eventStreams = FuzzTarget("event-streams") { input in
    let whole = EventReader.read([Data(input.bytes)], limit: 1 << 20)
    expect(
      whole == EventReader.read(input.dataPieces, limit: 1 << 20),
      "the size of the pieces has no effect")
    expect(!whole.isTooLong, "no input exceeds the limit")
    expect(whole.events.allSatisfy { !$0.type.isEmpty }, "each event has a type: \(whole.events)")
    expect(
      whole.events.allSatisfy { !$0.id.utf8.contains(0) && !$0.id.utf8.contains(0x0A) },
      "an identifier is one line without NUL")
    expect(whole.events.allSatisfy { !$0.data.utf8.contains(0x0D) }, "lines are joined by LF")
    expect((whole.retry ?? 0) <= 3_600_000, "a time is at most an hour")
    // What is written is read again.
    let written = whole.events.map(EventReader.text).joined()
    expect(
      EventReader.read([Data(written.utf8)], limit: 1 << 20).events == whole.events,
      "events that are written again are equal: \(written.debugDescription)")
    let bounded = EventReader.read(input.dataPieces, limit: 16)
    expect(
      bounded.events.allSatisfy { $0.type.utf8.count <= 16 * 3 && $0.data.utf8.count <= 16 * 3 },
      "an event has a limit")
    checkLines(input)
    Growth.checkLinear(input) { bytes in
      _ = EventReader.read([Data(bytes)], limit: 1 << 20)
    }
  }

  private static func checkLines(_ input: FuzzInput) {
    for lineEnd in [LineSplitter.LineEnd.any, .lineFeed] {
      let lines = LineReading.split([Data(input.bytes)], lineEnd)
      expect(
        lines == LineReading.split(input.dataPieces, lineEnd),
        "the size of the pieces has no effect on lines")
      expect(lines.allSatisfy { !$0.contains(0x0A) }, "no line contains its end")
      expect(lineEnd == .lineFeed || lines.allSatisfy { !$0.contains(0x0D) }, "no line contains CR")
      expect(lines.reduce(0) { $0 + $1.count } <= input.bytes.count, "lines are parts of the body")
    }
  }
}

extension FuzzInput {
  /// The pieces of the input as data.
  var dataPieces: [Data] { pieces().filter { !$0.isEmpty }.map { Data($0) } }
}

/// A driver of the parser of events.
private enum EventReader {
  struct Result: Equatable {
    var events: [ServerSentEvent] = []
    var lastEventID = ""
    var retry: Int64?
    var isTooLong = false
  }

  static func read(_ pieces: [Data], limit: Int) -> Result {
    var parser = ServerSentEventParser(limit: limit)
    var result = Result()
    do throws(LineSplitter.LineTooLong) {
      for piece in pieces {
        parser.append(piece)
        while let event = try parser.next() { result.events.append(event) }
      }
    } catch {
      result.isTooLong = true
    }
    result.lastEventID = parser.lastEventID
    result.retry = parser.reconnectionTime
    return result
  }

  /// Returns the lines of an event.
  static func text(of event: ServerSentEvent) -> String {
    var text = "id: \(event.id)\nevent: \(event.type)\n"
    for line in event.data.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
      text += "data: \(String(decoding: line, as: UTF8.self))\n"
    }
    return text + "\n"
  }
}

/// A driver of the splitter of lines.
private enum LineReading {
  static func split(_ pieces: [Data], _ lineEnd: LineSplitter.LineEnd) -> [[UInt8]] {
    var splitter = LineSplitter(lineEnd, limit: 1 << 20)
    var lines: [[UInt8]] = []
    do throws(LineSplitter.LineTooLong) {
      for piece in pieces {
        splitter.append(piece)
        while let line = try splitter.next({ Array($0) }) { lines.append(line) }
      }
      if let last = splitter.finish({ Array($0) }) { lines.append(last) }
    } catch {
      fatalError("violated: no input exceeds the limit")
    }
    return lines
  }
}
