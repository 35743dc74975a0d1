import Mocking
import TestSupport

extension Story {
  static let all: [Story] = [parallel, retries, deadlines, sequence, chains, throttled]

  static let parallel = Story(
    "parallel answers", order: ["a", "b", "c", "d", "e"], beats: 10
  ) { stage in
    let client = stage.client(answering: ["a": 2, "b": 4, "c": 6, "d": 8, "e": 10])
    for name in ["e", "d", "c", "b", "a"] { stage.ask(client, name) }
  }

  /// Attempts at 0, 2, 5 and 10, each answered after a beat, with waits of 1, 2 and 4 between.
  static let retries = Story(
    "retries with backoff",
    order: ["attempt 1", "attempt 2", "attempt 3", "meanwhile", "attempt 4", "recovered"], beats: 11
  ) { stage in
    let policy = RetryPolicy.exponential(
      initial: stage.beat, cap: stage.beat * 8, jitter: .none, limit: 3)
    let attempts = Counter()
    let client = stage.client(retry: policy) { [log = stage.log, beat = stage.beat] name in
      guard name == "unsteady" else { return .text(name).delayed(by: beat * 8) }
      return .template { _ in
        let attempt = attempts.add()
        log.append("attempt \(attempt)")
        let answer: Mock = attempt < 4 ? .status(503) : .text("recovered")
        return answer.delayed(by: beat)
      }
    }
    stage.ask(client, "unsteady")
    stage.ask(client, "meanwhile")
  }

  static let deadlines = Story(
    "deadlines that strike",
    order: ["in time", "too late: out of time", "patient", "given up: out of time"], beats: 8
  ) { stage in
    let hasty = stage.client(
      callTimeout: stage.beat * 4, answering: ["in time": 2, "too late": 60])
    stage.ask(hasty, "too late")
    stage.ask(hasty, "in time")
    let patient = stage.client(answering: ["patient": 6, "given up": 60])
    let givenUp = patient.request(Stage.Endpoint(name: "given up")).toString()
    func limited(_ scheduler: some Scheduler) -> Promise<String> {
      givenUp.timeout(stage.beat * 8, scheduler: scheduler)
    }
    stage.logging("given up", limited(stage.scheduler))
    stage.ask(patient, "patient")
  }

  /// One at a time, so that each waits for those before it, however long it takes itself.
  static let sequence = Story(
    "a sequence, one at a time", order: ["first", "second", "third", "item: mockFailed"], beats: 7
  ) { stage in
    let client = stage.client(.sync) { [beat = stage.beat] _ in
      .sequence(
        .text("first").delayed(by: beat * 4), .text("second").delayed(by: beat),
        .text("third").delayed(by: beat * 2), then: .fails)
    }
    for _ in 1...4 { stage.ask(client, "item") }
  }

  /// Two chains side by side, at 4, 8 and 12 the one, at 6 and 10 the other.
  static let chains = Story(
    "dependent chains", order: ["a1", "b1", "a2", "b2", "a3"], beats: 12
  ) { stage in
    let client = stage.client(answering: ["a1": 4, "a2": 4, "a3": 4, "b1": 6, "b2": 4])
    _ = stage.ask(client, "a1")
      .then { _ in stage.ask(client, "a2") }
      .then { _ in stage.ask(client, "a3") }
    _ = stage.ask(client, "b1").then { _ in stage.ask(client, "b2") }
  }

  /// A body of 9,600 bytes over 8 beats.
  static let throttled = Story(
    "throttled progress", order: ["early", "half of it", "late", "all of it"], beats: 8
  ) { stage in
    let rate = Int(9_600 / (stage.beat * 8 / .seconds(1)))
    let client = stage.client { [beat = stage.beat] name in
      switch name {
      case "early": .text(name).delayed(by: beat * 2)
      case "late": .text(name).delayed(by: beat * 6)
      default: .bytes(9_600).throttled(bytesPerSecond: rate)
      }
    }
    let halves = Counter()
    let body = client.request(Stage.Endpoint(name: "body")) { [log = stage.log] progress in
      if progress.received.bytes >= 4_800, halves.add() == 1 { log.append("half of it") }
    }
    body.toData().done { [log = stage.log] data in
      log.append(data.count == 9_600 ? "all of it" : "part of it")
    }
    stage.ask(client, "late")
    stage.ask(client, "early")
  }
}
