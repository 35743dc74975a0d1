import Foundation
import Promises
import TestGate
import Testing

@testable import Networking

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The rules of the transport for Apple platforms, which every platform compiles.
@Suite(.gated)
struct URLSessionRulesTests {
  // MARK: Suspension and resumption

  /// Returns the number of events that each call delivers.
  private func deliveries(
    _ calls: ((inout URLSessionExchangeMachine) -> [TransportEvent])...
  ) -> [Int] {
    var machine = URLSessionExchangeMachine(ExchangeTimeouts(), started: .zero)
    machine.suspend()
    return calls.map { $0(&machine).count }
  }

  private func suspend(_ machine: inout URLSessionExchangeMachine) -> [TransportEvent] {
    machine.suspend()
    return []
  }

  private func request(_ machine: inout URLSessionExchangeMachine) -> [TransportEvent] {
    machine.requestResumption()
    return []
  }

  private func receive(_ machine: inout URLSessionExchangeMachine) -> [TransportEvent] {
    machine.add(.body(Data([1])), at: .seconds(1))
  }

  private func resume(_ machine: inout URLSessionExchangeMachine) -> [TransportEvent] {
    machine.resumeIfRequested(at: .seconds(2))
  }

  @Test func aSuspensionWithdrawsTheResumptionBeforeIt() {
    #expect(deliveries(receive, request, suspend, resume, request, resume) == [0, 0, 0, 0, 0, 1])
  }

  @Test func aRepeatedResumptionHasNoEffect() {
    #expect(deliveries(receive, request, request, resume, resume) == [0, 0, 0, 1, 0])
    #expect(
      deliveries(receive, request, resume, request, suspend, receive, resume) == [
        0, 0, 1, 0, 0, 0, 0,
      ])
  }

  // MARK: Configurations

  @Test func theSystemsTimersDoNotCompeteWithTheLimitsOfTheConfiguration() {
    let configuration = URLSessionConfiguration.default
    configuration.timeoutIntervalForRequest = 7
    configuration.timeoutIntervalForResource = 20
    let limits = SessionTimeouts(configuration)
    #expect(limits.idle == .seconds(7) && limits.total == .seconds(20))
    let single = configuration.forSingleHop
    #expect(single.timeoutIntervalForRequest == 604_800)
    #expect(single.timeoutIntervalForResource == 604_800)
    #expect(configuration.timeoutIntervalForResource == 20)
  }

  @Test func backgroundSessionsAreRefused() {
    let refusal = SessionTimeouts.refusal(ofSession: "sync")
    #expect(refusal?.code == .unsupported)
    #expect(refusal?.detail.contains("the product NetworkingTransfers") == true)
    #expect(SessionTimeouts.refusal(ofSession: nil) == nil)
    #expect(SessionTimeouts(.default).refusal == nil)
  }

  // MARK: Logging

  private func messages(_ lines: [String]) -> [String] {
    StandardLogger.messages(
      NetworkLogEntry(
        level: .info, category: .request,
        event: NetworkEvent(.queued, callStart: Date(timeIntervalSince1970: 1_800_000_000)),
        lines: lines))
  }

  @Test func eachLineIsAMessage() {
    #expect(messages(["one", "two"]) == ["one", "two"])
  }

  @Test(arguments: [959, 960, 961, 1_920, 5_000]) func aLongLineIsDividedWithoutLoss(count: Int) {
    let line = String(repeating: "ü€a", count: count / 6) + String(repeating: "x", count: count % 6)
    let pieces = messages([line])
    #expect(pieces.joined() == line)
    #expect(pieces.allSatisfy { $0.utf8.count <= 960 })
    #expect(pieces.count <= count / 957 + 1)
  }
}
