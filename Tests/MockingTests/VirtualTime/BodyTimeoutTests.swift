import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

/// The limit for the time in which a body arrives, in virtual time.
@Suite(.gated)
struct BodyTimeoutTests {
  private static let twoHours = 7_200

  private let time = TestScheduler()

  /// Makes a client of a server that sends a body of 7,200 bytes, one byte a second.
  private func client(
    _ status: Int = 200, _ change: (inout NetworkingConfiguration) -> Void = { _ in }
  ) throws -> Networking<Request> {
    let provider = MockProvider<Request>(scheduler: time) { _ in
      Mock(status: status, body: .data(Data(repeating: 0x61, count: Self.twoHours)))
        .dribbled(pieces: Self.twoHours, over: .seconds(Self.twoHours - 1))
    }
    var configuration = NetworkingConfiguration()
    change(&configuration)
    let client = Networking(mockProvider: provider, configuration: configuration)
    client.baseURL = URL(string: "https://api.example.com")
    client.callbackContext = .inline
    return client
  }

  private func result(_ promise: NetworkPromise) async -> (Result<Response, any Error>, Duration) {
    let end = Log<Duration>()
    let settled = promise.always(on: .inline) { [time] _ in end.append(time.elapsed) }
    await time.run()
    let result = await settled.result
    return (result, end.entries.first ?? .zero)
  }

  @Test func theSizeAndTheTimeOfABodyInMemoryAreLimitedByDefault() {
    let configuration = NetworkingConfiguration()
    #expect(configuration.maximumBodySize == 256 << 20)
    #expect(configuration.bodyTimeout == .seconds(1_800))
  }

  @Test func aBodyInMemoryAtOneByteASecondEndsAfterHalfAnHour() async throws {
    let (result, end) = await result(try client().request(.get("slow")))
    let error = try #require(result.failure(as: NetworkError.self))
    #expect(error.code == .timedOut(.attempt))
    #expect(error.reason == "the body took more than 1800.0 seconds")
    #expect(error.response?.status == 200 && error.body?.count == 1_801)
    #expect(end == .seconds(1_801))
  }

  @Test(arguments: [Duration?.none, .seconds(twoHours - 1)])
  func aLongerLimitOrNoneAllowsTheSameBody(_ limit: Duration?) async throws {
    let (result, end) = await result(try client { $0.bodyTimeout = limit }.request(.get("slow")))
    #expect(try result.get().data.count == Self.twoHours)
    #expect(end == .seconds(Self.twoHours - 1))
  }

  @Test func theWaitForTheResponseDoesNotCount() async throws {
    let provider = MockProvider<Request>(scheduler: time) { _ in
      .text("late").delayed(by: .seconds(Self.twoHours))
    }
    var configuration = NetworkingConfiguration()
    configuration.idleTimeout = nil
    let client = Networking(mockProvider: provider, configuration: configuration)
    client.baseURL = URL(string: "https://api.example.com")
    let (result, end) = await result(client.request(.get("poll")))
    #expect(try result.get().data == Data("late".utf8) && end == .seconds(Self.twoHours))
  }

  @Test func downloadsAreNotLimited() async throws {
    let folder = TemporaryFolder()
    let file = folder.url("slow")
    let (result, end) = await result(try client().download(.get("slow"), to: file))
    #expect(try result.get().status == 200 && end == .seconds(Self.twoHours - 1))
    #expect(try Data(contentsOf: file).count == Self.twoHours)
  }

  /// The body of a failure goes to memory, wherever that of a success would go.
  @Test func theBodyOfAFailedStreamIsLimited() async throws {
    let (result, end) = await result(try client(500).stream(.get("slow")))
    #expect(result.failure(as: NetworkError.self)?.code == .timedOut(.attempt))
    #expect(end == .seconds(1_801))
  }
}
