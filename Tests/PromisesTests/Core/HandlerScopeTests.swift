import TestGate
import TestSupport
import Testing

@testable import Promises

/// The value, the mark and the time of a scope are independent of each other.
@Suite(.gated)
struct HandlerScopeTests {
  private static var contents: String {
    let scope = HandlerScope.innermost
    let time = scope?.time == nil ? "no time" : "time"
    return "\(scope?.value as? Int ?? 0) \(scope?.mark as? String ?? "none") \(time)"
  }

  private static func checkNestedScopes() {
    HandlerScope(1).run {
      #expect(contents == "1 none time")
      HandlerScope(mark: "a").run {
        #expect(contents == "1 a time")
        HandlerScope(2).run { #expect(contents == "2 a time") }
        HandlerScope(mark: "b").run { #expect(contents == "1 b time") }
      }
      #expect(contents == "1 none time")
    }
  }

  @Test func aScopeKeepsTheOtherContentsOfItsOuterScope() async {
    await withVirtualTime { _ in Self.checkNestedScopes() }
    await HandlerScope(mark: "a").run {
      await withVirtualTime { _ in #expect(Self.contents == "0 a time") }
    }
    #expect(Self.contents == "0 none no time")
  }

  private static func contentsOfLateHandler(_ start: Promise<Void>) -> Promise<String> {
    HandlerScope(mark: "a").run {
      start.then(on: .background) { start.then(on: .main) { contents } }
    }
  }

  @Test func aMarkReachesHandlersThatAreAttachedInHandlers() async throws {
    let (start, resolver) = Promise<Void>.pending()
    let inside = Self.contentsOfLateHandler(start)
    let outside = start.then(on: .background) { Self.contents }
    resolver.fulfill(())
    #expect(try await inside.value == "0 a no time")
    #expect(try await outside.value == "0 none no time")
  }
}
