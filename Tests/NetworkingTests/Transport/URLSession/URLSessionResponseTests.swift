import Testing

@testable import Networking

struct ExchangeTimesTests {
  private let times = ExchangeTimeouts(connect: .seconds(30), idle: .seconds(60))

  private func due(_ times: ExchangeTimeouts, heard: Duration? = nil) -> ExchangeTimeouts.Deadline?
  {
    times.deadline(started: .seconds(100), lastActivity: heard)
  }

  @Test func withoutAConnectionBothTimeoutsMustExpire() {
    #expect(due(times) == .init(due: .seconds(190), phase: .idle))
    #expect(due(.init(idle: .seconds(60))) == .init(due: .seconds(160), phase: .idle))
    #expect(due(.init(connect: .seconds(30))) == nil)
  }

  @Test func sentBytesShowThatTheConnectionIsEstablished() {
    var times = times
    times.reportsConnect = true
    #expect(due(times) == .init(due: .seconds(130), phase: .connect))
    #expect(due(times, heard: .seconds(101)) == .init(due: .seconds(161), phase: .idle))
    times.connect = nil
    #expect(due(times) == .init(due: .seconds(160), phase: .idle))
  }

  @Test func theTotalTimeoutStartsWithTheExchange() {
    var times = times
    times.total = .seconds(65)
    #expect(due(times) == .init(due: .seconds(165), phase: .attempt))
    #expect(due(times, heard: .seconds(101)) == .init(due: .seconds(161), phase: .idle))
    #expect(due(times, heard: .seconds(110)) == .init(due: .seconds(165), phase: .attempt))
    #expect(due(.init(total: .seconds(1))) == .init(due: .seconds(101), phase: .attempt))
    #expect(due(.init()) == nil)
  }
}

struct SetCookieValuesTests {
  @Test(arguments: [
    ["a=1"], ["a=1; Path=/", "b=2"], [""], ["a=", "b="], ["no equals sign"],
    ["a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/", "b=2; Max-Age=3"],
    ["a=1; expires=Wed, 21-Oct-26 07:28:00 GMT", "__Host-b=x=y; Secure", "c=3"],
  ])
  func joinedValuesAreSplit(_ values: [String]) {
    #expect(SetCookieValues.split(values.joined(separator: ", ")) == values)
    #expect(SetCookieValues.split(values.joined(separator: ",")) == values)
  }
}
