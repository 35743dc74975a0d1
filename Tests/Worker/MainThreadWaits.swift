import Promises

// Waits for promises on the main thread. Tests never run there, so MainThreadWaitTests runs this
// worker and reads its output.
enum MainThreadWaits {
  static func run(_ arguments: [String]) throws {
    // The run loop is polled every 20 ms only inside a block of the main queue. A wait that needs no poll
    // takes less on any machine that gets at least one of many attempts done without a pause.
    let clock = ContinuousClock()
    let isQuick = try (0..<200).contains { number in
      try clock.measure { _ = try Promise.fulfilled(number).then { $0 + 1 }.wait() }
        < .milliseconds(20)
    }
    print(isQuick ? "a wait does not poll" : "each wait polls")

    Promise.fulfilled(1).done(on: .inline) { _ in
      let onMain = Promise.fulfilled(1).then { $0 + 1 }.map { $0 + 1 }
      print("in an inline handler:", Result { try onMain.wait(timeout: .seconds(5)) })
    }

    let log = Promise.fulfilled(1).done { print("handled", $0) }
    print("waited for", try log.wait())
  }
}
