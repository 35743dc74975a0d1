import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking

@Suite(.gated)
struct PollerTests {
  /// A server that waits to send would otherwise receive more than its limit.
  @Test func aSocketIsReportedOnlyForTheDirectionThatIsWatched() throws {
    let ends = try #require(LoopbackSocket.makePair())
    defer { for end in [ends.0, ends.1] { close(end) } }
    // From now on, the socket is both readable and writable.
    try #require(write(ends.1, "x", 1) == 1)
    let poller = try Poller()
    defer { poller.close() }
    var events = Poller.noEvents
    var reports: [(token: UInt64, readiness: Readiness)] = []

    poller.watch(ends.0, for: .writable, as: 7)
    poller.wait(&events) { reports.append(($0, $1)) }
    poller.change(ends.0, to: .readable, as: 7)
    poller.wait(&events) { reports.append(($0, $1)) }

    #expect(reports.map(\.token) == [7, 7])
    #expect(reports.map { $0.readiness.contains(.writable) } == [true, false])
    #expect(reports.map { $0.readiness.contains(.readable) } == [false, true])
  }

  #if os(Linux)
    @Test func anEndedPeerIsAHangupWithoutReadability() throws {
      let ends = try #require(LoopbackSocket.makePair())
      defer { for end in [ends.0, ends.1] { close(end) } }
      try #require(shutdown(ends.1, Int32(SHUT_WR)) == 0)
      let poller = try Poller()
      defer { poller.close() }
      var events = Poller.noEvents
      var reports: [Readiness] = []
      poller.watch(ends.0, for: .hangup, as: 7)
      poller.wait(&events) { reports.append($1) }
      #expect(reports == [.hangup])
      #expect(!reports[0].contains(.readable) && !reports[0].contains(.broken))
    }
  #endif
}
