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
    await TracedChain.expect(
      """
      1 GET a/100 200 <start 0-100: server 0-100
      2 task <1 100-100
      3 GET b/200 200 <2 100-300: server 100-300
      4 task <3 300-300
      300 <4 = 1 server 100, 3 server 200
      """
    ) { chain in
      let client = chain.client()
      try await chain.trace.run {
        _ = try await client.request(.get("a/100")).value
        _ = try await client.request(.get("b/200")).value
      }
    }
  }

  @Test func callsOfAsyncLetRunAtTheSameTime() async {
    await TracedChain.expect(
      """
      1 GET a/100 200 <start 0-100: server 0-100
      2 task <1 100-100
      3 GET b/200 200 <2 100-300: server 100-300
      4 GET c/300 200 <2 100-400: server 100-400
      5 task <4 400-400
      6 GET d/50 200 <5 400-450: server 400-450
      7 task <6 450-450
      450 <7 = 1 server 100, 4 server 300, 6 server 50
      """
    ) { chain in
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
    await TracedChain.expect(
      """
      1 GET b/100 200 <start 0-100: server 0-100
      2 GET a/300 200 <start 0-300: server 0-300
      3 task <2 300-300
      4 GET c/50 200 <3 300-350: server 300-350
      5 task <4 350-350
      350 <5 = 2 server 300, 4 server 50
      """
    ) { chain in
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
    await TracedChain.expect(
      """
      1 GET a/10 200 <start 0-10: server 0-10
      2 GET a/20 200 <start 0-20: server 0-20
      3 GET a/30 200 <start 0-30: server 0-30
      4 task <3 30-30
      5 GET b/5 200 <4 30-35: server 30-35
      6 task <5 35-35
      35 <6 = 3 server 30, 5 server 5
      """
    ) { chain in
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
    await TracedChain.expect(
      """
      1 GET a/10 200 <start 0-10: server 0-10
      2 GET a/20 200 <start 0-20: server 0-20
      3 GET a/30 200 <start 0-30: server 0-30
      4 task <1 10-10
      5 GET b/25 200 <4 10-35: server 10-35
      6 task <2 20-20
      7 GET b/35 200 <6 20-55: server 20-55
      8 task <3 30-30
      9 GET b/45 200 <8 30-75: server 30-75
      10 task <9 75-75
      11 GET c/5 200 <10 75-80: server 75-80
      12 task <11 80-80
      80 <12 = 3 server 30, 9 server 45, 11 server 5
      """
    ) { chain in
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
    await TracedChain.expect(
      """
      1 GET a/10 200 <start 0-10: server 0-10
      2 GET b/25 200 <start 0-25: server 0-25
      3 GET d/50 200 <start 0-50: server 0-50
      4 task <2 25-25
      5 GET c/40 200 <4 25-65: server 25-65
      6 task <5 65-65
      7 GET e/5 200 <6 65-70: server 65-70
      8 task <7 70-70
      70 <8 = 2 server 25, 5 server 40, 7 server 5
      """
    ) { chain in
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
    await TracedChain.expect(
      """
      1 GET a/20 200 <start 0-20: server 0-20
      2 task <1 20-20
      3 GET b/30 200 <2 20-50: server 20-50
      4 task <3 50-50
      5 GET c/40 200 <4 50-90: server 50-90
      6 task <5 90-90
      7 GET d/5 200 <6 90-95: server 90-95
      8 task <7 95-95
      95 <8 = 1 server 20, 3 server 30, 5 server 40, 7 server 5
      """
    ) { chain in
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
    await TracedChain.expect(
      """
      1 GET a/20 200 <start 0-20: server 0-20
      2 task <1 20-20
      3 timer <2 20-90
      4 task <3 90-90
      5 GET b/30 200 <4 90-120: server 90-120
      6 task <5 120-120
      120 <6 = 1 server 20, 3 timer 70, 5 server 30
      """
    ) { chain in
      let client = chain.client()
      try await chain.trace.run {
        _ = try await client.request(.get("a/20")).value
        try await chain.time.sleep(for: .milliseconds(70))
        _ = try await client.request(.get("b/30")).value
      }
    }
  }

  @Test func theFirstOfAGroupCancelsTheOthers() async {
    await TracedChain.expect(
      """
      1 GET a/300 cancelled <start 0-40: server 0-40
      2 GET b/40 200 <start 0-40: server 0-40
      3 task <2 40-40
      4 task <3 40-40
      5 GET c/10 200 <4 40-50: server 40-50
      6 task <5 50-50
      50 <6 = 2 server 40, 5 server 10
      """
    ) { chain in
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
    await TracedChain.expect(
      """
      1 GET a/20 200 <start 0-20: server 0-20
      2 task <1 20-20
      3 GET b/30 failed(the connection was lost: mocked) <2 20-50: server 20-50
      4 task <3 50-50
      50 failed(connectionLost) <4 = 1 server 20, 3 server 30
      """
    ) { chain in
      let client = chain.client { path, _ in path == "b/30" ? Mock.failure(.connectionLost) : nil }
      try await chain.trace.run {
        _ = try await client.request(.get("a/20")).value
        _ = try await client.request(.get("b/30")).value
        _ = try await client.request(.get("never/10")).value
      }
    }
  }

  @Test func aCancelledTaskEndsItsCall() async {
    await TracedChain.expect(
      """
      1 GET a/20 200 <start 0-20: server 0-20
      2 task <1 20-20
      3 GET b/300 cancelled <2 20-70: server 20-70
      4 task <?2 70-70
      70 cancelled <4 = 1 server 20, - unknown 50
      """
    ) { chain in
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
    await TracedChain.expect(
      """
      1 GET a/20 200 <start 0-20: server 0-20
      2 task <1 20-20
      3 GET b/30 200 <2 20-50: server 20-50
      4 task <3 50-50
      5 GET c/10 200 <4 50-60: server 50-60
      6 task <5 60-60
      60 <6 = 1 server 20, 3 server 30, 5 server 10
      """
    ) { chain in
      let client = chain.client()
      let screen = Screen(client)
      try await chain.trace.run {
        try await screen.load()
        _ = try await client.request(.get("c/10")).value
      }
    }
  }

  @Test func codeOfTheMainActorBelongsToItsTask() async {
    await TracedChain.expect(
      """
      1 GET a/20 200 <start 0-20: server 0-20
      2 task <1 20-20
      3 GET b/30 200 <2 20-50: server 20-50
      4 then <3 50-50
      5 GET c/40 200 <4 50-90: server 50-90
      6 task <5 90-90
      90 <6 = 1 server 20, 3 server 30, 5 server 40
      """
    ) { @MainActor chain in
      let client = chain.client()
      try await chain.trace.run {
        _ = try await client.request(.get("a/20")).value
        _ = try await client.request(.get("b/30")).then { _ in client.request(.get("c/40")) }.value
      }
    }
  }

  @Test func promisesOfTasksAndTasksOfPromisesMix() async {
    await TracedChain.expect(
      """
      1 GET a/20 200 <start 0-20: server 0-20
      2 task <1 20-20
      3 GET b/30 200 <2 20-50: server 20-50
      4 task <3 50-50
      5 then <4 50-50
      6 GET c/40 200 <5 50-90: server 50-90
      90 <6 = 1 server 20, 3 server 30, 6 server 40
      """
    ) { chain in
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
    await TracedChain.expect(
      """
      1 GET 1/20 200 <start 0-20: server 0-20
      2 task <1 20-20
      3 GET http://api.test/2/10 200 <2 20-30: server 20-30
      4 task <3 30-30
      5 GET http://api.test/3/20 200 <4 30-50: server 30-50
      6 task <5 50-50
      7 task <6 50-50
      8 GET 9/5 200 <7 50-55: server 50-55
      9 task <8 55-55
      55 <9 = 1 server 20, 3 server 10, 5 server 20, 8 server 5
      """
    ) { chain in
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
    await TracedChain.expect(
      """
      1 GET a/20 200 <start 0-20: server 0-20
      2 task <1 20-50
      3 GET b/40 200 <2 50-90: server 50-90
      4 task <3 90-90
      90 <4 = 1 server 20, 2 code 30, 3 server 40
      """
    ) { chain in
      let client = chain.client()
      try await chain.trace.run { _ = try await client.request(.get("a/20")).value }
      try await chain.time.sleep(for: .milliseconds(30))
      try await chain.trace.run { _ = try await client.request(.get("b/40")).value }
    }
  }

  @Test func twoTracesRecordTheirOwnCalls() async {
    let other = Trace("other")
    await TracedChain.expect(
      """
      1 GET a/20 200 <start 0-20: server 0-20
      2 task <1 20-20
      3 GET b/30 200 <2 20-50: server 20-50
      4 task <3 50-50
      50 <4 = 1 server 20, 3 server 30
      """
    ) { chain in
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

  @Test func anInnerTraceIsASpanOfTheOuterOne() async {
    let inner = Trace("inner")
    await TracedChain.expect(
      """
      1 GET a/20 200 <start 0-20: server 0-20
      2 task <1 20-20
      3 trace inner <2 20-50
      4 GET c/40 200 <3 50-90: server 50-90
      5 task <4 90-90
      90 <5 = 1 server 20, 3 code 30, 4 server 40
      """
    ) { chain in
      let client = chain.client()
      try await chain.trace.run {
        _ = try await client.request(.get("a/20")).value
        try await inner.run { _ = try await client.request(.get("b/30")).value }
        _ = try await client.request(.get("c/40")).value
      }
    }
    #expect(inner.record.spans.count == 2)
  }

  @Test func workAfterTheEndIsNotRecorded() async {
    await TracedChain.expect(
      """
      1 GET a/20 200 <start 0-20: server 0-20
      2 task <1 20-20
      20 <2 = 1 server 20
      """
    ) { chain in
      let client = chain.client()
      let task = try await chain.trace.run {
        let task = Task {
          try await chain.time.sleep(for: .milliseconds(50))
          return try await client.request(.get("b/30")).value
        }
        _ = try await client.request(.get("a/20")).value
        return task
      }
      _ = try await task.value
    }
  }

  @Test func anInlineHandlerThatIsAttachedOutsideIsNotRecorded() async {
    await TracedChain.expect(
      """
      1 GET a/20 200 <start 0-20: server 0-20
      20 <1 = 1 server 20
      """
    ) { chain in
      let client = chain.client()
      _ = try await chain.trace.run { client.request(.get("a/20")) }
        .then(on: .inline) { _ in client.request(.get("b/30")) }.value
    }
  }

  @Test func droppedEventsAreCounted() async {
    await TracedChain.expect(
      """
      1 GET a/10 200 <start 0-10: server 0-10
      2 task <1 10-10
      3 GET a/20 200 <2 10-30: unknown 10-30
      150 dropped 37 <- = 1 server 10, 3 unknown 20, - unknown 120
      """, limit: 12
    ) { chain in
      let client = chain.client()
      try await chain.trace.run {
        for delay in 1...5 { _ = try await client.request(.get("a/\(delay)0")).value }
      }
    }
  }

  @Test func theTimeOfADetachedTaskIsCodeOfTheOneThatAwaitsIt() async {
    await TracedChain.expect(
      """
      1 GET a/20 200 <start 0-20: server 0-20
      2 task <1 20-50
      3 GET b/40 200 <2 50-90: server 50-90
      4 task <3 90-90
      90 <4 = 1 server 20, 2 code 30, 3 server 40
      """
    ) { chain in
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
