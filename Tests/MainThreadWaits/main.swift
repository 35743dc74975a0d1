import Promises

// Waits for promises on the main thread. Tests never run there, so MainThreadWaitTests runs this
// program and reads its output.

let clock = ContinuousClock()
let time = try clock.measure {
  for number in 0..<20 { _ = try Promise.fulfilled(number).then { $0 + 1 }.wait() }
}
print(time < .milliseconds(600) ? "twenty waits are quick" : "twenty waits took \(time)")

Promise.fulfilled(1).done(on: .inline) { _ in
  let onMain = Promise.fulfilled(1).then { $0 + 1 }.map { $0 + 1 }
  print("in an inline handler:", Result { try onMain.wait(timeout: .seconds(5)) })
}

let log = Promise.fulfilled(1).done { print("handled", $0) }
print("waited for", try log.wait())
