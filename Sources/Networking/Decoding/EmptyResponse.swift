/// What a response without a body decodes to, for an endpoint that answers with nothing.
public struct EmptyResponse: Sendable, Hashable, Codable {
  /// Nothing.
  public init() {}
}
