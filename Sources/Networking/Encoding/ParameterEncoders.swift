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
