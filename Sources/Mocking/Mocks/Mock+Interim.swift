public import Networking

/// An interim response (1xx) of a mock.
///
/// Source: RFC 9110 section 15.2.
struct InterimResponse: Sendable, Hashable {
  let status: Int
  let headers: HTTPHeaders

  /// Whether the response may be sent as it is.
  ///
  /// A 101 is the end of HTTP on a connection, and a 100 is sent by the server itself.
  var isValid: Bool { (102...199).contains(status) && headers.allSatisfy(\.isSendable) }
}

extension HTTPHeaders.Field {
  /// Whether the name is a token and the value has no CR, LF or NUL.
  var isSendable: Bool {
    name.isToken && value.utf8.allBytesSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 }
  }

  /// Whether the field may be sent after the body.
  ///
  /// A client needs the others before the body, for the framing, routing, authentication, caching or
  /// decoding of the message.
  ///
  /// Source: RFC 9110 section 6.5.1.
  package var isTrailer: Bool { isSendable && !Self.headNames.contains(name.lowercased()) }

  private static let headNames: Set<String> = [
    "content-length", "transfer-encoding", "trailer", "te", "connection", "keep-alive", "upgrade",
    "host", "content-type", "content-encoding", "content-range", "set-cookie", "authorization",
    "www-authenticate", "proxy-authenticate", "proxy-authorization", "cache-control", "expires",
    "age", "vary", "date", "location", "retry-after",
  ]
}

extension Mock {
  /// Returns a copy with an interim response before the response.
  ///
  /// ```swift
  /// .json([]).interim(103, headers: ["Link": "</style.css>; rel=preload; as=style"])
  ///   .delayed(by: .seconds(2))
  /// ```
  ///
  /// A server sends interim responses immediately, before the delay of the response. Clients with
  /// HTTP/1.0 do not receive them. In memory they are dropped, because a ``Transport`` delivers only
  /// the final response.
  ///
  /// Source: RFC 9110 section 15.2, RFC 8297.
  ///
  /// - Parameters:
  ///   - status: The status, such as 102 (Processing) or 103 (Early Hints). For a status that is not
  ///     from 102 to 199, the request fails as for a malformed header field.
  ///   - headers: The header fields.
  /// - Returns: The mock. Repeated calls add interim responses.
  public func interim(_ status: Int, headers: HTTPHeaders = [:]) -> Mock {
    copy(of: self) { $0.interimResponses.append(InterimResponse(status: status, headers: headers)) }
  }

  /// Returns a copy with header fields after the body.
  ///
  /// ```swift
  /// .text("...").trailers(["Server-Timing": "db;dur=53"])
  /// ```
  ///
  /// The body is sent in the chunked coding, and the field `Trailer` has the names. Clients with
  /// HTTP/1.0, and clients of a response without a body, do not receive the fields. A client of Catena
  /// has them in ``Response/trailers``.
  ///
  /// Source: RFC 9110 section 6.5, RFC 9112 section 7.1.2.
  ///
  /// - Parameter trailers: The fields. They replace earlier fields of the same name. For a field that
  ///   must not be a trailer, such as `Content-Length`, the request fails as for a malformed header
  ///   field.
  /// - Returns: The mock.
  public func trailers(_ trailers: HTTPHeaders) -> Mock {
    copy(of: self) { $0.trailers = self.trailers.merging(trailers) }
  }
}
