import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

/// The limit for the time of a body, which is checked when bytes arrive.
@Suite(.gated)
struct LateBodyTests {
  private func result(_ scheduler: any Scheduler) async -> Result<Response, any Error> {
    let transport = FakeTransport { _ in .response(200, [:], "late") }
    // Every byte is late.
    let settings = ReceptionSettings(timeLimit: .seconds(-1), scheduler: scheduler)
    return await transport.perform(
      HTTPRequest(url: .of("https://a.example/")), Reception(settings: settings)
    ).result
  }

  @Test func bytesThatMayHaveArrivedDuringASuspensionHaveAGracePeriod() async throws {
    #expect(try await result(LiveScheduler.system).get().data == Data("late".utf8))
  }

  @Test func virtualTimeHasNoGracePeriod() async {
    let error = await result(TestScheduler()).failure(as: NetworkError.self)
    #expect(error?.code == .timedOut(.attempt))
  }
}
