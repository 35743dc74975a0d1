import Foundation
import Mocking
import TestGate
import TestSupport
import Testing

/// A client with delayed mocks in virtual time, controlled by `advance` only.
@Suite(.gated)
struct VirtualTimeTests {
  private enum API: RequestConvertible {
    case item(Int)

    static let baseURL: URL? = URL(string: "https://api.example.com/")

    var request: Request {
      switch self {
      case .item(let number): .get("items/\(number)")
      }
    }
  }

  private let time = TestScheduler()
  private let log = Log<String>()

  private func client(
    _ mode: RequestMode = .async, delay: @escaping @Sendable (Int) -> Duration
  ) -> Networking<API> {
    let provider = MockProvider<API>(scheduler: time) { endpoint in
      switch endpoint {
      case .item(let number): .text("\(number)").delayed(by: delay(number))
      }
    }
    var configuration = NetworkingConfiguration()
    configuration.idleTimeout = nil
    return Networking(mode: mode, mockProvider: provider, configuration: configuration)
  }

  /// Requests items and logs the time of each response.
  private func request(_ networking: Networking<API>, _ numbers: some Sequence<Int>) {
    for number in numbers {
      networking.request(.item(number)).toString()
        .done { [log, time] text in log.append("\(text) at \(time.now)") }
        .fail { [log] error in log.append("\(error)") }
    }
  }

  @Test func aResponseArrivesExactlyAtItsTime() async {
    request(client { _ in .seconds(30) }, [1])
    await time.advance(by: .seconds(29))
    #expect(log.entries == [])
    await time.advance(by: .seconds(1))
    #expect(log.entries == ["1 at 30.0 seconds"])
  }

  @Test func aThousandResponsesArriveInTimeOrder() async {
    request(client { .seconds(2_000 - $0) }, 0..<1_000)
    await time.run()
    #expect(log.entries == (0..<1_000).reversed().map { "\($0) at \(2_000 - $0).0 seconds" })
  }

  @Test func responsesOfEqualTimesArriveInRequestOrder() async {
    request(client { _ in .seconds(1) }, 0..<1_000)
    await time.run()
    #expect(log.entries == (0..<1_000).map { "\($0) at 1.0 seconds" })
  }

  @Test func aSerialQueueTakesTheSumOfItsTimes() async {
    request(client(.sync) { _ in .seconds(10) }, 1...50)
    await time.advance(by: .seconds(500))
    #expect(log.entries == (1...50).map { "\($0) at \($0 * 10).0 seconds" })
  }

  @Test func aQueueOfThreeTakesAThirdOfTheSum() async {
    request(client(.limited(3)) { _ in .seconds(10) }, 1...9)
    await time.advance(by: .seconds(20))
    #expect(log.entries.count == 6)
    await time.advance(by: .seconds(10))
    #expect(log.entries.count == 9)
  }

  @Test func aChainOfDependentRequestsTakesTheSumOfItsTimes() async {
    let networking = client { _ in .seconds(5) }
    networking.request(.item(1))
      .then { _ in networking.request(.item(2)) }
      .then { _ in networking.request(.item(3)) }
      .done { [log, time] _ in log.append("\(time.now)") }
    await time.run()
    #expect(log.entries == ["15.0 seconds"])
  }

  @Test func virtualTimePassesWhileAQueueIsSuspended() async {
    let networking = client { _ in .seconds(5) }
    networking.suspend()
    request(networking, [1])
    await time.advance(by: .seconds(60))
    #expect(log.entries == [])
    networking.resume()
    await time.advance(by: .seconds(5))
    #expect(log.entries == ["1 at 65.0 seconds"])
  }

  @Test func aCancelledRequestDoesNotBlockVirtualTime() async {
    let networking = client(.sync) { _ in .seconds(5) }
    request(networking, [1])
    let second = networking.request(.item(2))
    request(networking, [3])
    second.cancel()
    await time.advance(by: .seconds(10))
    #expect(log.entries == ["1 at 5.0 seconds", "3 at 10.0 seconds"])
  }

  @Test func aStalledMockTimesOutLikeARealServer() async {
    let networking = Networking<API>(
      mockProvider: MockProvider(delay: .seconds(61), scheduler: time) { _ in .status(200) })
    let response = networking.request(.item(1))
    await time.advance(by: .seconds(60))
    #expect((response.rejectionError as? NetworkError)?.code == .timedOut(.idle))
  }

  @Test func deadlinesUseTheTimeOfTheProvider() async {
    var configuration = NetworkingConfiguration()
    configuration.callTimeout = .seconds(20)
    let networking = Networking<API>(
      mockProvider: MockProvider(delay: .seconds(30), scheduler: time) { _ in .status(200) },
      configuration: configuration)
    let response = networking.request(.item(1))
    await time.advance(by: .seconds(20))
    #expect((response.rejectionError as? NetworkError)?.code == .timedOut(.call))
    #expect(time.scheduledCount == 0)
  }

  // Without waiting for the file, most of these downloads would be timed out.
  @Test func timeWaitsUntilADownloadIsWritten() async throws {
    let folder = TemporaryFolder()
    var configuration = NetworkingConfiguration()
    configuration.callTimeout = .seconds(60)
    let networking = Networking<API>(
      mockProvider: MockProvider(scheduler: time) { _ in .text("film") },
      configuration: configuration)
    for number in 0..<100 {
      let download = networking.download(.item(number), to: folder.url("\(number)"))
      await time.run()
      #expect(try await download.value.status == 200)
    }
  }
}
