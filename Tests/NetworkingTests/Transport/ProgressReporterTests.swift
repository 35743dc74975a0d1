import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

@Suite(.gated)
struct ProgressReporterTests {
  @Test func anUnchangedProgressIsNotReported() {
    let reported = Log<Int64>()
    let reporter = ProgressReporter(on: .inline) { reported.append($0.sent.bytes) }
    for bytes: Int64 in [1, 1, 2, 2, 2, 1] {
      reporter.change { $0.sent = .init(bytes: bytes, total: 2) }
    }
    #expect(reported.entries == [1, 2, 1])
  }

  @Test func aSlowContextGetsTheLatestProgressOnly() {
    let reported = Log<Int64>()
    let scheduled = Log<@Sendable () -> Void>()
    let context = ExecutionContext.custom { scheduled.append($0) }
    let reporter = ProgressReporter(on: context) { reported.append($0.sent.bytes) }
    for bytes: Int64 in [1, 2, 3] { reporter.change { $0.sent.bytes = bytes } }
    for work in scheduled.entries { work() }
    reporter.change { $0.sent.bytes = 4 }
    for work in scheduled.entries.dropFirst() { work() }
    #expect(reported.entries == [3, 4])
  }

  @Test func theResponseIsNotReportedIfOnlyTheRequestIsWatched() {
    let reported = Log<TransferProgress>()
    let reporter = ProgressReporter(on: .inline, reportsResponse: false) { reported.append($0) }
    reporter.change { $0.sent = .init(bytes: 2, total: 2) }
    reporter.change { $0.received.total = 9 }
    reporter.change { $0.received.bytes = 9 }
    #expect(reported.entries == [TransferProgress(sent: .init(bytes: 2, total: 2))])
    // The next attempt starts at 0 again.
    reporter.begin()
    reporter.change { $0.sent = .init(bytes: 1, total: 2) }
    #expect(reported.entries.last == TransferProgress(sent: .init(bytes: 1, total: 2)))
  }
}
