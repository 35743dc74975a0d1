import CatenaSystem
import Foundation
package import Networking

extension HTTPRequest {
  /// Checks the request before it is sent.
  ///
  /// - Parameter validFields: The fields that are not checked, because an earlier request had them.
  /// - Throws: The failure that a transport reports for a request that it cannot send.
  func validateForSending(except validFields: ValidFields) throws(TransportFailure) {
    let text = url.absoluteString
    // Fast path: most URLs have a lowercase scheme.
    let scheme = text.hasPrefix("http://") || text.hasPrefix("https://") ? "http" : url.scheme
    guard let scheme = scheme?.lowercased(), scheme == "http" || scheme == "https" else {
      throw TransportFailure(code: .invalidURL, detail: "The URL is not http or https")
    }
    guard
      text.utf8.allBytesSatisfy({ $0 != UInt8(ascii: "@") })
        || url.user == nil && url.password == nil
    else {
      throw TransportFailure(code: .invalidURL, detail: "The URL contains credentials")
    }
    guard method.rawValue.isToken else {
      throw TransportFailure(code: .unsupported, detail: "The method is not a valid token")
    }
    if method == .head, body != .none {
      throw TransportFailure(code: .unsupported, detail: "A HEAD request cannot have a body")
    }
    if validFields.contain(headers) { return }
    let isSendable = headers.allSatisfy { field in
      field.name.isToken
        && field.value.utf8.allBytesSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 }
    }
    guard isSendable else {
      throw TransportFailure(
        code: .invalidHeader, detail: "A header field has an invalid name or value")
    }
    validFields.replace(by: headers)
  }

  /// The target of the request line.
  ///
  /// Source: RFC 9112 section 3.2.1.
  package var target: String {
    let path = url.path(percentEncoded: true)
    let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
    return (path.isEmpty ? "/" : path) + query
  }

  /// Returns this request as a server would receive it, with the header fields that a transport
  /// adds and with its body read into memory.
  ///
  /// - Parameters:
  ///   - path: The path with the values of the route's variables.
  ///   - number: The index of the request.
  ///   - time: The current time.
  ///   - discardsBody: Whether the bytes of the body are only counted, not read.
  /// - Returns: The received request.
  /// - Throws: A failure with the code `encodingFailed` if the body cannot be read.
  func received(
    _ path: ReceivedPath, number: Int, at time: Duration, discardsBody: Bool = false
  ) throws(TransportFailure) -> ReceivedRequest {
    let data = discardsBody ? Data() : try readBody()
    guard let byteCount = discardsBody ? body.byteCount : Int64(data.count) else {
      throw body.readFailure
    }
    return ReceivedRequest(
      method: method, target: target, path: path, headers: completeHeaders(byteCount),
      trailers: [:], body: data, bodyByteCount: Int(byteCount), version: "1.1", connection: 0,
      exchange: number, time: time)
  }

  private func completeHeaders(_ byteCount: Int64) -> HTTPHeaders {
    // As on a real connection: values are trimmed, and the transport sets the framing fields.
    let framing = ["content-length", "transfer-encoding"]
    var complete = HTTPHeaders(
      headers.filter { !framing.contains($0.name.lowercased()) }.map {
        .init(name: $0.name, value: $0.value.trimmingOptionalWhitespace)
      })
    if !headers.contains("Host"), let name = url.host(percentEncoded: false) {
      // An IPv6 address is sent without its zone.
      let host = name.contains(":") ? "[\(name.prefix { $0 != "%" })]" : name
      complete.add(url.port.map { "\(host):\($0)" } ?? host, for: "Host")
    }
    if case .none = body { return complete }
    complete.add(String(byteCount), for: "Content-Length")
    return complete
  }

  private func readBody() throws(TransportFailure) -> Data {
    let pieces = body.allPieces
    if pieces.count == 1, case .data(let data)? = pieces.first { return data }
    var all = Data()
    for piece in pieces {
      switch piece {
      case .data(let data): all.append(data)
      case .file(let url):
        do {
          all.append(try Data(contentsOf: url))
        } catch {
          throw body.readFailure
        }
      case .stream:
        throw TransportFailure(
          code: .encodingFailed, detail: "The body cannot be read: it is a stream")
      }
    }
    return all
  }
}

/// The header fields of the last valid request of a mock, which are usually those of the next one, too.
final class ValidFields: Sendable {
  private let fields = Mutex<[HTTPHeaders.Field]>([])

  func contain(_ headers: HTTPHeaders) -> Bool { fields.withLock { $0 == headers.fields } }

  func replace(by headers: HTTPHeaders) {
    let old = fields.withLock { fields in
      defer { fields = headers.fields }
      return fields
    }
    withExtendedLifetime(old) {}
  }
}

extension String {
  /// The text without leading and trailing spaces and tabs, which are not part of a field value.
  ///
  /// Source: RFC 9110 section 5.5.
  package var trimmingOptionalWhitespace: String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    guard let first = utf8.first, let last = utf8.last, isSpace(first) || isSpace(last) else {
      return self
    }
    let rest = utf8.drop(while: isSpace)
    let end = rest.lastIndex { !isSpace($0) }.map { rest.index(after: $0) } ?? rest.startIndex
    return String(rest[..<end]) ?? self
  }
}

extension HTTPBody {
  /// The failure of a body that cannot be read, with the name of the file.
  var readFailure: TransportFailure {
    do throws(TransportFailure) {
      // Opening the body finds the reason.
      _ = try BodyReader(self)
    } catch {
      return error
    }
    return TransportFailure(code: .encodingFailed, detail: "The body cannot be read")
  }
}
