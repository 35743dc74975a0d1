import Foundation
import Mocking
import Networking
import NetworkingTracing
import Promises
import TestSupport

/// A client with tracing over mocks, and the traces of its calls.
struct TracedClient {
  let server: MockTransport
  let client: Networking<Request>
  let tracing: CallTracing
  let traces = Log<TraceRecord>()

  /// Creates a client with the base URL `http://api.test/v1`.
  init(
    share: Double = 1, origins: [String] = [], seed: UInt64 = 1, pendingLimit: Int = 100,
    _ routes: [Route] = [Route(nil, "/{path*}", .text("ok"))],
    configure: (inout NetworkingConfiguration) -> Void = { _ in },
    onTrace: @escaping @Sendable (TraceRecord) -> Void = { _ in }
  ) {
    server = MockTransport(routes: routes)
    var configuration = NetworkingConfiguration()
    tracing = .sampled(
      share, origins: origins.compactMap { URL(string: $0) }, pendingLimit: pendingLimit,
      randomness: SeededGenerator(seed: seed)
    ) { [traces] record in
      traces.append(record)
      onTrace(record)
    }
    configuration.tracing = tracing
    configure(&configuration)
    client = Networking<Request>(
      baseURL: URL(string: "http://api.test/v1"), transport: server, configuration: configuration)
    client.callbackContext = .inline
  }

  /// The values of a field of all received requests, in the order of arrival.
  func received(_ name: String) -> [String?] {
    server.journal.entries.map { $0.request.headers[name] }
  }

  /// The parents that the requests had.
  var parents: [TraceParent?] { server.journal.entries.map { TraceParent($0.request.headers) } }
}

extension TraceRecord {
  /// The calls in the order of their start.
  var calls: [TraceCall] {
    spans.compactMap { if case .call(let call) = $0.kind { call } else { nil } }
  }

  /// The hops of all calls.
  var hops: [TraceCall.Hop] { calls.flatMap(\.hops) }
}
