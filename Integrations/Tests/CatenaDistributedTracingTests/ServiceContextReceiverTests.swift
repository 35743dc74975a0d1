import CatenaDistributedTracing
import Foundation
import Mocking
import NetworkingTracing
import Synchronization
import Testing
import Tracing

/// An instrument that carries a `traceparent`, as that of OpenTelemetry does.
private struct TraceparentInstrument: Instrument {
  enum Key: ServiceContextKeyType { typealias Value = String }

  func inject<Carrier, Inject: Injector>(
    _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {
    guard let value = context[Key.self] else { return }
    injector.inject(value, forKey: "traceparent", into: &carrier)
    injector.inject("vendor=1", forKey: "tracestate", into: &carrier)
  }

  func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {}
}

private typealias ServiceContextKeyType = InstrumentationContextKey

/// The instrument is that of the process, so one test bootstraps it and has all parts.
struct ServiceContextReceiverTests {
  private final class Traces: TraceReceiver {
    let records = Mutex<[TraceRecord]>([])
    func receive(_ record: TraceRecord) { records.withLock { $0.append(record) } }
  }

  private static let bootstrap: Void = InstrumentationSystem.bootstrap(TraceparentInstrument())

  private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331"

  /// Makes a call in a context, and returns its trace and the fields that the server has received.
  private func call(in value: String?) async throws -> (records: [TraceRecord], HTTPHeaders) {
    _ = Self.bootstrap
    let traces = Traces()
    let tracing = CallTracing.sampled(1, to: ServiceContextReceiver(forwardingTo: traces))
    var configuration = NetworkingConfiguration()
    configuration.tracing = tracing
    let transport = MockTransport { Route(.get, "/boards", .text("ok")) }
    let client = Networking<Request>(
      baseURL: URL(string: "https://api.example.com/v1"), transport: transport,
      configuration: configuration)
    var context = ServiceContext.topLevel
    context[TraceparentInstrument.Key.self] = value
    _ = try await ServiceContext.withValue(context) {
      try await client.request(.get("boards")).value
    }
    await tracing.flush()
    let headers = try #require(transport.journal.entries.first).request.headers
    return (traces.records.withLock { $0 }, headers)
  }

  @Test func callContinuesTheTraceOfTheContext() async throws {
    let (records, headers) = try await call(in: "\(Self.parent)-01")
    let record = try #require(records.first)
    #expect("\(record.id)" == "0af7651916cd43dd8448eb211c80319c")
    #expect(record.parent?.spanID.description == "b7ad6b7169203331")
    let sent = try #require(TraceParent(headers))
    #expect(sent.traceID == record.id)
    #expect(sent.state == "vendor=1")
  }

  @Test func unsampledContextIsSentAndNotRecorded() async throws {
    let (records, headers) = try await call(in: "\(Self.parent)-00")
    #expect(records.isEmpty)
    #expect(TraceParent(headers)?.isSampled == false)
    #expect(TraceParent(headers)?.traceID.description == "0af7651916cd43dd8448eb211c80319c")
  }

  @Test func contextWithoutATraceBeginsOne() async throws {
    let (records, headers) = try await call(in: nil)
    #expect(records.first?.parent == nil)
    #expect(TraceParent(headers)?.traceID == records.first?.id)
  }
}
