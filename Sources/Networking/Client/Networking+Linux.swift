#if os(Linux)
  extension CurlTransport {
    /// The transport of all clients that name none; so they share its connections.
    static let shared = CurlTransport()
  }

  extension Networking {
    /// Makes a client on Linux's own transport, ``CurlTransport``, which all such clients share.
    ///
    /// - Parameters:
    ///   - mode: how many requests are under way at once.
    ///   - mockProvider: supplies another transport for some endpoints; nil for none.
    ///   - configuration: what it does with every request.
    public convenience init(
      mode: RequestMode = .async, mockProvider: (any TransportProvider<Endpoint>)? = nil,
      configuration: NetworkingConfiguration = NetworkingConfiguration()
    ) {
      self.init(
        mode: mode, mockProvider: mockProvider, transport: CurlTransport.shared,
        configuration: configuration)
    }
  }

  extension Networking where Endpoint == Request {
    /// A client for requests without endpoints: `Networking.shared.request(.get("https://..."))`.
    public static let shared = Networking()
  }
#endif
