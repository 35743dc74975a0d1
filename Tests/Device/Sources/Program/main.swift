import DeviceSteps
import Foundation

// Runs the steps that need neither a person nor the bundle of an app: device-steps HOST
let host = CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : "127.0.0.1"
let device = try await Device(host: host)
var failures = 0
for step in Step.all where step.isAutomatic {
  let (passed, text) = await step.run(on: device)
  if !passed { failures += 1 }
  print("\(passed ? "ok" : "FAILED"): step \(step.id), \(step.title)\n\(text)")
}
exit(failures == 0 ? 0 : 1)
