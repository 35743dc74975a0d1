import TestGate
import Testing

@testable import Networking

@Suite(.gated)
struct ExchangeTimeoutsTests {
  private let timeouts = ExchangeTimeouts(connect: .seconds(30), idle: .seconds(60))

  private func deadline(
    _ timeouts: ExchangeTimeouts, active lastActivity: Duration? = nil
  ) -> ExchangeTimeouts.Deadline? {
    timeouts.deadline(started: .seconds(100), lastActivity: lastActivity)
  }

  @Test func withoutAConnectionBothTimeoutsMustExpire() {
    #expect(deadline(timeouts) == .init(due: .seconds(190), phase: .idle))
    #expect(deadline(.init(idle: .seconds(60))) == .init(due: .seconds(160), phase: .idle))
    #expect(deadline(.init(connect: .seconds(30))) == nil)
  }

  @Test func sentBytesShowThatTheConnectionIsEstablished() {
    var timeouts = timeouts
    timeouts.reportsConnect = true
    #expect(deadline(timeouts) == .init(due: .seconds(130), phase: .connect))
    #expect(deadline(timeouts, active: .seconds(101)) == .init(due: .seconds(161), phase: .idle))
    timeouts.connect = nil
    #expect(deadline(timeouts) == .init(due: .seconds(160), phase: .idle))
  }

  @Test func theTotalTimeoutStartsWithTheExchange() {
    var timeouts = timeouts
    timeouts.total = .seconds(65)
    #expect(deadline(timeouts) == .init(due: .seconds(165), phase: .attempt))
    #expect(deadline(timeouts, active: .seconds(101)) == .init(due: .seconds(161), phase: .idle))
    #expect(deadline(timeouts, active: .seconds(110)) == .init(due: .seconds(165), phase: .attempt))
    #expect(deadline(.init(total: .seconds(1))) == .init(due: .seconds(101), phase: .attempt))
    #expect(deadline(.init()) == nil)
  }
}

@Suite(.gated)
struct SetCookieValuesTests {
  @Test(arguments: [
    ["a=1"], ["a=1; Path=/", "b=2"], [""], ["a=", "b="], ["no equals sign"],
    ["😀=1; Path=/", "e\u{301}\u{301}=2", "\u{301}=3"],
    ["a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/", "b=2; Max-Age=3"],
    ["a=1; expires=Wed, 21-Oct-26 07:28:00 GMT", "__Host-b=x=y; Secure", "c=3"],
    ["😀=1; Path=/", "a=1; 😀=1", "e\u{301}=2; Path=/"],
  ])
  func joinedValuesAreSplit(_ values: [String]) {
    #expect(SetCookieValues.split(values.joined(separator: ", ")) == values)
    #expect(SetCookieValues.split(values.joined(separator: ",")) == values)
  }

  /// In quadratic time this would take hours.
  @Test func aMebibyteOfCommasIsSplit() {
    let value = "a=1" + String(repeating: ",", count: 1 << 20)
    #expect(SetCookieValues.split(value) == [value])
  }
}
