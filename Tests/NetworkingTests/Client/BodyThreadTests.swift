import Foundation
import Mocking
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingStreams

/// Bodies over 16 KiB are not read on the threads of transports.
@Suite(.gated) struct BodyThreadTests {
  /// Returns whether it runs on a thread of a transport.
  private struct ThreadProbe: ResponseSerializing {
    func serialize(_ response: Response) -> Bool { TransportThread.isCurrent }
  }

  /// Returns a client over sockets.
  private func makeClient(of server: MockServer, isURLSession: Bool = false) -> Networking<Request>
  {
    let client = Networking<Request>(
      transport: isURLSession ? URLSessionTransport() : PlatformTransport.make(),
      configuration: .plain)
    client.baseURL = server.url
    return client
  }

  /// Returns a server that responds to `/a` when the resolver is fulfilled.
  private func makeServer() throws -> (MockServer, Resolver<Mock>) {
    let (response, resolver) = Promise<Mock>.pending()
    return (try MockServer { Route(.get, "/a") { _ in response } }, resolver)
  }

  @Test(arguments: [16_384, 16_385], [false, true])
  func aBodyIsReadOnTheThreadThatItsSizeAllows(size: Int, isURLSession: Bool) async throws {
    let (server, resolver) = try makeServer()
    defer { server.stop() }
    let client = makeClient(of: server, isURLSession: isURLSession)
    let promise = client.request(.get("/a"))
    let isOnThread = promise.serialize(using: ThreadProbe())
    let isOnThreadAfterValidation = promise.validate().serialize(using: ThreadProbe())
    // The steps are attached before there is a response.
    resolver.fulfill(.text(String(repeating: "a", count: size)))
    #expect(try await isOnThread.value == (size <= LargeBodies.limit))
    #expect(try await isOnThreadAfterValidation.value == (size <= LargeBodies.limit))
  }

  @Test func onlyAnOperationOfAnEventQueueRunsOnATransportThread() async {
    let other = OperationQueue()
    other.name = "Other"
    for (queue, isExpected) in [(TransportThread.eventQueue(), true), (other, false)] {
      let isCurrent = await withCheckedContinuation { continuation in
        queue.addOperation { continuation.resume(returning: TransportThread.isCurrent) }
      }
      #expect(isCurrent == isExpected)
    }
    #expect(!TransportThread.isCurrent)
  }

  /// The task of the reader decodes them, of whatever size.
  @Test(arguments: [10, 20_000], [false, true])
  func aRecordOfAStreamIsNotReadOnATransportThread(size: Int, isURLSession: Bool) async throws {
    struct Record: Decodable {
      let isOnThread: Bool
      init(from decoder: any Decoder) { isOnThread = TransportThread.isCurrent }
    }
    let value = JSON.string(String(repeating: "a", count: size))
    let server = try MockServer { Route(.get, "/a", .lines([[value], [value]])) }
    defer { server.stop() }
    let client = makeClient(of: server, isURLSession: isURLSession)
    var records: [Bool] = []
    for try await record in client.jsonLines(of: .get("/a"), as: Record.self) {
      records.append(record.isOnThread)
    }
    #expect(records == [false, false])
  }

  /// A response from memory does not arrive on a thread of a transport.
  @Test func aBodyOfAMockIsReadOnTheThreadThatSettlesThePromise() async throws {
    let text = String(repeating: "a", count: 20_000)
    let client = Networking<Request>(
      transport: MockTransport { Route(.get, "/a", .text(text)) }, configuration: .plain)
    client.baseURL = .of("https://a.example/")
    #expect(try await client.request(.get("/a")).toString().value == text)
  }

  @Test func aCancelledStepDoesNotReadALargeBody() async throws {
    struct Reader: ResponseSerializing {
      let reads: Log<Int>
      func serialize(_ response: Response) -> Int {
        reads.append(response.data.count)
        return response.data.count
      }
    }
    let (server, resolver) = try makeServer()
    defer { server.stop() }
    let client = makeClient(of: server)
    let reads = Log<Int>()
    let promise = client.request(.get("/a"))
    let cancelled = promise.serialize(using: Reader(reads: reads))
    let other = promise.serialize(using: Reader(reads: reads))
    cancelled.cancel()
    resolver.fulfill(.text(String(repeating: "a", count: 20_000)))
    #expect(try await other.value == 20_000)
    #expect(reads.entries == [20_000])
    let error = await #expect(throws: (any Error).self) { try await cancelled.value }
    #expect(error?.isCancellation == true)
  }
}
