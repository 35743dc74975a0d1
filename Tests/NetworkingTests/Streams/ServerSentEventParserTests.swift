import Foundation
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingStreams

/// The rules of the HTML Standard for the body of a stream of events.
@Suite(.gated)
struct ServerSentEventParserTests {
  /// A body, and the events that it contains.
  struct Row: Sendable, CustomTestStringConvertible {
    var rule: String
    var body: [UInt8]
    var events: [ServerSentEvent]
    var lastEventID = ""
    var retry: Int64?

    init(
      _ rule: String, _ body: String, _ events: ServerSentEvent..., lastEventID: String = "",
      retry: Int64? = nil
    ) {
      self.init(rule, bytes: Array(body.utf8), events, lastEventID: lastEventID, retry: retry)
    }

    init(
      _ rule: String, bytes: [UInt8], _ events: [ServerSentEvent], lastEventID: String = "",
      retry: Int64? = nil
    ) {
      self.rule = rule
      body = bytes
      self.events = events
      self.lastEventID = lastEventID
      self.retry = retry
    }

    var testDescription: String { rule }
  }

  static let rows: [Row] = [
    Row("an empty body has no event", ""),
    Row("a blank line ends an event", "data: a\n\n", .init("a")),
    Row("an event without its blank line is discarded", "data: a\n\ndata: b\n", .init("a")),
    Row("a line without its end is discarded", "data: a\n\ndata: b", .init("a")),
    Row("LF ends a line", "data:a\ndata:b\n\n", .init("a\nb")),
    Row("CR ends a line", "data:a\rdata:b\r\r", .init("a\nb")),
    Row("CR LF ends one line", "data:a\r\ndata:b\r\n\r\n", .init("a\nb")),
    Row(
      "line ends can be mixed", "data:a\r\n\rdata:b\n\rdata:c\r\n\n", .init("a"), .init("b"),
      .init("c")),
    Row("LF CR are two line ends", "data:a\n\rdata:b\n\r", .init("a"), .init("b")),
    Row(
      "other line separators are data", "data:a\u{85}b\u{2028}c\u{0B}d\u{0C}e\n\n",
      .init("a\u{85}b\u{2028}c\u{0B}d\u{0C}e")),
    Row("one byte order mark is removed", "\u{FEFF}data: a\n\n", .init("a")),
    Row("a second byte order mark is not", "\u{FEFF}\u{FEFF}data: a\n\ndata: b\n\n", .init("b")),
    Row("a byte order mark in the middle is data", "data: a\n\n\u{FEFF}data: b\n\n", .init("a")),
    Row("a byte order mark before a blank line", "\u{FEFF}\ndata: a\n\n", .init("a")),
    Row("a comment is ignored", ": comment\ndata: a\n:data: b\n\n", .init("a")),
    Row("a block of comments is no event", ":\n\n: keep-alive\n\n"),
    Row("one space after the colon is removed", "data:  a\n\n", .init(" a")),
    Row("a tab after the colon is data", "data:\ta\n\n", .init("\ta")),
    Row("the value can have colons", "data: a: b:c\n\n", .init("a: b:c")),
    Row("a space at the end is data", "data: a \n\n", .init("a ")),
    Row("a line without a colon is a field without a value", "data\n\n", .init("")),
    Row("two empty data lines are one LF", "data\ndata\n\n", .init("\n")),
    Row("an empty value is data", "data:\n\n", .init("")),
    Row("the last LF of the data is removed", "data: a\ndata:\n\n", .init("a\n")),
    Row("an event without data is none", "event: add\n\ndata: a\n\n", .init("a")),
    Row("the type of an event", "event: add\ndata: 1\n\n", .init("1", type: "add")),
    Row(
      "the type is for one event", "event: add\ndata: 1\n\ndata: 2\n\n", .init("1", type: "add"),
      .init("2")),
    Row("the last type counts", "event: a\nevent: b\ndata: 1\n\n", .init("1", type: "b")),
    Row("an empty type is message", "event: a\nevent\ndata: 1\n\n", .init("1")),
    Row("the type can be message", "event: message\ndata: 1\n\n", .init("1")),
    Row("unknown fields are ignored", "x: y\ndata: a\nfoo\n\n", .init("a")),
    Row("names are case-sensitive", "Data: a\nDATA: b\ndata: c\n\n", .init("c")),
    Row("a space before the colon is part of the name", "data : a\ndata: b\n\n", .init("b")),
    Row("a space before the name is part of it", " data: a\ndata: b\n\n", .init("b")),
    Row("a name that begins with another", "datax: a\ndat: b\ndata: c\n\n", .init("c")),
    Row("NUL in the data is data", "data: a\0b\n\n", .init("a\0b")),
    Row("the identifier of an event", "id: 1\ndata: a\n\n", .init("a", id: "1"), lastEventID: "1"),
    Row(
      "the identifier is for later events", "id: 1\ndata: a\n\ndata: b\n\n", .init("a", id: "1"),
      .init("b", id: "1"), lastEventID: "1"),
    Row(
      "an empty identifier resets it", "id: 1\ndata: a\n\nid\ndata: b\n\n", .init("a", id: "1"),
      .init("b")),
    Row("an identifier without data counts", "id: 1\n\n", lastEventID: "1"),
    Row("an identifier of an incomplete block does not", "id: 1\n\nid: 2\n", lastEventID: "1"),
    Row(
      "an identifier with NUL is ignored", "id: 1\n\nid: 2\0\ndata: a\n\n", .init("a", id: "1"),
      lastEventID: "1"),
    Row(
      "an identifier can have any text", "id:  é 1 \ndata: a\n\n", .init("a", id: " é 1 "),
      lastEventID: " é 1 "),
    Row(
      "the last identifier of a block counts", "id: 1\nid: 2\ndata: a\n\n", .init("a", id: "2"),
      lastEventID: "2"),
    Row("the time to wait", "retry: 1500\n", retry: 1_500),
    Row("the time counts before the end of its block", "data: a\nretry: 1\n", retry: 1),
    Row(
      "a time with another character is ignored",
      "retry: 1\nretry: 2s\nretry: -3\nretry: 4.5\nretry: \nretry\n", retry: 1),
    Row("a time with other digits is ignored", "retry: \u{0661}\n"),
    Row("a time with a space is ignored", "retry:  1\nretry: 1 \n"),
    Row("a time can have leading zeros", "retry: 0007\n", retry: 7),
    Row("a time above an hour is an hour", "retry: 99999999999999999999999\n", retry: 3_600_000),
    Row(
      "invalid UTF-8 is replaced",
      bytes: Array("data: a".utf8) + [0xFF, 0xC3] + Array("b\n\n".utf8),
      [.init("a\u{FFFD}\u{FFFD}b")]),
    Row(
      "a cut character is replaced once",
      bytes: Array("data: ".utf8) + [0xF0, 0x9F, 0x98, 0x0A, 0x0A],
      [.init("\u{FFFD}")]),
    Row("characters of several bytes", "data: 😀é\nevent: ü\n\n", .init("😀é", type: "ü")),
    Row(
      "the example of the standard with a stock", "data: YHOO\ndata: +2\ndata: 10\n\n",
      .init("YHOO\n+2\n10")),
    Row(
      "the example of the standard with four blocks",
      ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
      .init("first event", id: "1"), .init("second event"), .init(" third event")),
    Row(
      "the example of the standard with empty data", "data\n\ndata\ndata\n\ndata:", .init(""),
      .init("\n")),
    Row(
      "the example of the standard with a space", "data:test\n\ndata: test\n\n", .init("test"),
      .init("test")),
  ]

  private func read(_ pieces: [Data], limit: Int = 1 << 20) throws -> (
    events: [ServerSentEvent], parser: ServerSentEventParser
  ) {
    var parser = ServerSentEventParser(limit: limit)
    var events: [ServerSentEvent] = []
    for piece in pieces {
      parser.append(piece)
      while let event = try parser.next() { events.append(event) }
    }
    return (events, parser)
  }

  @Test(arguments: rows) func aBodyHasTheEventsOfTheStandard(_ row: Row) throws {
    let (events, parser) = try read([Data(row.body)])
    #expect(events == row.events)
    #expect(parser.lastEventID == row.lastEventID)
    #expect(parser.reconnectionTime == row.retry)
  }

  @Test(arguments: rows) func theSizeOfThePiecesHasNoEffect(_ row: Row) throws {
    let body = Data(row.body)
    for size in 1...3 {
      let pieces = stride(from: 0, to: body.count, by: size).map {
        body[$0..<min($0 + size, body.count)]
      }
      let (events, parser) = try read(pieces)
      #expect(events == row.events, "pieces of \(size)")
      #expect(parser.lastEventID == row.lastEventID && parser.reconnectionTime == row.retry)
    }
  }

  @Test func anEventArrivesWithItsLastByte() throws {
    var parser = ServerSentEventParser(limit: 100)
    parser.append(Data("data: a\r\n\r".utf8))
    #expect(try parser.next() == ServerSentEvent("a"))
    #expect(try parser.next() == nil)
    parser.append(Data("\ndata: b\n\n".utf8))
    #expect(try parser.next() == ServerSentEvent("b"))
  }

  @Test(arguments: [
    "data: 123456789", ": 123456789012345", "data:123456\ndata:12345\n",
    "data: 1234\ndata: 1234\ndata: 12\n", String(repeating: "data\n", count: 14),
  ])
  func aLineOrAnEventAboveTheLimitIsAnError(_ body: String) throws {
    #expect(throws: LineSplitter.LineTooLong.self) { try read([Data(body.utf8)], limit: 11) }
  }

  @Test func anEventOfTheMaximumSizeIsDelivered() throws {
    let (events, _) = try read([Data("data:123456\ndata:1234\n\n".utf8)], limit: 11)
    #expect(events == [ServerSentEvent("123456\n1234")])
  }

  @Test func theIdentifierOfAnEarlierBodyCounts() throws {
    var parser = ServerSentEventParser(lastEventID: "7", limit: 100)
    parser.append(Data("data: a\n\n".utf8))
    #expect(try parser.next() == ServerSentEvent("a", id: "7"))
  }

  @Test func theDataOfAnEventIsDecodedAsJSON() throws {
    #expect(try ServerSentEvent("[1, 2]").decode([Int].self) == [1, 2])
    let error = #expect(throws: NetworkError.self) { try ServerSentEvent("x").decode(Int.self) }
    #expect(error?.code == .decodingFailed && error?.body == Data("x".utf8))
  }
}
