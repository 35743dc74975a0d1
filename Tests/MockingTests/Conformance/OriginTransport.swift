#if os(Linux)
  import Foundation
  import Mocking
  import Networking

  /// Leads each request to the transport of its origin, as a network leads it to a server.
  ///
  /// Where there is none it does what a network does: names below `invalid` are not resolved, other
  /// connections are refused.
  struct OriginTransport: Transport {
    private let origins: [(url: URL, transport: any Transport)]
    private let unresolved = MockTransport { Route(nil, "/{rest*}") { _ in .failure(.dnsFailed) } }
    private let refused = MockTransport {
      Route(nil, "/{rest*}") { _ in .failure(.cannotConnect) }
    }

    init(_ origins: [(url: URL, transport: any Transport)]) {
      self.origins = origins
    }

    func start(
      _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
    ) -> any TransportHandle {
      let url = request.url
      let origin = origins.first {
        $0.url.scheme == url.scheme && $0.url.host == url.host && $0.url.port == url.port
      }
      let nowhere = url.host?.hasSuffix(".invalid") == true ? unresolved : refused
      return (origin?.transport ?? nowhere).start(request, receive)
    }
  }
#endif
