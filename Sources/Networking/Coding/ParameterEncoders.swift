/// The encoders of a client, one for each content type.
///
/// ```swift
/// var encoders = ParameterEncoders()
/// encoders.query = QueryEncoder(naming: FieldNaming(arrays: .repeated))
/// encoders.custom["application/cbor"] = CBOREncoder()
/// ```
public struct ParameterEncoders: Sendable {
  /// For ``ContentType/query``.
  public var query: any ParameterEncoding = QueryEncoder()
  /// For ``ContentType/formURLEncoded``.
  public var formURLEncoded: any ParameterEncoding = FormURLEncoder()
  /// For ``ContentType/json``.
  public var json: any ParameterEncoding = JSONParameterEncoder()
  /// For ``ContentType/multipartFormData`` and for multipart uploads.
  public var multipartFormData = MultipartEncoder()
  /// For ``ContentType/custom(_:)``, by the media type as the request writes it.
  ///
  /// A type that is not here is encoded as JSON when it ends in `json`, such as
  /// `application/vnd.api+json`, and otherwise takes a single string or data as the whole body.
  public var custom: [String: any ParameterEncoding] = [:]

  /// Makes the standard encoders.
  public init() {}

  /// The encoder for a content type.
  ///
  /// - Parameter contentType: the content type.
  /// - Returns: the one that was set for it.
  public func encoder(for contentType: ContentType) -> any ParameterEncoding {
    switch contentType {
    case .query: query
    case .formURLEncoded: formURLEncoded
    case .json: json
    case .multipartFormData: multipartFormData
    case .custom(let type):
      if let encoder = custom[type] {
        encoder
      } else if type.prefix(while: { $0 != ";" }).lowercased().hasSuffix("json") {
        JSONParameterEncoder(contentType: type)
      } else {
        TextEncoder(contentType: type)
      }
    }
  }
}

/// Turns parameters into a query or a body.
///
/// Conform a type of your own, and put it into the ``ParameterEncoders`` of a client, to send what the
/// encoders here do not: XML, CBOR, a form with names of another kind.
public protocol ParameterEncoding: Sendable {
  /// Encodes parameters.
  ///
  /// It is called when a request is built, on any thread, perhaps on several at once; the same
  /// parameters should give the same result.
  ///
  /// - Parameter parameters: what to encode.
  /// - Returns: a query or a body.
  /// - Throws: ``ParameterEncodingError`` preferably; whatever it is, the request fails with
  ///   ``NetworkError/Code-swift.enum/encodingFailed``.
  func encode(_ parameters: Parameters) throws -> EncodedParameters
}

/// Parameters in the form in which they are sent.
public enum EncodedParameters: Sendable, Hashable {
  /// For the URL, behind what its query has already: `a=1&b=2`, percent-encoded; perhaps empty.
  case query(String)
  /// For the body, its pieces one behind the other; `contentType` is the value of `Content-Type`.
  case body([BodyPiece], contentType: String)
}

/// Why parameters cannot be encoded: where in the tree, and what is wrong there, never the value itself.
///
/// A ``ParameterEncoding`` throws it; a request fails with
/// ``NetworkError/Code-swift.enum/encodingFailed`` and this as the cause.
public struct ParameterEncodingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The names and positions that lead to the value, such as `filter.tags[2]`; empty for the root.
  public var keyPath: String
  /// What is wrong, as the end of a sentence that starts with the key path: `is not a number`.
  public var reason: String

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - keyPath: the names and positions that lead to the value; empty for the root.
  ///   - reason: what is wrong, as the end of a sentence that starts with the key path.
  public init(keyPath: String, reason: String) {
    self.keyPath = keyPath
    self.reason = reason
  }

  /// The key path and what is wrong there.
  public var description: String {
    "\(keyPath.isEmpty ? "the root of the parameters" : "the parameter \(keyPath)") \(reason)"
  }

  /// As far down as a tree of parameters may go; deeper, a recursion could exhaust the stack.
  static let depthLimit = 512

  static func notFinite(_ keyPath: String) -> Self {
    Self(keyPath: keyPath, reason: "is not a finite number")
  }

  static func tooDeep(_ keyPath: String) -> Self {
    Self(keyPath: String(keyPath.prefix(60)) + "...", reason: "is nested too deeply")
  }
}

/// How a request carries its parameters.
public enum ContentType: Sendable, Hashable, Codable {
  /// In the URL's query; what `GET`, `HEAD`, `DELETE` and `OPTIONS` do by default.
  case query
  /// As `application/x-www-form-urlencoded`, in the body.
  case formURLEncoded
  /// As `application/json`, in the body; what all other methods do by default.
  case json
  /// As `multipart/form-data`, in the body.
  case multipartFormData
  /// As any other media type, in the body; see ``ParameterEncoders/custom`` for how it is encoded.
  case custom(String)

  /// What a method uses unless its request says otherwise.
  ///
  /// - Parameter method: the method.
  /// - Returns: ``query`` for those whose content has no meaning (RFC 9110 section 9.3), else ``json``.
  public static func standard(for method: HTTPMethod) -> ContentType {
    switch method {
    case .get, .head, .delete, .options, .trace: .query
    default: .json
    }
  }
}
