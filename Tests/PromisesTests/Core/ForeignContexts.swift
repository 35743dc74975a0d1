import Promises
import TestSupport
import Testing

/// Contexts of others' making, which may do what they please with a handler.
@Suite(.timeLimit(.minutes(10)))
struct ForeignContexts {
  private let twice = ExecutionContext.custom { handler in
    handler()
    handler()
  }

  @Test func aStepRunsOnceEvenWhereItsContextRunsItTwice() async throws {
    let log = Log<Int>()
    let next = Promise.fulfilled(1).then(on: twice) { value -> Promise<Int> in
      log.append(value)
      return .fulfilled(value)
    }
    #expect(try await next.value == 1)
    #expect(log.entries == [1])
  }

  @Test func oneThatRunsHandlersAtOnceOverflowsNoStack() async throws {
    let atOnce = ExecutionContext.custom { handler in handler() }
    let result = Log<Int>()
    await onThread(stackSize: 512 * 1024) {
      let (promise, resolver) = Promise<Int>.pending()
      var last = promise
      for _ in 0..<20_000 { last = last.then(on: atOnce) { $0 + 1 } }
      last.done(on: .inline) { result.append($0) }
      resolver.fulfill(0)
    }
    #expect(result.entries == [20_000])
  }
}
