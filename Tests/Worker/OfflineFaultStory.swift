import CatenaSystem
import Foundation
import Networking
import Promises
import SystemCallFaults

/// Requests that are stored and replayed while a system call fails.
final class OfflineFaultStory {
  /// A failure of a system call.
  struct Fault: CustomStringConvertible {
    let call: Int32
    /// The first call that fails, counted from 1.
    let nth: Int32
    /// The value of `errno`, or 0 for a transfer of too few bytes.
    let error: Int32
    let isForever: Bool

    var description: String {
      let name = faults_name(call).map { String(cString: $0) } ?? "?"
      let effect = error == 0 ? "short" : String(cString: strerror(error))
      return "\(name) \(nth), \(effect), \(isForever ? "for ever" : "once")"
    }
  }

  private(set) var violations: [String] = []
  private let folder: URL
  private let fault: Fault
  private let body = Data(String(repeating: "body ", count: 200).utf8)
  /// The keys of the accepted requests, in the order of acceptance.
  private var accepted: [UUID] = []
  private var refused: Set<UUID> = []
  private let sent = SentKeys()

  init(_ folder: URL, _ fault: Fault) {
    self.folder = folder
    self.fault = fault
  }

  /// Runs the story.
  ///
  /// - Returns: The number of calls that could have failed.
  func run() async -> Int32 {
    defer { try? FileManager.default.removeItem(at: folder) }
    let payload = folder.deletingLastPathComponent().appendingPathComponent("payload")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try body.write(to: payload)
      let before = try open()
      for request in requests(payload) { add(request, to: before) }
    } catch {
      violations.append("the first store failed: \(error)")
    }
    guard accepted.count == 3 else { return 0 }

    faults_arm(fault.call, fault.nth, fault.error, fault.isForever)
    var report: OfflineStore.Report?
    var replayed = accepted
    if let store = try? open() {
      for request in requests(payload).reversed() { add(request, to: store) }
      replayed = accepted
      report = try? await replay(store)
      add(.put("https://a.test/late"), to: store)
    }
    let calls = faults_disarm()

    if let report { check(report, of: replayed) }
    await checkDelivery()
    return calls
  }

  private func requests(_ payload: URL) -> [Request] {
    [
      .put("https://a.test/1"), .upload(data: body, to: "https://a.test/2"),
      .upload(file: payload, to: "https://a.test/3"),
    ]
  }

  private func open() throws -> OfflineStore {
    try OfflineStore(folder: folder.appendingPathComponent("parent/store"), lifetime: nil)
  }

  private func add(_ request: Request, to store: OfflineStore) {
    let key = UUID()
    do {
      let entry = try store.add(request, in: "queue \(accepted.count % 2)", idempotencyKey: key)
      if entry.idempotencyKey != key { violations.append("a request was mistaken for another") }
      accepted.append(key)
    } catch {
      refused.insert(key)
      if (error as? NetworkError)?.code != .offlineStoreFailed {
        violations.append("the error is \(error)")
      }
    }
  }

  private func replay(_ store: OfflineStore) async throws -> OfflineStore.Report {
    try await store.replay { [sent, body] entry in
      sent.append(entry.idempotencyKey)
      if case .file(let file)? = entry.request.payload, let data = try? Data(contentsOf: file),
        data != body
      {
        throw NetworkError(.encodingFailed, "the payload has changed")
      }
      let head = HTTPResponseHead(status: 200)
      guard let url = URL(string: "https://a.test/") else { throw URLError(.badURL) }
      return .fulfilled(Response(head: head, request: HTTPRequest(url: url)))
    }.value
  }

  /// Checks the report of the replay in which the call failed.
  private func check(_ report: OfflineStore.Report, of keys: [UUID]) {
    let remaining: [UUID]
    do {
      remaining = try open().entries.map(\.idempotencyKey)
    } catch {
      return violations.append("the store cannot be read: \(error)")
    }
    let delivered = report.delivered.map(\.idempotencyKey)
    let kept = report.kept.map(\.entry.idempotencyKey)
    for file in report.quarantined { violations.append("quarantined: \(file.reason)") }
    for failure in report.failed { violations.append("failed: \(failure.error)") }
    for key in keys where !delivered.contains(key) && !kept.contains(key) {
      if report.errors.isEmpty { violations.append("an entry is not in the report") }
      if !remaining.contains(key) { violations.append("an entry left the store in silence") }
    }
    for key in kept where !remaining.contains(key) {
      violations.append("an entry was reported as kept, but has left the store")
    }
    for key in delivered where remaining.contains(key) {
      violations.append("an entry was reported as delivered, but is still in the store")
    }
  }

  /// Replays without faults, and checks that each accepted request has been sent.
  private func checkDelivery() async {
    do {
      let report = try await replay(open())
      if !report.errors.isEmpty || !report.kept.isEmpty || !report.failed.isEmpty
        || !report.quarantined.isEmpty
      {
        violations.append("the replay without faults reported \(report)")
      }
      if try open().count != 0 { violations.append("entries remain") }
    } catch {
      violations.append("the replay without faults failed: \(error)")
    }
    let sent = sent.all
    for key in accepted where !sent.contains(key) { violations.append("a request was lost") }
    for key in refused where sent.contains(key) {
      violations.append("a request was sent although the store refused it")
    }
  }
}

/// The keys of the requests that were sent, in order.
private final class SentKeys: Sendable {
  private let keys = Mutex<[UUID]>([])

  var all: [UUID] { keys.withLock { $0 } }

  func append(_ key: UUID) { keys.withLock { $0.append(key) } }
}
