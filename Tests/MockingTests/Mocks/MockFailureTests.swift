import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking

/// Mocks that fail with an error of the test.
@Suite(.gated)
struct MockFailureTests {
  private enum ShopError: Error, Equatable {
    case soldOut(item: Int)
  }

  private func client(
    scheduler: any Scheduler = .live, _ mock: Mock
  ) -> (Networking<Request>, MockProvider<Request>) {
    let provider = MockProvider<Request>(scheduler: scheduler) { _ in mock }
    return (Networking(mockProvider: provider), provider)
  }

  private let request = Request.get("http://a/")

  @Test func theCallerReceivesTheErrorItself() async {
    let (networking, _) = client(.failure(ShopError.soldOut(item: 7)))
    let error = await networking.request(request).validate().toString().result.error
    #expect(error as? ShopError == .soldOut(item: 7))
  }

  @Test func aChainRecoversFromItsOwnErrorType() async throws {
    let (networking, _) = client(.failure(ShopError.soldOut(item: 7)))
    let text = networking.request(request).toString()
      .recover(ShopError.self) { error in "recovered from \(error)" }
    #expect(try await text.value == "recovered from soldOut(item: 7)")
  }

  @Test func aNetworkErrorArrivesUnchanged() async {
    let mocked = NetworkError(.tlsUntrusted, "a test", attempts: 3)
    let (networking, provider) = client(.failure(mocked))
    let error = await networking.request(request).result.failure(as: NetworkError.self)
    #expect(error?.code == .tlsUntrusted)
    #expect(error?.reason == "a test")
    #expect(error?.attempts == 3)
    #expect(provider.journal.entries.map(\.outcome) == [.failure(.tlsUntrusted)])
  }

  @Test func aCancellationErrorCancelsTheRequest() async {
    let (networking, _) = client(.failure(CancellationError()))
    #expect(await networking.request(request).result.error is CancellationError)
  }

  @Test func theDelayOfTheMockApplies() async {
    let time = TestScheduler()
    let mock = Mock.failure(ShopError.soldOut(item: 7)).delayed(by: .seconds(30))
    let (networking, _) = client(scheduler: time, mock)
    let response = networking.request(request)
    await time.advance(by: .seconds(29))
    #expect(response.isPending)
    await time.advance(by: .seconds(1))
    #expect(response.rejectionError is ShopError)
  }

  @Test func aSequenceFailsOnceAndThenResponds() async throws {
    let (networking, _) = client(.sequence(.failure(ShopError.soldOut(item: 7)), .text("a")))
    #expect(await networking.request(request).result.error is ShopError)
    #expect(try await networking.request(request).toString().value == "a")
  }

  @Test func theJournalHasTheTypeOfTheError() async {
    let (networking, provider) = client(.failure(ShopError.soldOut(item: 7)))
    _ = await networking.request(request).result
    #expect(provider.journal.entries.map(\.outcome) == [.error(type: "ShopError")])
    #expect(provider.journal.entries.first?.description == "1. GET /, failed: ShopError")
  }

  @Test func aMonitorReceivesAFailureWithoutACode() async {
    let (networking, _) = client(.failure(ShopError.soldOut(item: 7)))
    let monitor = RecordingMonitor()
    networking.addMonitor(monitor)
    _ = await networking.request(request).result
    let last = await monitor.events(ofCalls: 1).last?.kind
    let failure = NetworkEvent.Failure(code: nil, description: "soldOut(item: 7)")
    #expect(last == .failed(failure))
  }

  @Test func aServerRespondsWithTheTypeOfTheError() {
    let mock = Mock.failure(ShopError.soldOut(item: 7)).delayed(by: .seconds(2)).serverMock
    #expect(mock.status == 500)
    #expect(mock.delay == .seconds(2))
    guard case .data(let data) = mock.body else { return #expect(Bool(false), "no body") }
    #expect(
      String(decoding: data, as: UTF8.self) == "a server cannot cause the failure ShopError\n")
    let lost = Mock.failure(NetworkError(.connectionLost)).serverMock
    #expect(lost.interruption == .init(fault: .reset, stage: .head(afterBytes: 17)))
  }
}
