import Foundation
import Networking
import Promises

/// The JSON values of a response body, as an asynchronous sequence.
///
/// `Networking.jsonLines(of:as:)` makes a sequence. Its documentation describes the behavior. Each
/// iterator sends a request of its own.
public struct JSONLines<Value: Decodable & Sendable>: AsyncSequence, Sendable {
  /// A value.
  public typealias Element = Value

  let opener: StreamOpener
  let decoder: JSONDecoder?
  let maximumLineSize: Int

  /// Creates an iterator.
  ///
  /// - Returns: The iterator. It sends the request when the first value is asked for.
  public func makeAsyncIterator() -> AsyncIterator {
    let splitter = LineSplitter(.lineFeed, limit: maximumLineSize)
    let lines = LineReader(
      opener, splitter, accepting: "application/x-ndjson, application/json-seq, */*;q=0.5")
    return AsyncIterator(
      reader: JSONRecordReader(lines, limit: maximumLineSize), decoder: decoder)
  }

  /// An iterator over the JSON values of a response body.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let reader: JSONRecordReader
    let decoder: JSONDecoder?

    /// Decodes the next value.
    ///
    /// - Parameter actor: The actor of the caller.
    /// - Returns: The value. `nil` at the end of the body.
    /// - Throws: ``NetworkError``, or `CancellationError` if the task is cancelled. After the code
    ///   `decodingFailed` the next call decodes the next value. After other errors the sequence ends.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Value? {
      guard let record = try await reader.next(isolation: actor), let response = reader.response
      else { return nil }
      do {
        if record.isTruncated { throw JSONRecordFramer.TruncatedRecordError() }
        return try (decoder ?? response.decoder).decode(fromText: record.text)
      } catch {
        var failure = NetworkError(
          .decodingFailed, response, "value \(reader.count)", underlying: error)
        if let error = error as? DecodingError {
          failure.reason = "value \(reader.count): \(reader.explanation(of: error))"
        }
        failure.body = record.text
        throw failure
      }
    }

    /// Returns the next value, on systems before macOS 15 and iOS 18.
    ///
    /// - Returns: The value, as from ``next(isolation:)``.
    /// - Throws: The error of ``next(isolation:)``.
    @_disfavoredOverload
    public mutating func next() async throws -> Value? { try await next(isolation: nil) }
  }
}

/// A reader of the JSON texts of a response body: lines of NDJSON, or a JSON text sequence.
final class JSONRecordReader {
  private let lines: LineReader
  private var framer: JSONRecordFramer
  /// The number of records so far.
  private(set) var count = 0

  init(_ lines: LineReader, limit: Int) {
    self.lines = lines
    framer = JSONRecordFramer(limit: limit)
  }

  var response: Response? { lines.response }

  /// Returns the explanation of an error of the record that was returned last.
  func explanation(of error: DecodingError) -> String {
    error.isMalformedText && !framer.isSequence
      ? "line \(lines.lineCount) is not valid UTF-8" : error.explanation
  }

  /// Returns the next record, or `nil` at the end of the body.
  func next(isolation actor: isolated (any Actor)?) async throws -> JSONRecordFramer.Record? {
    while true {
      do throws(LineSplitter.LineTooLong) {
        if let record = try framer.next() {
          count += 1
          return record
        }
      } catch {
        lines.close()
        guard let response else { throw error }
        throw error.error(of: response, "value \(count + 1)")
      }
      if let line = try await lines.next(isolation: actor, { Data($0) }) {
        if lines.lineCount == 1, lines.response?.hasJSONSequence == true {
          framer.isSequence = true
        }
        framer.append(line, hasEnd: lines.hasLineEnd)
      } else {
        guard let last = framer.finish() else { return nil }
        count += 1
        return last
      }
    }
  }
}

/// A parser of the framing of JSON texts.
///
/// Each line of NDJSON is a record. A record of a JSON text sequence begins with RS and ends with LF,
/// and can have several lines. It is complete at the LF after its last bracket, before the RS of the
/// next one arrives. A body whose first byte is RS is a sequence, whatever its content type.
///
/// Source: RFC 7464 section 2.
struct JSONRecordFramer {
  struct Record: Equatable {
    var text: Data
    /// Whether the text may be the beginning of another one.
    var isTruncated = false
  }

  /// The error of a record that is cut off.
  struct TruncatedRecordError: Error, CustomStringConvertible {
    var description: String { "the text is truncated" }
  }

  private static let separator: UInt8 = 0x1E

  /// Whether the body is a JSON text sequence.
  var isSequence = false
  private let limit: Int
  private var isFirstLine = true
  /// The rest of the current line.
  private var line = Data()
  private var hasLine = false
  /// Whether `line` is followed by an LF.
  private var hasLineEnd = true
  /// The record whose end has not arrived, without its separator.
  private var record: [UInt8] = []
  private var nesting = Nesting()

  init(limit: Int) {
    self.limit = limit
  }

  /// Adds a line without its LF, after ``next()`` has returned `nil`.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - hasEnd: Whether it has an LF. The last line of a body may have none.
  mutating func append(_ line: Data, hasEnd: Bool = true) {
    hasLineEnd = hasEnd
    if isFirstLine {
      isFirstLine = false
      if line.first == Self.separator { isSequence = true }
    }
    self.line = line
    hasLine = true
  }

  /// Returns the next record, or `nil` if another line is needed.
  ///
  /// - Throws: `LineSplitter.LineTooLong` if the lines of a record exceed the limit together.
  mutating func next() throws(LineSplitter.LineTooLong) -> Record? {
    guard hasLine else { return nil }
    guard isSequence else {
      hasLine = false
      let text = line
      line = Data()
      return text.allSatisfy(\.isJSONSpace) ? nil : Record(text: text)
    }
    while hasLine {
      let end = line.firstIndex(of: Self.separator)
      try add(line[..<(end ?? line.endIndex)])
      if let end {
        line = line[(end + 1)...]
        // The text ends without an LF.
        if let record = finish() { return record }
      } else {
        hasLine = false
        line = Data()
        guard hasLineEnd else { return nil }
        record.append(UInt8(ascii: "\n"))
        if nesting.isComplete { return take() }
      }
    }
    return nil
  }

  /// Returns the record at the end of the body or before a separator, if there is one.
  mutating func finish() -> Record? {
    guard nesting.hasContent else {
      record = []
      return nil
    }
    // Numbers and literals have no end of their own.
    let isTruncated = !nesting.isComplete || !nesting.isDelimited
    var record = take()
    record.isTruncated = isTruncated
    return record
  }

  private mutating func add(_ bytes: Data) throws(LineSplitter.LineTooLong) {
    guard record.count + bytes.count <= limit else {
      record = []
      throw LineSplitter.LineTooLong(limit: limit)
    }
    record += bytes
    for byte in bytes { nesting.add(byte) }
  }

  private mutating func take() -> Record {
    defer {
      record = []
      nesting = Nesting()
    }
    return Record(text: Data(record))
  }

  /// The open brackets and strings of a text.
  private struct Nesting {
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// Whether there is a byte other than white space.
    private(set) var hasContent = false
    /// Whether the text begins with a bracket or a quotation mark.
    private(set) var isDelimited = false

    var isComplete: Bool { hasContent && depth <= 0 && !isInString }

    mutating func add(_ byte: UInt8) {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        return
      }
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if !hasContent { isDelimited = true }
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: "\""):
        if !hasContent { isDelimited = true }
        isInString = true
      default:
        if byte.isJSONSpace { return }
      }
      hasContent = true
    }
  }
}

extension UInt8 {
  fileprivate var isJSONSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

extension Response {
  /// Whether the content type is a JSON text sequence.
  ///
  /// Source: RFC 7464 section 4, RFC 8091.
  fileprivate var hasJSONSequence: Bool {
    guard let type = contentType else { return false }
    return type.subtype == "json-seq" || type.subtype.hasSuffix("+json-seq")
  }
}

extension JSONLines: BrieflyDescribed {}
