import CatenaSystem
import Foundation
import Networking

/// The parsed content of a received request: each form of it is parsed once, when it is first used.
///
/// All copies of a request share its content. Two contents are always equal, because they are
/// derived from other properties of the request.
final class RequestContent: Sendable, Hashable {
  private struct Parsed {
    var decodedBody: Data?
    var json: JSON??
    var text: String?
    var query: RequestQuery?
    var form: RequestQuery?
    var cookies: RequestQuery?
    var parts: [RequestPart]?
    /// The results of the checks of the request, by the objects that have made them.
    var checks: [ObjectIdentifier: any Sendable] = [:]
    /// The number of times that the body has been parsed, for tests.
    var parseCount = 0
  }

  /// The content of requests in the journal, which parses on each use, because the journal would
  /// otherwise keep the parsed bodies in memory.
  static let uncached = RequestContent(isCaching: false)

  private let parsed = Mutex(Parsed())
  private let isCaching: Bool

  init(isCaching: Bool = true) {
    self.isCaching = isCaching
  }

  /// The number of times that a body or another part has been parsed.
  var parseCount: Int { parsed.withLock { $0.parseCount } }

  /// The body without content codings, or as received if it cannot be decoded.
  func decodedBody(of request: ReceivedRequest) -> Data {
    // Fast path: most bodies have no coding.
    guard request.headers.contains("Content-Encoding") else { return request.body }
    return value(of: \.decodedBody) {
      ContentCoding.decoded(request.body, codings: request.headers.values(for: "Content-Encoding"))
        ?? request.body
    }
  }

  /// Decodes the body, and reserves memory for the decoded bytes and for the values of the body.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - reservation: The memory for this request.
  /// - Returns: Whether the memory is sufficient. If not, the body has not been decoded.
  func reserve(for request: ReceivedRequest, in reservation: BodyReservation) -> Bool {
    let codings = request.headers.values(for: "Content-Encoding")
    if !codings.isEmpty {
      var isRefused = false
      let decoded = ContentCoding.decoded(request.body, codings: codings) { count in
        isRefused = !reservation.take(count)
        return !isRefused
      }
      if isRefused { return false }
      _ = value(of: \.decodedBody) { decoded ?? request.body }
    }
    return reservation.take(ParsedSize.estimate(of: decodedBody(of: request)))
  }

  // The following methods decode the body before they call `value(of:_:)`, which is not reentrant.

  /// The body as JSON, or `nil` if it is empty or not JSON.
  func json(of request: ReceivedRequest) -> JSON? {
    let body = decodedBody(of: request)
    return value(of: \.json) { body.isEmpty ? nil : try? JSON(parsing: body) }
  }

  func text(of request: ReceivedRequest) -> String {
    let body = decodedBody(of: request)
    return value(of: \.text) { String(decoding: body, as: UTF8.self) }
  }

  func query(of request: ReceivedRequest) -> RequestQuery {
    value(of: \.query) { RequestQuery(RequestTarget.query(of: request.target)) }
  }

  func form(of request: ReceivedRequest) -> RequestQuery {
    let isMultipart =
      request.headers["Content-Type"]?.lowercased().hasPrefix("multipart/") == true
    let parts = isMultipart ? parts(of: request) : nil
    let body = decodedBody(of: request)
    return value(of: \.form) {
      guard let parts else {
        return RequestQuery(Substring(String(decoding: body, as: UTF8.self)))
      }
      return RequestQuery(
        items: parts.filter { $0.fileName == nil }.map {
          RequestQuery.Item(name: $0.name, value: $0.text)
        })
    }
  }

  func cookies(of request: ReceivedRequest) -> RequestQuery {
    value(of: \.cookies) {
      RequestQuery(
        items: request.headers.values(for: "Cookie").flatMap { value in
          value.split(separator: ";").compactMap { part in
            CookiePair(part).map { RequestQuery.Item(name: $0.name, value: $0.value) }
          }
        })
    }
  }

  func parts(of request: ReceivedRequest) -> [RequestPart] {
    let body = decodedBody(of: request)
    return value(of: \.parts) {
      guard let type = request.headers["Content-Type"].flatMap(MediaType.init(_:)) else {
        return []
      }
      return RequestPart.parts(of: body, type)
    }
  }

  /// Parses the body by its content type, so that later uses do not parse it.
  ///
  /// A body of another type is parsed if it may be JSON, because conditions and templates read it as
  /// such, too.
  func parseBody(of request: ReceivedRequest) {
    let type = request.headers["Content-Type"].flatMap(MediaType.init(_:))
    if let type, type.type == "multipart" || type.subtype == "x-www-form-urlencoded" {
      _ = form(of: request)
    } else if let first = decodedBody(of: request).first(where: { !" \t\r\n".utf8.contains($0) }),
      "{[".utf8.contains(first) || type?.subtype.hasSuffix("json") == true
    {
      _ = json(of: request)
    }
  }

  /// Returns the result of a check of the request, which is made once.
  ///
  /// - Parameters:
  ///   - owner: The object that makes the check, which lives as long as the request.
  ///   - check: A closure that makes the check. It is called without a lock.
  /// - Returns: The result.
  func result<Value: Sendable>(of owner: AnyObject, _ check: () -> Value) -> Value {
    guard isCaching else { return check() }
    let key = ObjectIdentifier(owner)
    let kept = parsed.withLock { $0.checks[key] } as? CheckResult<Value>
    if let kept { return kept.value }
    let value = check()
    parsed.withLock { $0.checks[key] = CheckResult(value: value) }
    return value
  }

  /// The result of a check, which may be `nil`.
  private struct CheckResult<Value: Sendable>: Sendable {
    let value: Value
  }

  /// Returns a value that has been parsed, or parses it.
  ///
  /// Parses under the lock, so that two threads do not parse the same body.
  private func value<Value: Sendable>(
    of member: WritableKeyPath<Parsed, Value?>, _ parse: () -> Value
  ) -> Value {
    guard isCaching else { return parse() }
    return parsed.withLock { parsed in
      if let value = parsed[keyPath: member] { return value }
      let value = parse()
      parsed[keyPath: member] = value
      parsed.parseCount += 1
      return value
    }
  }

  static func == (left: RequestContent, right: RequestContent) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}

/// A name and a value in a `Cookie` or `Set-Cookie` field, without surrounding white space.
///
/// Source: RFC 6265 sections 4.1.1 and 4.2.1.
package struct CookiePair {
  /// The text before the first equals sign.
  package let name: String
  /// The text after the first equals sign.
  package let value: String

  /// Parses `name=value`, or returns `nil` if there is no equals sign.
  ///
  /// - Parameter text: The text between two semicolons.
  package init?(_ text: Substring) {
    // A byte, because `=` and a following combining character form one `Character`.
    guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    name = text[..<equals].trimmingCharacters(in: .whitespaces)
    value = text[text.utf8.index(after: equals)...].trimmingCharacters(in: .whitespaces)
  }
}
