import Promises

extension Networking where Endpoint == Request {
  /// A client for requests without endpoints: `Networking.shared.request(.get("https://..."))`.
  ///
  /// It is made outside of all scopes of mocks, whoever asks for it first, since it outlives them.
  public static let shared = HandlerScope.$current.withValue(nil) { Networking() }
}
