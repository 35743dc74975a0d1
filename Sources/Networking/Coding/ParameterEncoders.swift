import CatenaSystem

/// The parameter encoders of a client, one for each content type.
///
/// ```swift
/// configuration.encoders.custom["application/cbor"] = CBOREncoder()
/// ```
///
/// ``NetworkingConfiguration/queryFormat`` defines the format of the encoders for queries and forms.
/// It replaces ``query`` and ``formURLEncoded``, also if they are encoders of other types.
public struct ParameterEncoders: Sendable {
  /// The encoder for ``ContentType/query``.
  public var query: any ParameterEncoding = FieldEncoder(escaping: .url)
  /// The encoder for ``ContentType/formURLEncoded``.
  public var formURLEncoded: any ParameterEncoding = FieldEncoder(escaping: .form)
  /// The encoder for ``ContentType/json``.
  public var json: any ParameterEncoding = JSONParameterEncoder()
  /// The encoder for ``ContentType/multipartFormData`` and for multipart uploads.
  var multipartFormData = MultipartEncoder()
  /// The encoders for ``ContentType/custom(_:)``, keyed by media type.
  ///
  /// The key must be equal to the media type of the request, including case and parameters. If
  /// there is no encoder, a type that ends in `json`, such as `application/vnd.api+json`, is
  /// encoded as JSON. For any other type the parameters must be a single string or data, which is
  /// sent as the body.
  public var custom: [String: any ParameterEncoding] = [:]

  /// The format of queries, URL-encoded forms and multipart forms.
  ///
  /// The value is the format of ``query``, or ``QueryFormat/standard`` for an encoder of another type.
  var format: QueryFormat {
    get { (query as? FieldEncoder)?.format ?? .standard }
    set {
      query = FieldEncoder(format: newValue, escaping: .url)
      formURLEncoded = FieldEncoder(format: newValue, escaping: .form)
      multipartFormData.format = newValue
    }
  }

  /// Creates the standard encoders.
  public init() {}

  /// Returns the encoders with another format.
  ///
  /// - Parameter format: The format of queries and forms. `nil` changes nothing.
  /// - Returns: The encoders.
  func formatted(_ format: QueryFormat?) -> ParameterEncoders {
    guard let format else { return self }
    return copy(of: self) { $0.format = format }
  }

  /// Returns the encoder for a content type.
  ///
  /// - Parameter contentType: The content type.
  /// - Returns: The configured encoder. See ``custom`` for the fallback of custom types.
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
        JSONParameterEncoder(
          contentType: type, encoder: (json as? JSONParameterEncoder)?.encoder)
      } else {
        TextEncoder(contentType: type)
      }
    }
  }
}
