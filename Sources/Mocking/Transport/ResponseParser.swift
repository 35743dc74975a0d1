import Foundation
import Networking

/// A parser for the bytes of an HTTP response.
///
/// Source: RFC 9112 sections 2, 4 and 6.
struct ResponseParser {
  enum Output {
    case head(HTTPResponseHead)
    /// The next bytes of the body, without framing; never empty.
    case body(Data)
    /// The fields after the body; never empty.
    case trailers(HTTPHeaders)
    /// The response is complete; further bytes are ignored.
    case complete
    /// The bytes are not a valid response, for this reason.
    ///
    /// This is the last output.
    case malformed(String)
  }

  /// The state of the response when the connection closes.
  enum Ending {
    case complete
    /// The response is missing or incomplete.
    case lost
  }

  private enum State {
    case statusLine
    case fields(status: Int, [HTTPHeaders.Field])
    case sized(remaining: Int)
    case chunked(ChunkedDecoder)
    case untilClose
    case complete
  }

  private let method: HTTPMethod
  private var state = State.statusLine
  private var input = InputBuffer()
  private var version = "1.1"

  init(for method: HTTPMethod) {
    self.method = method
  }

  // MARK: Input

  /// Parses the next bytes.
  ///
  /// The caller must replace a generated segment by its data.
  mutating func read(_ segment: WireBytes.Segment) -> [Output] {
    // Fast path: most of a body bypasses the buffer.
    if case .data(let data) = segment, input.isEmpty {
      switch state {
      case .sized(let remaining): return take(data, remaining)
      case .untilClose: return data.isEmpty ? [] : [.body(data)]
      default: break
      }
    }
    switch segment {
    case .bytes(let bytes): bytes.withUnsafeBytes { input.append($0) }
    case .data(let data): data.withUnsafeBytes { input.append($0) }
    case .generated: break
    }
    var outputs: [Output] = []
    do throws(HTTPParseError) {
      try advance(&outputs)
    } catch {
      outputs.append(.malformed(error.reason))
    }
    return outputs
  }

  /// Returns the state of the response if the connection closes now.
  func end() -> Ending {
    switch state {
    case .untilClose, .complete: .complete
    case .statusLine, .fields, .sized, .chunked: .lost
    }
  }

  // MARK: The head

  private mutating func advance(_ outputs: inout [Output]) throws(HTTPParseError) {
    while true {
      switch state {
      case .statusLine:
        try checkBeginning()
        guard let line = try line() else { return }
        state = .fields(status: try Self.status(line), [])
        version = String(decoding: line.dropFirst("HTTP/".utf8.count).prefix(3), as: UTF8.self)
      case .fields(let status, var fields):
        guard let line = try line() else { return }
        if line.isEmpty {
          begin(status, HTTPHeaders(fields), &outputs)
        } else {
          let field = try FieldLine.parse(line)
          // Releases the array of the state, so that appending does not copy it.
          state = .statusLine
          fields.append(field)
          state = .fields(status: status, fields)
        }
      case .sized, .chunked, .untilClose, .complete: return try readBody(&outputs)
      }
    }
  }

  private mutating func line() throws(HTTPParseError) -> ArraySlice<UInt8>? {
    try input.takeLine(
      limit: .max, orThrow: HTTPParseError(400, "the head is too large"))
  }

  /// Rejects bytes that cannot be the start of a status line, even if the line is incomplete.
  private func checkBeginning() throws(HTTPParseError) {
    let expected = Array("HTTP/1.".utf8)
    let beginning = input.prefix(expected.count)
    guard expected.starts(with: beginning) else { throw Self.noStatusLine }
  }

  private static func status(_ line: ArraySlice<UInt8>) throws(HTTPParseError) -> Int {
    let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[0].count == 8, parts[1].count == 3,
      let status = Int(String(decoding: parts[1], as: UTF8.self)), status >= 100
    else { throw noStatusLine }
    return status
  }

  private static let noStatusLine = HTTPParseError(
    400, "the response does not start with a status line")

  private mutating func begin(_ status: Int, _ headers: HTTPHeaders, _ outputs: inout [Output]) {
    guard status >= 200 else {
      // Interim responses (1xx) are skipped.
      state = .statusLine
      return
    }
    outputs.append(.head(HTTPResponseHead(status: status, version: version, headers: headers)))
    if method == .head || status == 204 || status == 304 {
      state = .sized(remaining: 0)
    } else if headers["Transfer-Encoding"]?.lowercased().contains("chunked") == true {
      var limits = MockServerLimits()
      limits.headBytes = .max
      state = .chunked(ChunkedDecoder(limits: limits))
    } else if let length = headers.values(for: "Content-Length").first {
      // A response with different values is malformed, because its length is ambiguous.
      let isUnambiguous = headers.values(for: "Content-Length").allSatisfy { $0 == length }
      state = .sized(remaining: isUnambiguous ? Int(length) ?? -1 : -1)
    } else {
      state = .untilClose
    }
  }

  // MARK: The body

  private mutating func readBody(_ outputs: inout [Output]) throws(HTTPParseError) {
    switch state {
    case .sized(let remaining):
      guard remaining >= 0 else { throw HTTPParseError(400, "the content length is malformed") }
      outputs += take(drained(remaining), remaining)
    case .chunked(var decoder):
      var body = Data()
      defer { if !body.isEmpty { outputs.append(.body(body)) } }
      let isComplete = try decoder.decode(&input) { piece throws(HTTPParseError) in
        body.append(contentsOf: piece)
      }
      state = isComplete ? .complete : .chunked(decoder)
      guard isComplete else { return }
      if !body.isEmpty { outputs.append(.body(body)) }
      body = Data()
      if !decoder.trailers.isEmpty { outputs.append(.trailers(HTTPHeaders(decoder.trailers))) }
      outputs.append(.complete)
    case .untilClose:
      let data = drained(input.count)
      if !data.isEmpty { outputs.append(.body(data)) }
    case .statusLine, .fields, .complete: break
    }
  }

  private mutating func drained(_ length: Int) -> Data {
    let data = Data(input.prefix(length))
    input.skip(data.count)
    return data
  }

  private mutating func take(_ data: Data, _ remaining: Int) -> [Output] {
    let piece = data.prefix(remaining)
    var outputs: [Output] = piece.isEmpty ? [] : [.body(piece)]
    state = .sized(remaining: remaining - piece.count)
    if piece.count == remaining {
      state = .complete
      outputs.append(.complete)
    }
    return outputs
  }
}
