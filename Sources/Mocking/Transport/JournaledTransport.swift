import Networking
import Promises

/// A transport that records its requests in a journal and passes all of them to another transport.
///
/// The other transport receives each request unchanged: a body that is a stream is not read, so the
/// journal does not contain it.
private struct JournaledTransport: Transport {
  let base: any Transport
  let journal: RequestJournal

  var needsNetwork: Bool { base.needsNetwork }

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
  ) -> any TransportHandle {
    journal.record(request.stored(at: LiveScheduler.live.now)) { reporter in
      reporter.report(.passedThrough)
      return base.start(request, receive)
    }
  }
}

extension ScopedMocks {
  /// Creates mocks without routes, which pass the requests of all endpoints to a transport in real time.
  ///
  /// They pass no request to the next mocks and to the outer scope.
  ///
  /// - Parameter transport: The transport, which may need a network.
  package init(passingTo transport: any Transport) {
    let backend = MockTransport(routes: [])
    self.backend = backend
    provider = AnyTransportProvider(scheduler: .live) { [journal = backend.journal] _ in
      JournaledTransport(base: transport, journal: journal)
    }
  }
}
