import Networking

@MainActor final class AsyncSteps {
  private var visits = 0

  func visit() async throws -> Int {
    visits += 1
    return visits
  }

  func visitTwice() -> Promise<Int> {
    Promise { try await self.visit() }.then { _ in try await self.visit() }
  }
}
