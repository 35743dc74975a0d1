import Foundation
import Mocking
import Networking
import Promises
import TestGate
import Testing

@testable import NetworkingTracing

/// Traces of calls over loopback sockets: their structure, and no times.
@Suite(.gated)
struct SocketTraceTests {
  private let server: MockServer

  init() throws {
    server = try MockServer {
      Route(.get, "/list", .json([1, 2, 3]))
      // A task that waits for a shorter time seems not to have waited.
      Route(.get, "/items/{id}", Mock.text("item").delayed(by: .milliseconds(10)))
      Route(.get, "/large", .bytes(400_000))
      Route(.get, "/moved", .redirect(to: "/list"))
      Route(.get, "/never", Mock.text("late").delayed(by: .seconds(60)))
    }
  }

  private func client(_ mode: RequestMode = .async) -> Networking<Request> {
    let client = Networking<Request>(mode: mode, configuration: NetworkingConfiguration())
    client.baseURL = server.url
    return client
  }

  /// The paths of the spans, from a call to the calls and the start that it is due to.
  private func origins(_ record: TraceRecord) -> [String] {
    record.spans.compactMap { span -> String? in
      guard case .call = span.kind else { return nil }
      var (names, cause) = ([span.name], span.cause)
      while let next = cause.span.flatMap({ id in record.spans.first { $0.id == id } }) {
        if case .call = next.kind { names.append(next.name) }
        cause = next.cause
      }
      return names.joined(separator: " < ")
    }.sorted()
  }

  @Test func aChainOfPromisesHasItsCauses() async throws {
    let (client, trace) = (client(), Trace("promises"))
    _ = try await trace.run {
      client.request(.get("list")).decode([Int].self).then { ids in
        when(ids.map { client.request(.get("items/\($0)")) })
      }.then { _ in client.request(.get("moved")) }
    }.value
    let record = trace.record
    let calls = origins(record)
    #expect(calls.count == 5 && record.ending == .finished && record.isComplete)
    #expect(calls.filter { $0.hasSuffix(" < GET list") && $0.hasPrefix("GET items") }.count == 3)
    let last = calls.first { $0.hasPrefix("GET moved") } ?? ""
    #expect(last.contains("< GET items/") && last.hasSuffix("< GET list"))
    #expect(record.spans.contains { $0.kind == .decoding })
    let handler = record.spans.first { !$0.joined.isEmpty }
    #expect(handler?.joined.count == 2 && handler?.name == "then")
  }

  @Test func aChainOfTasksHasItsCauses() async throws {
    let (client, trace) = (client(), Trace("tasks"))
    try await trace.run {
      let ids = try await client.request(.get("list")).decode([Int].self).value
      try await withThrowingTaskGroup(of: Void.self) { group in
        for id in ids {
          group.addTask { _ = try await client.request(.get("items/\(id)")).value }
        }
        try await group.waitForAll()
      }
      _ = try await client.request(.get("moved")).value
    }
    let (record, calls) = (trace.record, origins(trace.record))
    #expect(calls.count == 5 && record.isComplete)
    #expect(calls.filter { $0.hasSuffix(" < GET list") && $0.hasPrefix("GET items") }.count == 3)
    let last = calls.first { $0.hasPrefix("GET moved") } ?? ""
    #expect(last.contains("< GET items/") && last.hasSuffix("< GET list"))
  }

  @Test func segmentsOfANewConnectionAreInOrder() async throws {
    let (client, trace) = (client(), Trace("connection"))
    _ = try await trace.run { client.request(.get("large")) }.value
    let record = trace.record
    let kinds = record.spans[0].parts.map(\.kind).filter { $0 != .code }
    let order: [TraceSegment.Kind] = [
      .queue, .code, .dns, .connect, .tls, .send, .server, .receive,
    ]
    let positions = kinds.compactMap { order.firstIndex(of: $0) }
    #expect(positions == positions.sorted() && positions.count == kinds.count)
    #expect(kinds.contains(.server) && kinds.contains(.receive) && record.isComplete)
    guard case .call(let call) = record.spans[0].kind else { return #expect(Bool(false)) }
    #expect(call.hops.map(\.status) == [200] && call.hops[0].address == "127.0.0.1")
    #expect(call.hops[0].port == server.url.port)
  }

  @Test func aRedirectHasTwoHops() async throws {
    let (client, trace) = (client(), Trace("redirect"))
    _ = try await trace.run { client.request(.get("moved")) }.value
    guard case .call(let call) = trace.record.spans[0].kind else { return #expect(Bool(false)) }
    #expect(call.hops.map(\.status) == [302, 200] && call.hops.map(\.number) == [1, 2])
    #expect(call.hops.allSatisfy { $0.end != nil } && trace.record.isComplete)
  }

  @Test func aQueuedCallIsHeldByTheOneBefore() async throws {
    let (client, trace) = (client(.sync), Trace("queue"))
    _ = try await trace.run {
      when([1, 2, 3].map { client.request(.get("items/\($0)")) })
    }.value
    let record = trace.record
    #expect(record.isComplete)
    #expect(record.spans.map { $0.parts.first { $0.kind == .queue }?.heldBy } == [nil, 1, 2])
    #expect(record.cause == .span(3))
  }

  @Test func aCancelledCallEndsTheTrace() async throws {
    let (client, trace) = (client(), Trace("cancelled"))
    let promise = trace.run { client.request(.get("never")) }
    _ = await server.takeRequest().result
    promise.cancel()
    _ = await promise.result
    let record = trace.record
    #expect(record.ending == .cancelled && record.spans.map(\.outcome) == [.cancelled])
    #expect(record.isComplete)
  }

  @Test func aRefusedConnectionFailsTheTrace() async throws {
    let (client, trace) = (client(), Trace("refused"))
    server.stop()
    _ = await trace.run { client.request(.get("list")) }.result
    let record = trace.record
    #expect(record.ending == .failed("cannotConnect") && record.isComplete)
    #expect(record.spans.count == 1 && record.cause == .span(1))
  }
}
