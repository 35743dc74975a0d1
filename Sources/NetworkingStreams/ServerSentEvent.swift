public import Foundation
import Networking

/// An event of a server.
///
/// Source: HTML Standard (WHATWG), section 9.2, server-sent events.
public struct ServerSentEvent: Sendable, Hashable {
  /// The type of the event.
  ///
  /// `message` if the server names none.
  public var type: String
  /// The data, whose lines are joined by LF.
  public var data: String
  /// The identifier of the last event that has one, which may be this event.
  ///
  /// Empty if there is none. An identifier of more than 4,096 bytes is ignored.
  public var id: String
  /// The decoder of the client that has received the event.
  var clientDecoder = ClientDecoder()

  /// Creates an event, for tests.
  ///
  /// - Parameters:
  ///   - data: The data.
  ///   - type: The type of the event.
  ///   - id: The identifier.
  public init(_ data: String, type: String = "message", id: String = "") {
    self.type = type
    self.data = data
    self.id = id
  }

  /// Decodes the data as JSON.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - decoder: The decoder. `nil` uses ``NetworkingConfiguration/decoder`` of the client that has received
  ///     the event, or a `JSONDecoder` with default settings.
  /// - Returns: The value.
  /// - Throws: ``NetworkError`` with the code `decodingFailed`, with the data as its body.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, decoder: JSONDecoder? = nil
  ) throws -> Value {
    let body = Data(data.utf8)
    do {
      return try (decoder ?? clientDecoder.decoder ?? JSONDecoder()).decode(fromText: body)
    } catch {
      throw NetworkError(.decodingFailed, body: body, underlying: error)
    }
  }
}

/// The decoder of a client, which is no part of the value of an event.
struct ClientDecoder: Sendable, Hashable {
  var decoder: JSONDecoder?

  static func == (_: ClientDecoder, _: ClientDecoder) -> Bool { true }

  func hash(into _: inout Hasher) {}
}

/// A parser of the body of a stream of events, which delivers one event at a time.
///
/// Source: HTML Standard (WHATWG), section 9.2.6, interpreting an event stream.
struct ServerSentEventParser {
  /// The maximum length of an identifier, in bytes: half of the head of a request that common servers
  /// accept.
  ///
  /// A longer one is ignored, as the standard ignores one that has a NUL, because it cannot be sent. The
  /// server then repeats the events since the one before, so that none is lost.
  static let maximumIDLength = 4_096

  private var lines: LineSplitter
  private var block: Block

  /// Creates a parser of the body of one response.
  ///
  /// - Parameters:
  ///   - lastEventID: The identifier of the last event before the body.
  ///   - limit: The maximum length of a line, and of the data of an event, in bytes.
  init(lastEventID: String = "", limit: Int) {
    lines = LineSplitter(.any, limit: limit)
    block = Block(lastEventID: lastEventID, limit: limit)
  }

  /// The identifier of the last complete block of lines that has one.
  var lastEventID: String { block.lastEventID }

  /// The time of the last `retry` field, in milliseconds.
  ///
  /// `nil` if there was none.
  var reconnectionTime: Int64? { block.reconnectionTime }

  /// Adds the next piece of the body, after ``next()`` has returned `nil`.
  mutating func append(_ piece: Data) {
    lines.append(piece)
  }

  /// Returns the next event.
  ///
  /// - Returns: The event. `nil` if more bytes are needed. An event whose empty line is missing at
  ///   the end of the body is discarded.
  /// - Throws: `LineSplitter.LineTooLong` if a line or the data of an event exceeds the limit.
  mutating func next() throws(LineSplitter.LineTooLong) -> ServerSentEvent? {
    try Self.next(&lines, &block)
  }

  private static func next(
    _ lines: inout LineSplitter, _ block: inout Block
  ) throws(LineSplitter.LineTooLong) -> ServerSentEvent? {
    while let event = try lines.next({ block.take($0) }) {
      if block.isTooLong {
        throw LineSplitter.LineTooLong(limit: block.limit, start: Block.dataName)
      }
      if let event { return event }
    }
    return nil
  }

  /// The lines of an event.
  private struct Block {
    /// The longest time that a `retry` field can set, in milliseconds.
    private static let maximumReconnectionTime: Int64 = 3_600_000
    fileprivate static let dataName = Array("data".utf8)
    private static let idName = Array("id".utf8)
    private static let eventName = Array("event".utf8)
    private static let retryName = Array("retry".utf8)

    private(set) var lastEventID: String
    private(set) var reconnectionTime: Int64?
    let limit: Int
    private(set) var isTooLong = false
    private var data: [UInt8] = []
    /// Whether there was a `data` field, with or without a value.
    private var hasData = false
    private var type = ""
    private var id: String

    init(lastEventID: String, limit: Int) {
      self.lastEventID = lastEventID
      self.limit = limit
      id = lastEventID
    }

    /// Processes a line.
    ///
    /// - Returns: The event, if the line is the empty one that ends it.
    mutating func take(_ line: UnsafeRawBufferPointer) -> ServerSentEvent? {
      guard let first = line.first else { return dispatch() }
      guard first != UInt8(ascii: ":") else { return nil }
      var (name, value) = (line, UnsafeRawBufferPointer(rebasing: line[line.count...]))
      if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
        name = UnsafeRawBufferPointer(rebasing: line[..<colon])
        var start = colon + 1
        if start < line.count, line[start] == UInt8(ascii: " ") { start += 1 }
        value = UnsafeRawBufferPointer(rebasing: line[start...])
      }
      if name.elementsEqual(Self.dataName) {
        add(value)
      } else if name.elementsEqual(Self.idName) {
        setID(value)
      } else if name.elementsEqual(Self.eventName) {
        type = String(decoding: value, as: UTF8.self)
      } else if name.elementsEqual(Self.retryName) {
        setReconnectionTime(value)
      }
      return nil
    }

    private mutating func setID(_ value: UnsafeRawBufferPointer) {
      let limit = ServerSentEventParser.maximumIDLength
      guard value.count <= limit, !value.contains(0) else { return }
      let text = String(decoding: value, as: UTF8.self)
      // Longer than the value if this is not UTF-8.
      if text.utf8.count <= limit { id = text }
    }

    private mutating func add(_ value: UnsafeRawBufferPointer) {
      guard data.count + (hasData ? 1 : 0) + value.count <= limit else {
        isTooLong = true
        return
      }
      if hasData { data.append(UInt8(ascii: "\n")) }
      data += value
      hasData = true
    }

    private mutating func setReconnectionTime(_ value: UnsafeRawBufferPointer) {
      guard !value.isEmpty,
        value.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") })
      else { return }
      // A number that is too large for `Int64` is beyond the maximum.
      let time = Int64(String(decoding: value, as: UTF8.self)) ?? .max
      reconnectionTime = min(time, Self.maximumReconnectionTime)
    }

    /// Ends a block of lines.
    private mutating func dispatch() -> ServerSentEvent? {
      lastEventID = id
      defer {
        type = ""
        hasData = false
        if data.capacity > 64 << 10 { data = [] } else { data.removeAll(keepingCapacity: true) }
      }
      guard hasData else { return nil }
      return ServerSentEvent(
        String(decoding: data, as: UTF8.self), type: type.isEmpty ? "message" : type, id: id)
    }
  }
}
