import Foundation
import Networking
import Promises

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// Stores numbered requests offline and replays them. OfflineKillTests kills this program at any step.
//
//     offline-worker FOLDER URL FIRST COUNT STEPS [QUEUE]
//
// It stores COUNT requests, numbered from FIRST, in the queue QUEUE, or in "even" or "odd" by their
// numbers. It replays after every third request. It kills itself before its STEPSth file system
// operation; 0 disables this. Each line of standard output is an event:
//
//     accepted NUMBER KEY
//     replayed
//     idle          at the end
enum OfflineWorker {
  static func run(_ arguments: [String]) throws {
    guard arguments.count >= 6, let server = URL(string: arguments[2]),
      let first = Int(arguments[3]),
      let count = Int(arguments[4]), let steps = Int(arguments[5])
    else { exit(64) }

    let folder = URL(fileURLWithPath: arguments[1])
    let store = try OfflineStore(
      folder: folder.appendingPathComponent("store"), lifetime: nil,
      beforeOperation: killBefore(steps))

    let payload = folder.appendingPathComponent("payload-\(first)")
    var configuration = NetworkingConfiguration()
    configuration.offline = .store(store)
    let networking = Networking<Request>(configuration: configuration)

    func replay() throws {
      do {
        let report = try networking.replay().wait()
        for entry in report.failed { log("failed \(entry.entry.number)") }
        for entry in report.quarantined { log("quarantined \(entry.reason)") }
        for error in report.errors { log("error \(error)") }
      } catch let error as NetworkError where error.code == .offlineStoreBusy {
        // Another process holds the lock.
      }
      log("replayed")
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
      let entry = try store.add(request, in: queue)
      try? FileManager.default.removeItem(at: payload)
      log("accepted \(number) \(entry.idempotencyKey.uuidString)")
      if number % 3 == 2 { try replay() }
    }
    try replay()
    log("idle")
  }
}
