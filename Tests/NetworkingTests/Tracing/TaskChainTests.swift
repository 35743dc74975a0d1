import Foundation
import Mocking
import Networking
import NetworkingStreams
import NetworkingTracing
import Promises
import TestGate
import Testing

/// Golden waterfalls of chains of tasks, in virtual time.
@Suite(.gated)
struct TaskChainTests {
  @Test func eachAwaitLetsTheNextCallBegin() async {
    await TracedChain.expect("") { chain in
      let client = chain.client()
      try await chain.trace.run {
        _ = try await client.request(.get("a/100")).value
        _ = try await client.request(.get("b/200")).value
      }
    }
  }

  @Test func callsOfAsyncLetRunAtTheSameTime() async {
    await TracedChain.expect("") { chain in
      let client = chain.client()
      try await chain.trace.run {
        _ = try await client.request(.get("a/100")).value
        async let b = client.request(.get("b/200")).value
        async let c = client.request(.get("c/300")).value
        _ = try await (b, c)
        _ = try await client.request(.get("d/50")).value
      }
    }
  }

  @Test func aShortAsyncLetAfterALongOneIsNotTheCause() async {
    await TracedChain.expect("") { chain in
      let client = chain.client()
      try await chain.trace.run {
        async let a = client.request(.get("a/300")).value
        async let b = client.request(.get("b/100")).value
        _ = try await b
        _ = try await a
        _ = try await client.request(.get("c/50")).value
      }
    }
  }

  @Test func theLastChildOfAGroupLetsItsParentContinue() async {
    await TracedChain.expect("") { chain in
      let client = chain.client()
      try await chain.trace.run {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for delay in [30, 10, 20] {
            group.addTask { _ = try await client.request(.get("a/\(delay)")).value }
          }
          try await group.waitForAll()
        }
        _ = try await client.request(.get("b/5")).value
      }
    }
  }

  @Test func childrenThatCallAgainHaveChainsOfTheirOwn() async {
    await TracedChain.expect("") { chain in
      let client = chain.client()
      try await chain.trace.run {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for (first, second) in [(30, 45), (10, 25), (20, 35)] {
            group.addTask {
              _ = try await client.request(.get("a/\(first)")).value
              _ = try await client.request(.get("b/\(second)")).value
            }
          }
          try await group.waitForAll()
        }
        _ = try await client.request(.get("c/5")).value
      }
    }
  }

  @Test func nestedGroupsJoinInTheirParents() async {
    await TracedChain.expect("") { chain in
      let client = chain.client()
      try await chain.trace.run {
        try await withThrowingTaskGroup(of: Void.self) { outer in
          outer.addTask {
            try await withThrowingTaskGroup(of: Void.self) { inner in
              inner.addTask { _ = try await client.request(.get("a/10")).value }
              inner.addTask { _ = try await client.request(.get("b/25")).value }
              try await inner.waitForAll()
            }
            _ = try await client.request(.get("c/40")).value
          }
          outer.addTask { _ = try await client.request(.get("d/50")).value }
          try await outer.waitForAll()
        }
        _ = try await client.request(.get("e/5")).value
      }
    }
  }

  @Test func aTaskOfItsOwnBelongsToTheTrace() async {
    await TracedChain.expect("") { chain in
      let client = chain.client()
      try await chain.trace.run {
        _ = try await client.request(.get("a/20")).value
        let task = Task {
          _ = try await client.request(.get("b/30")).value
          return try await client.request(.get("c/40")).value
        }
        _ = try await task.value
        _ = try await client.request(.get("d/5")).value
      }
    }
  }

  @Test func aSleepIsATimer() async {
    await TracedChain.expect("") { chain in
      let client = chain.client()
      try await chain.trace.run {
        _ = try await client.request(.get("a/20")).value
        try await chain.time.sleep(for: .milliseconds(70))
        _ = try await client.request(.get("b/30")).value
      }
    }
  }

  @Test func theFirstOfAGroupCancelsTheOthers() async {
    await TracedChain.expect("") { chain in
      let client = chain.client()
      try await chain.trace.run {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { _ = try await client.request(.get("a/300")).value }
          group.addTask { _ = try await client.request(.get("b/40")).value }
          try await group.next()
          group.cancelAll()
        }
        _ = try await client.request(.get("c/10")).value
      }
    }
  }

  @Test func aFailedCallEndsTheTrace() async {
    await TracedChain.expect("") { chain in
      let client = chain.client { path, _ in path == "b/30" ? Mock.failure(.connectionLost) : nil }
      try await chain.trace.run {
        _ = try await client.request(.get("a/20")).value
        _ = try await client.request(.get("b/30")).value
        _ = try await client.request(.get("never/10")).value
      }
    }
  }

  @Test func aCancelledTaskEndsItsCall() async {
    await TracedChain.expect("") { chain in
      let client = chain.client()
      let task = Task {
        try await chain.trace.run {
          _ = try await client.request(.get("a/20")).value
          _ = try await client.request(.get("b/300")).value
        }
      }
      try await chain.time.sleep(for: .milliseconds(70))
      task.cancel()
      _ = try await task.value
    }
  }

  private actor Screen {
    let client: Networking<Request>

    init(_ client: Networking<Request>) { self.client = client }

    func load() async throws {
      _ = try await client.request(.get("a/20")).value
      _ = try await client.request(.get("b/30")).value
    }
  }

  @Test func codeOfAnActorBelongsToItsTask() async {
    await TracedChain.expect("") { chain in
      let client = chain.client()
      let screen = Screen(client)
      try await chain.trace.run {
        try await screen.load()
        _ = try await client.request(.get("c/10")).value
      }
    }
  }

  @Test func codeOfTheMainActorBelongsToItsTask() async {
    await TracedChain.expect("") { @MainActor chain in
      let client = chain.client()
      try await chain.trace.run {
        _ = try await client.request(.get("a/20")).value
        _ = try await client.request(.get("b/30")).then { _ in client.request(.get("c/40")) }.value
      }
    }
  }

  @Test func promisesOfTasksAndTasksOfPromisesMix() async {
    await TracedChain.expect("") { chain in
      let client = chain.client()
      _ = try await chain.trace.run {
        Promise {
          _ = try await client.request(.get("a/20")).value
          return try await client.request(.get("b/30")).value
        }.then { _ in client.request(.get("c/40")) }
      }.value
    }
  }

  @Test func pagesAreRequestedOneAfterTheOther() async {
    await TracedChain.expect("") { chain in
      let client = chain.client { path, _ in
        let page = Int(path.split(separator: "/")[0]) ?? 0
        let mock = Mock.text("\(page)")
        return page < 3 ? mock.header("Link", "</\(page + 1)/\(page)0>; rel=next") : mock
      }
      try await chain.trace.run {
        for try await _ in client.pages(of: .get("1/20"), next: .link) {}
        _ = try await client.request(.get("9/5")).value
      }
    }
  }

  @Test func aTraceThatRunsTwiceHasBothOperations() async {
    await TracedChain.expect("") { chain in
      let client = chain.client()
      try await chain.trace.run { _ = try await client.request(.get("a/20")).value }
      try await chain.time.sleep(for: .milliseconds(30))
      try await chain.trace.run { _ = try await client.request(.get("b/40")).value }
    }
  }

  @Test func twoTracesRecordTheirOwnCalls() async {
    let other = Trace("other")
    await TracedChain.expect("") { chain in
      let client = chain.client()
      async let first: Void = chain.trace.run {
        _ = try await client.request(.get("a/20")).value
        _ = try await client.request(.get("b/30")).value
      }
      async let second: Void = other.run { _ = try await client.request(.get("c/40")).value }
      _ = try await (first, second)
    }
    #expect(other.record.spans.count == 2)
  }

  @Test func aTraceWithinATraceHasTheCalls() async {
    let inner = Trace("inner")
    await TracedChain.expect("") { chain in
      let client = chain.client()
      try await chain.trace.run {
        _ = try await client.request(.get("a/20")).value
        try await inner.run { _ = try await client.request(.get("b/30")).value }
        _ = try await client.request(.get("c/40")).value
      }
    }
    #expect(inner.record.spans.count == 2)
  }

  @Test func droppedSpansAreCounted() async {
    await TracedChain.expect("", limit: 12) { chain in
      let client = chain.client()
      try await chain.trace.run {
        for delay in 1...5 { _ = try await client.request(.get("a/\(delay)0")).value }
      }
    }
  }

  @Test func codeOfADetachedTaskIsUnknown() async {
    await TracedChain.expect("") { chain in
      let client = chain.client()
      try await chain.trace.run {
        _ = try await client.request(.get("a/20")).value
        let task = Task.detached { try await client.request(.get("hidden/30")).value }
        _ = try await task.value
        _ = try await client.request(.get("b/40")).value
      }
    }
  }
}
