public import HTTPTypes
public import Networking

extension HTTPFields {
  /// Creates the fields of swift-http-types, in the same order.
  ///
  /// White space at the ends of a value is removed.
  ///
  /// - Parameter headers: The header fields of Catena.
  /// - Throws: `NetworkError` with the code `invalidHeader` if a name is not a token, or if a value has a control
  ///   character.
  public init(_ headers: HTTPHeaders) throws {
    self.init()
    reserveCapacity(headers.count)
    for field in headers {
      guard let name = HTTPField.Name(field.name) else {
        throw NetworkError(
          .invalidHeader, "the header name \(field.name.debugDescription) is not a token")
      }
      let value = field.value.trimmed
      guard HTTPField.isValidValue(value) else {
        throw NetworkError(
          .invalidHeader, "the value of the header \(field.name) has a control character")
      }
      append(HTTPField(name: name, value: value))
    }
  }
}

extension HTTPHeaders {
  /// Creates the header fields of Catena, in the same order.
  ///
  /// Several `Cookie` fields, as in HTTP/2, become one. Bytes that are not UTF-8 are replaced.
  ///
  /// Source: RFC 9113 section 8.2.3.
  ///
  /// - Parameter fields: The fields of swift-http-types.
  public init(_ fields: HTTPFields) {
    self.init()
    for field in fields {
      let name = field.name.rawName
      if field.name == .cookie, let others = self[name] {
        self[name] = "\(others); \(field.value)"
      } else {
        add(field.value, for: name)
      }
    }
  }

  /// Returns the fields without those that describe the connection or the framing of the message.
  ///
  /// These are `Host`, `Content-Length`, and the fields that `Connection` names. A message that is sent on has its own.
  ///
  /// Source: RFC 9110 section 7.6.1.
  ///
  /// - Returns: The other fields, in the same order.
  func withoutConnectionFields() -> HTTPHeaders {
    let named = values(for: "Connection").joined(separator: ",").split(separator: ",")
    let removed = Set(Self.connectionFields + named.map { $0.description.trimmed.lowercased() })
    return HTTPHeaders(fields.filter { !removed.contains($0.name.lowercased()) })
  }

  private static let connectionFields = [
    "host", "content-length", "transfer-encoding", "connection", "keep-alive", "proxy-connection",
    "upgrade", "te", "trailer",
  ]
}

extension String {
  /// The text without the white space of HTTP at its ends.
  fileprivate var trimmed: String {
    func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    guard let start = utf8.firstIndex(where: { !isWhitespace($0) }),
      let last = utf8.lastIndex(where: { !isWhitespace($0) })
    else { return "" }
    return String(self[start...last])
  }
}

extension HTTPMethod {
  /// Creates a method from that of swift-http-types.
  ///
  /// - Parameter method: The method.
  public init(_ method: HTTPTypes.HTTPRequest.Method) { self.init(rawValue: method.rawValue) }
}

extension HTTPTypes.HTTPRequest.Method {
  /// Creates a method from that of Catena.
  ///
  /// - Parameter method: The method.
  /// - Throws: `NetworkError` with the code `invalidMethod` if it is not a token.
  public init(_ method: HTTPMethod) throws {
    guard let method = Self(method.rawValue) else {
      throw NetworkError(.invalidMethod, "the method is not a token")
    }
    self = method
  }
}
