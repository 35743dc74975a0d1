import CatenaTesting
import Foundation
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct VirtualTimeTraitTests {
  private static let slow = Mock.text("late").delayed(by: .seconds(30))

  /// The code under test, which creates its own client.
  private func text() -> Promise<String> {
    Networking<Request>().request(.get("https://api.example.com/")).toString()
  }

  @Test(.virtualTime) func promisesUseTheTimeOfTheTest() async {
    let late = after(.seconds(30)).map { "late" }
    await Test.virtualTime.advance(by: .seconds(29))
    #expect(late.isPending)
    await Test.virtualTime.advance(by: .seconds(1))
    #expect(late.fulfilledValue == "late")
    #expect(TestScheduler.current === Test.virtualTime)
  }

  @Test(.virtualTime, arguments: 0..<3)
  func eachTestCaseStartsAtZero(_ round: Int) async {
    #expect(Test.virtualTime.elapsed == .zero)
    await Test.virtualTime.advance(by: .seconds(1))
  }

  @Test(.virtualTime, .mocked { Route(.get, "/", slow) })
  func clientsAndMocksUseTheTimeOfTheTest() async {
    let text = text()
    await Test.virtualTime.advance(by: .seconds(29))
    #expect(text.isPending)
    await Test.virtualTime.advance(by: .seconds(1))
    #expect(text.fulfilledValue == "late")
  }

  @Test(.mocked { Route(.get, "/", slow) }, .virtualTime)
  func theOrderOfTheTraitsDoesNotMatter() async {
    let text = text()
    await Test.virtualTime.run()
    #expect(text.fulfilledValue == "late")
    #expect(Test.virtualTime.elapsed == .seconds(30))
  }

  @Test(.virtualTime) func aClientWithItsOwnProviderUsesTheTimeOfTheTest() async {
    let provider = MockProvider<Request>(delay: .seconds(30)) { _ in .text("late") }
    let text = Networking(mockProvider: provider).request(.get("https://a.example.com/")).toString()
    await Test.virtualTime.advance(by: .seconds(30))
    #expect(text.fulfilledValue == "late")
  }

  /// Created by the first of the tests that use it.
  private static let shared = MockProvider<Request>(delay: .seconds(30)) { _ in .text("late") }
  private static let sharedRoutes = MockProvider<Request>(
    routes: [Route(.get, "/", .text("late"))], delay: .seconds(30))
  private static let sharedTransport = MockTransport(delay: .seconds(30)) {
    Route(.get, "/") { _ in .text("late") }
  }

  @Test(.virtualTime, arguments: 0..<4)
  func mocksThatSeveralTestsShareUseTheTimeOfEachTest(_ round: Int) async {
    let clients: [Networking<Request>] = [
      Networking(mockProvider: Self.shared), Networking(mockProvider: Self.sharedRoutes),
      Networking(transport: Self.sharedTransport),
    ]
    let texts = clients.map { $0.request(.get("https://a.example.com/")).toString() }
    await Test.virtualTime.advance(by: .seconds(29))
    #expect(texts.allSatisfy { $0.isPending })
    await Test.virtualTime.advance(by: .seconds(1))
    #expect(texts.map(\.fulfilledValue) == ["late", "late", "late"])
    #expect(Test.virtualTime.elapsed == .seconds(30))
  }

  @Suite(.mocked { Route(.get, "/", slow) }, .virtualTime)
  struct SuiteTests {
    @Test func theTraitsOfASuiteApplyToItsTests() async {
      let text = VirtualTimeTraitTests().text()
      await Test.virtualTime.advance(by: .seconds(30))
      #expect(text.fulfilledValue == "late")
    }

    @Test func eachTestOfASuiteStartsAtZero() async {
      #expect(Test.virtualTime.elapsed == .zero)
      await Test.virtualTime.advance(by: .seconds(1))
    }
  }
}
