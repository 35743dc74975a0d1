import Promises

extension Networking where Endpoint == Request {
  /// A client for requests without endpoints: `Networking.shared.request(.get("https://..."))`.
  // In no scope, whoever asks for it first: it outlives them all.
  public static let shared = HandlerScope.$current.withValue(nil) { Networking() }
}
