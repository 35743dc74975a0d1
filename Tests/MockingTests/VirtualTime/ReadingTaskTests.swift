import Foundation
import Mocking
import NetworkingStreams
import TestGate
import TestSupport
import Testing

/// Virtual time waits for tasks that read the sequences of a client.
///
/// Each test is repeated, because a race would not occur each time.
@Suite(.gated)
struct ReadingTaskTests {
  /// A model of an app that reads a sequence in a task.
  @MainActor private final class Model {
    var arrivals: [Duration] = []
    private var task: Task<Void, any Error>?

    func read(_ sequence: some AsyncSequence & Sendable, _ time: TestScheduler) {
      task = Task {
        for try await _ in sequence { arrivals.append(time.elapsed) }
      }
    }
  }

  private static let repetitions = 0..<25

  private static func client(_ mock: @escaping @Sendable () -> Mock) -> Networking<Request> {
    Networking(mockProvider: MockProvider<Request> { _ in mock() })
  }

  private static let endpoint = Request.get("https://a.example.com/")

  @MainActor @Test(arguments: repetitions)
  func eachServerSentEventIsReadAtItsTime(_: Int) async throws {
    await withVirtualTime { time in
      let client = Self.client { .events(["a", "b", "c"], every: .seconds(5)) }
      let clock = after(.seconds(3600))
      let model = Model()
      model.read(client.events(of: Self.endpoint, .retry(.never)), time)
      for count in 1...3 {
        await time.advance(by: .seconds(count == 1 ? 0 : 5))
        #expect(model.arrivals.count == count)
      }
      #expect(model.arrivals == [.zero, .seconds(5), .seconds(10)])
      #expect(clock.isPending)
    }
  }

  @MainActor @Test(arguments: repetitions)
  func eachLineIsReadAtItsTimeInOneAdvance(_: Int) async throws {
    await withVirtualTime { time in
      let client = Self.client { .lines([1, 2, 3, 4], every: .milliseconds(10)) }
      let model = Model()
      model.read(client.lines(of: Self.endpoint), time)
      await time.advance(by: .seconds(60))
      #expect(model.arrivals == [0, 10, 20, 30].map { .milliseconds($0) })
    }
  }

  @MainActor @Test(arguments: repetitions)
  func eachPageIsReadAtItsTime(_: Int) async throws {
    await withVirtualTime { time in
      let client = Self.client { Mock.json([1]).delayed(by: .seconds(2)) }
      let model = Model()
      model.read(client.pages(of: Self.endpoint, next: .number("page"), limit: 3), time)
      await time.advance(by: .seconds(60))
      #expect(model.arrivals == [.seconds(2), .seconds(4), .seconds(6)])
    }
  }

  @MainActor @Test(arguments: 0..<100)
  func aPollingTaskSendsEachRequestAtItsTime(_: Int) async throws {
    try await withVirtualTime { time in
      let provider = MockProvider<Request> { _ in .text("x") }
      let client = Networking(mockProvider: provider)
      let model = Model()
      let task = Task { @MainActor in
        while true {
          _ = try await client.request(Self.endpoint).toString().value
          model.arrivals.append(time.elapsed)
          try await after(.seconds(30)).value
        }
      }
      _ = try await provider.takeRequest().value
      for count in 2...5 {
        await time.advance(by: .seconds(30))
        #expect(model.arrivals.count == count)
      }
      #expect(model.arrivals == [0, 30, 60, 90, 120].map { .seconds($0) })
      task.cancel()
    }
  }

  @MainActor @Test(arguments: repetitions)
  func eachEventOfACallIsReadAtItsTime(_: Int) async throws {
    await withVirtualTime { time in
      let client = Self.client { Mock.text("x").delayed(by: .seconds(2)) }
      let model = Model()
      model.read(client.events.filter(\.isFinal), time)
      let clock = after(.seconds(3600))
      for _ in 1...2 { client.request(Self.endpoint) }
      await time.advance(by: .seconds(2))
      #expect(model.arrivals == [.seconds(2), .seconds(2)])
      client.request(Self.endpoint)
      await time.advance(by: .seconds(2))
      #expect(model.arrivals == [.seconds(2), .seconds(2), .seconds(4)])
      #expect(clock.isPending)
    }
  }
}
