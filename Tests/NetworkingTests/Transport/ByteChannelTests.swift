import Foundation
import TestGate
import TestSupport
import Testing

@testable import Networking

@Suite(.gated) struct ByteChannelTests {
  /// Two readers start before the first byte.
  ///
  /// One of them waits, the other one gets an error at
  /// once, so that no reader waits for ever.
  @Test func aSecondReaderGetsAnErrorAndTheFirstOneTheBytes() async throws {
    let channel = ByteChannel(FlowControl())
    let results = await withTaskGroup(of: Result<Data?, any Error>.self) { group in
      for _ in 0..<2 {
        group.addTask {
          do { return .success(try await channel.next()) } catch { return .failure(error) }
        }
      }
      var results: [Result<Data?, any Error>] = []
      for await result in group {
        results.append(result)
        channel.write(Data("a".utf8))
      }
      return results
    }
    #expect((results[0].failure as? NetworkError)?.code == .alreadyRead)
    #expect(try results[1].get() == Data("a".utf8))
  }

  @Test(arguments: [false, true])
  func stoppingDiscardsTheUnreadBytes(_ hasEnded: Bool) async {
    let channel = ByteChannel(FlowControl())
    channel.write(Data("a".utf8))
    if hasEnded { channel.end(TransportMetrics(), [:]) }
    channel.stop(TestError("stopped"))
    await #expect(throws: TestError("stopped")) { try await channel.next() }
  }
}

extension Result {
  fileprivate var failure: (any Error)? {
    if case .failure(let error) = self { error } else { nil }
  }
}
