extension Networking where Endpoint == Request {
  /// A client for requests without endpoints: `Networking.shared.request(.get("https://..."))`.
  public static let shared = Networking()
}
