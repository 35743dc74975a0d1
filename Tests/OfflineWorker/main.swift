import Foundation
import Networking
import Promises
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// Keeps numbered requests in an offline store and replays them, in a process of its own, which
// OfflineKillTests ends at any step:
//
//     offline-worker FOLDER URL FIRST COUNT STEPS [QUEUE]
//
// It keeps COUNT requests from the number FIRST on, each in the queue QUEUE or "even" or "odd", and
// replays after every third. Before its STEPSth step on the disk it kills itself; 0 is never.
// A line on standard output says what has been done:
//
//     accepted NUMBER KEY
//     replayed
//     idle          at the end

let arguments = CommandLine.arguments
guard arguments.count >= 6, let server = URL(string: arguments[2]), let first = Int(arguments[3]),
  let count = Int(arguments[4]), let steps = Int(arguments[5])
else { exit(64) }

func say(_ line: String) {
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

let step = Atomic(0)
let folder = URL(fileURLWithPath: arguments[1])
let store = try OfflineStore(
  folder: folder.appendingPathComponent("store"), lifetime: nil,
  beforeStep: { _ in
    if step.add(1, ordering: .relaxed).newValue == steps { kill(getpid(), SIGKILL) }
  })

let payload = folder.appendingPathComponent("payload-\(first)")
var configuration = NetworkingConfiguration()
configuration.offline = .store(store)
let networking = Networking<Request>(configuration: configuration)

func replay() throws {
  do {
    let report = try networking.replay().wait()
    for entry in report.failed { say("failed \(entry.entry.number)") }
    for entry in report.quarantined { say("quarantined \(entry.reason)") }
    for error in report.errors { say("error \(error)") }
  } catch let error as NetworkError where error.code == .offlineStoreBusy {
    // Another process holds the lock.
  }
  say("replayed")
}

for number in first..<first + count {
  let queue = arguments.count > 6 ? arguments[6] : number % 2 == 0 ? "even" : "odd"
  let path = RequestPath.url(
    server.appendingPathComponent(queue).appendingPathComponent("\(number)"))
  let body = Data(String(repeating: "\(number),", count: 50).utf8)
  var request = Request.upload(data: body, to: path)
  if number % 3 == 0 {
    try body.write(to: payload)
    request = .upload(file: payload, to: path)
  }
  let entry = try store.keep(request, in: queue)
  try? FileManager.default.removeItem(at: payload)
  say("accepted \(number) \(entry.idempotencyKey.uuidString)")
  if number % 3 == 2 { try replay() }
}
try replay()
say("idle")
