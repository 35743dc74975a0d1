extension Request: Codable {
  private enum CodingKeys: String, CodingKey {
    case method, path, parameters, headers, contentType, queryFormat, payload, compression
    case storePolicy, storeKey, cachePolicy, cacheLifetime, timeout, priority
    case isShared, isIntercepted, sendsCredentials
  }

  /// Decodes a request.
  ///
  /// Missing properties get their default values, so that requests stored by an earlier version can
  /// be decoded.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The errors of the decoder.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func optional<Value: Decodable>(_ key: CodingKeys) throws -> Value? {
      try container.decodeIfPresent(Value.self, forKey: key)
    }
    self.init(
      try container.decode(HTTPMethod.self, forKey: .method),
      try container.decode(RequestPath.self, forKey: .path),
      parameters: try optional(.parameters), headers: try optional(.headers) ?? [:],
      contentType: try optional(.contentType), payload: try optional(.payload))
    storePolicy = try optional(.storePolicy) ?? .none
    cachePolicy = try optional(.cachePolicy) ?? .default
    timeout = try optional(.timeout)
    priority = try optional(.priority) ?? .normal
    queryFormat = try optional(.queryFormat)
    compression = try optional(.compression)
    storeKey = try optional(.storeKey) ?? ""
    cacheLifetime = try optional(.cacheLifetime)
    isShared = try optional(.isShared)
    isIntercepted = try optional(.isIntercepted) ?? true
    sendsCredentials = try optional(.sendsCredentials)
  }

  /// Encodes the request.
  ///
  /// Properties with their default values, ``attributes``, ``retry`` and ``onProgress`` are omitted.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The errors of the encoder. `EncodingError.invalidValue` if the parameters could not be
  ///   encoded or merged.
  public func encode(to encoder: any Encoder) throws {
    if let error = invalidParameters?.error {
      let context = EncodingError.Context(
        codingPath: encoder.codingPath + [CodingKeys.parameters],
        debugDescription: (error as? ParameterEncodingError)?.description
          ?? "the parameters could not be encoded", underlyingError: error)
      throw EncodingError.invalidValue(self, context)
    }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(method, forKey: .method)
    try container.encode(path, forKey: .path)
    try container.encodeIfPresent(parameters, forKey: .parameters)
    if !headers.isEmpty { try container.encode(headers, forKey: .headers) }
    try container.encodeIfPresent(contentType, forKey: .contentType)
    try container.encodeIfPresent(queryFormat, forKey: .queryFormat)
    try container.encodeIfPresent(payload, forKey: .payload)
    try container.encodeIfPresent(compression, forKey: .compression)
    if storePolicy != .none { try container.encode(storePolicy, forKey: .storePolicy) }
    if !storeKey.isEmpty { try container.encode(storeKey, forKey: .storeKey) }
    if cachePolicy != .default { try container.encode(cachePolicy, forKey: .cachePolicy) }
    try container.encodeIfPresent(cacheLifetime, forKey: .cacheLifetime)
    try container.encodeIfPresent(timeout, forKey: .timeout)
    if priority != .normal { try container.encode(priority, forKey: .priority) }
    try container.encodeIfPresent(isShared, forKey: .isShared)
    if !isIntercepted { try container.encode(isIntercepted, forKey: .isIntercepted) }
    try container.encodeIfPresent(sendsCredentials, forKey: .sendsCredentials)
  }
}
