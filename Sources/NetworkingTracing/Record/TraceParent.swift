public import Networking

/// The span of a caller: the values of the fields `traceparent` and `tracestate`.
///
/// A server continues the trace of a request:
///
/// ```swift
/// let trace = Trace("GET /boards", parent: TraceParent(request.headers))
/// try await trace.run { try await loadBoards() }
/// ```
///
/// Source: W3C Trace Context, sections 3.2 and 3.3.
public struct TraceParent: Sendable, Hashable, CustomStringConvertible {
  /// The identifier of the trace.
  public let traceID: TraceID
  /// The identifier of the span.
  public let spanID: SpanID
  /// Whether the caller may have recorded the span.
  public let isSampled: Bool
  /// The `tracestate`, with at most 32 members and 512 bytes.
  ///
  /// `nil` if there is none, or if it is malformed.
  public let state: String?

  /// Creates a parent.
  ///
  /// - Parameters:
  ///   - traceID: The identifier of the trace.
  ///   - spanID: The identifier of the span.
  ///   - isSampled: Whether the caller may have recorded the span.
  ///   - state: The `tracestate`. A malformed one is ignored. One that is too long loses members.
  public init(traceID: TraceID, spanID: SpanID, isSampled: Bool = true, state: String? = nil) {
    self.init(traceID, spanID, isSampled, TraceState.validated(state ?? ""))
  }

  private init(_ traceID: TraceID, _ spanID: SpanID, _ isSampled: Bool, _ state: String?) {
    (self.traceID, self.spanID) = (traceID, spanID)
    (self.isSampled, self.state) = (isSampled, state)
  }

  /// Creates a parent from the fields of a request.
  ///
  /// It is `nil` if there is no `traceparent`, or several, or a malformed one. The `tracestate` is
  /// ignored then. A malformed `tracestate` has no effect on the rest.
  ///
  /// - Parameter headers: The header fields of the request.
  public init?(_ headers: HTTPHeaders) {
    let parents = headers.values(for: "traceparent")
    guard parents.count == 1 else { return nil }
    self.init(parents[0], state: headers.values(for: "tracestate").joined(separator: ","))
  }

  /// Creates a parent from the value of a `traceparent`.
  ///
  /// It is `nil` if the value is malformed. A later version than 00 may have more parts, which are ignored.
  ///
  /// - Parameters:
  ///   - value: The value, such as `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`.
  ///   - state: The value of the `tracestate`.
  public init?(_ value: String, state: String? = nil) {
    let bytes = value.utf8.drop { $0.isOptionalWhitespace }
    let end = bytes.lastIndex { !$0.isOptionalWhitespace }.map { bytes.index(after: $0) }
    // A later version may have more parts.
    let text = Array(bytes[..<(end ?? bytes.startIndex)].prefix(57))
    let dash = UInt8(ascii: "-")
    guard text.count >= 55, text[2] == dash, text[35] == dash, text[52] == dash,
      let version = UInt64(hexadecimal: text[0..<2]), version != 0xff,
      text.count == 55 || version > 0 && text[55] == dash,
      let high = UInt64(hexadecimal: text[3..<19]), let low = UInt64(hexadecimal: text[19..<35]),
      let span = UInt64(hexadecimal: text[36..<52]),
      let flags = UInt64(hexadecimal: text[53..<55]), high | low != 0, span != 0
    else { return nil }
    self.init(
      traceID: TraceID(high: high, low: low), spanID: SpanID(bits: span),
      isSampled: flags & 1 == 1, state: state)
  }

  /// The value of the `traceparent`, in version 00.
  public var description: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

  /// Returns the parent that another span of the same trace sends.
  func with(_ spanID: SpanID) -> TraceParent { TraceParent(traceID, spanID, isSampled, state) }
}

/// The rules for the value of a `tracestate`.
///
/// Source: W3C Trace Context Level 2, sections 3.3.1 and 3.3.1.5.
enum TraceState {
  private static let memberLimit = 32
  private static let byteLimit = 512
  /// Members with more bytes are removed first.
  private static let longMember = 128

  /// Returns the value without white space, empty members and repeated keys, within the limits.
  ///
  /// `nil` if it is malformed or empty.
  static func validated(_ value: String) -> String? {
    var members: [Substring] = []
    var keys: Set<Substring> = []
    for part in value.split(separator: ",") {
      let member = part.trimmed
      guard !member.isEmpty else { continue }
      guard let equals = member.firstIndex(of: "="), isKey(member[..<equals]),
        isValue(member[member.index(after: equals)...])
      else { return nil }
      guard keys.insert(member[..<equals]).inserted else { continue }
      members.append(member)
      guard members.count <= memberLimit else { return nil }
    }
    var size = members.reduce(members.count - 1) { $0 + $1.utf8.count }
    for limit in [longMember, 0] {
      for index in members.indices.reversed()
      where size > byteLimit && members[index].utf8.count > limit {
        size -= members.remove(at: index).utf8.count + 1
      }
    }
    return members.isEmpty ? nil : members.joined(separator: ",")
  }

  private static func isKey(_ key: Substring) -> Bool {
    guard let first = key.utf8.first, (1...256).contains(key.utf8.count) else { return false }
    return isAlphanumeric(first)
      && key.utf8.allSatisfy { isAlphanumeric($0) || "_-*/@".utf8.contains($0) }
  }

  private static func isValue(_ value: Substring) -> Bool {
    (1...256).contains(value.utf8.count)
      && value.utf8.allSatisfy { (0x20...0x7e).contains($0) && $0 != UInt8(ascii: "=") }
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}

extension UInt8 {
  fileprivate var isOptionalWhitespace: Bool { self == 0x20 || self == 0x09 }
}

extension Substring {
  /// The text without optional white space at its ends.
  fileprivate var trimmed: Substring {
    let start = utf8.firstIndex { !$0.isOptionalWhitespace } ?? endIndex
    let last = utf8.lastIndex { !$0.isOptionalWhitespace }
    return last.map { self[start...$0] } ?? ""
  }
}

extension UInt64 {
  /// The number of at most 16 hexadecimal digits in lower case, or `nil` for other bytes.
  fileprivate init?(hexadecimal digits: ArraySlice<UInt8>) {
    var number: UInt64 = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit & 0xf)
      case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - 0x57)
      default: return nil
      }
    }
    self = number
  }
}
