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
      randomness: SeededGenerator(seed)
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

/// A generator whose numbers depend on its seed only.
struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(_ seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}

extension TraceRecord {
  /// The calls in the order of their start.
  var calls: [TraceCall] {
    spans.compactMap { if case .call(let call) = $0.kind { call } else { nil } }
  }

  /// The hops of all calls.
  var hops: [TraceCall.Hop] { calls.flatMap(\.hops) }
}
