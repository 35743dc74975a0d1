import Networking
import Promises
import TestGate
import TestSupport
import Testing

/// The call timeout includes the middleware.
@Suite(.gated)
struct MiddlewareDeadlineTests {
  private let time = TestScheduler()
  private let server = SwitchableServer(.responds(200))

  private func client(_ mode: RequestMode = .async) -> Networking<NotesAPI> {
    var configuration = NetworkingConfiguration()
    configuration.cookies = .none
    configuration.offline = .temporary
    configuration.callTimeout = .seconds(10)
    configuration.scheduler = time
    return Networking(mode: mode, transport: server.transport, configuration: configuration)
  }

  @Test func aStuckMiddlewareIsNamedAndFreesItsQueueSlot() async throws {
    let never = Promise<Void>.pending()
    let client = client(.sync)
    client.middleware = { _, _ in never.promise }
    let stuck = client.request(.list)
    client.middleware = nil
    let next = client.request(.list)
    await time.advance(by: .seconds(9))
    #expect(stuck.isPending && next.isPending)
    await time.advance(by: .seconds(1))
    let error = stuck.rejectionError as? NetworkError
    #expect(error?.code == .timedOut(.call) && error?.attempts == 0)
    #expect(
      error?.description
        == "GET notes: the call timed out: the middleware has not called back")
    #expect(next.fulfilledValue?.status == 200 && server.requests.count == 1)
    #expect(never.promise.isCancelled && time.scheduledCount == 0)
  }

  @Test func theTimeOfTheMiddlewareCountsAgainstTheCallTimeout() async throws {
    let client = client()
    server.behavior = .stalls
    client.middleware = { [time] _, _ in after(.seconds(6), scheduler: time) }
    let call = client.request(.list)
    await time.advance(by: .seconds(9))
    #expect(call.isPending && server.requests.count == 1)
    await time.advance(by: .seconds(1))
    let error = call.rejectionError as? NetworkError
    #expect(error?.code == .timedOut(.call) && error?.reason == nil && error?.attempts == 1)
  }

  @Test func aRequestWhoseMiddlewareUsesTheWholeTimeIsNotSent() async throws {
    let client = client()
    client.middleware = { [time] _, _ in after(.seconds(10), scheduler: time) }
    let call = client.request(.list)
    await time.advance(by: .seconds(10))
    #expect((call.rejectionError as? NetworkError)?.code == .timedOut(.call))
    #expect(server.requests.isEmpty)
  }

  @Test func theTimeoutOfTheRequestOverridesTheClients() async throws {
    let client = client()
    client.middleware = { [time] _, _ in after(.seconds(6), scheduler: time) }
    let short = client.request(NotesAPI.list, .timeout(.seconds(5)))
    let long = client.request(NotesAPI.list, .timeout(.seconds(60)))
    await time.advance(by: .seconds(6))
    #expect((short.rejectionError as? NetworkError)?.code == .timedOut(.call))
    #expect(long.fulfilledValue?.status == 200)
  }

  @Test func aSharedMiddlewarePromiseIsNotCancelled() async throws {
    let consent = Promise<Void>.pending()
    let client = client()
    client.middleware = { _, _ in consent.promise }
    let short = client.request(NotesAPI.list, .timeout(.seconds(5)))
    let long = client.request(.list)
    await time.advance(by: .seconds(5))
    #expect(!short.isPending && !consent.promise.isCancelled)
    consent.resolver.fulfill()
    #expect(try await long.value.status == 200)
  }

  @Test func anOfflineRequestIsStoredOnTimeout() async throws {
    let client = client()
    let never = Promise<Void>.pending()
    client.middleware = { _, _ in never.promise }
    let call = client.request(.add("a"))
    await time.advance(by: .seconds(10))
    let error = await call.result.failure(as: NetworkError.self)
    #expect(error?.code == .timedOut(.call) && error?.isStoredOffline == true)
    #expect(never.promise.isCancelled)
  }
}
