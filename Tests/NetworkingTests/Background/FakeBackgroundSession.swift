import CatenaSystem
import Foundation
import Promises
import TestSupport

@testable import Networking
@testable import NetworkingTransfers

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The tasks of a background session, which survive the transports that connect to it.
final class FakeBackgroundSystem: Sendable {
  struct SystemTask: Sendable {
    let request: URLRequest?
    let description: String?
    let resumeData: Data?
    var isResumed = false
    var isCancelled = false
  }

  private let state = Mutex<(tasks: [Int: SystemTask], last: Int)>(([:], 0))

  var tasks: [Int: SystemTask] { state.withLock { $0.tasks } }

  /// Adds a task that no transport has made.
  @discardableResult
  func add(
    _ description: String?, _ request: URLRequest? = nil, continuing resumeData: Data? = nil
  ) -> Int {
    state.withLock { state in
      state.last += 1
      state.tasks[state.last] = SystemTask(
        request: request, description: description, resumeData: resumeData)
      return state.last
    }
  }

  func update(_ task: Int, _ change: (inout SystemTask) -> Void) {
    state.withLock { state in
      guard var found = state.tasks[task] else { return }
      change(&found)
      state.tasks[task] = found
    }
  }

  func remove(_ task: Int) -> SystemTask? { state.withLock { $0.tasks.removeValue(forKey: task) } }
}

/// A connection of one run of the program to a ``FakeBackgroundSystem``.
///
/// The test is the system: it lists the tasks, and ends them.
final class FakeBackgroundSession: BackgroundTaskSession {
  let system: FakeBackgroundSystem
  let headers: HTTPHeaders
  private let connected = Mutex<BackgroundTransport?>(nil)

  init(_ system: FakeBackgroundSystem = FakeBackgroundSystem(), headers: HTTPHeaders = [:]) {
    self.system = system
    self.headers = headers
  }

  private var receiver: BackgroundTransport? { connected.withLock { $0 } }

  func connect(_ receiver: BackgroundTransport) { connected.withLock { $0 = receiver } }

  func makeTask(_ job: BackgroundJob) -> Int {
    system.add(job.record.text, job.urlRequest, continuing: job.resumeData)
  }

  func resume(_ task: Int) { system.update(task) { $0.isResumed = true } }

  func cancel(_ task: Int) { system.update(task) { $0.isCancelled = true } }

  // MARK: The system

  /// Lists the tasks.
  func list() {
    let unfinished = system.tasks.filter { !$0.value.isCancelled }.sorted { $0.key < $1.key }
    receiver?.connected(unfinished.map { ($0.key, $0.value.description) })
  }

  func report(_ task: Int, _ change: (inout TransferProgress) -> Void) {
    receiver?.progressed(task, change)
  }

  func invalidate() { receiver?.invalidated() }

  func endEvents() { receiver?.eventsEnded() }

  /// Ends a task.
  ///
  /// - Parameters:
  ///   - task: The number of the task.
  ///   - status: The status of the response. `nil` if there is none.
  ///   - headers: The header fields of the response.
  ///   - file: The file that the system has received for a download.
  ///   - body: The response to an upload.
  ///   - failure: The failure.
  ///   - error: The error of the system, which may have resume data, in place of the failure.
  func end(
    _ task: Int, status: Int? = 200, headers: HTTPHeaders = [:], file: URL? = nil,
    body: Data? = nil, failure: TransportFailure? = nil, error: (any Error)? = nil
  ) {
    guard let ended = system.remove(task) else { return }
    let head = status.map { HTTPResponseHead(status: $0, headers: headers) }
    if let file {
      receiver?.received(file, by: task, ended.description, head)
      try? FileManager.default.removeItem(at: file)
    }
    if let body { receiver?.received(body, by: task) }
    var outcome = BackgroundOutcome(
      method: HTTPMethod(rawValue: ended.request?.httpMethod ?? "GET"),
      url: ended.request?.url?.absoluteString ?? "",
      failure: ended.isCancelled ? TransportFailure(code: .cancelled) : failure)
    outcome.head = head
    if let error {
      outcome.resumption = BackgroundResumption(error)
      outcome.fail(with: error, noted: nil, under: URLSessionTrust(TLSOptions()))
    }
    receiver?.finished(task, ended.description, outcome)
  }
}

extension SessionConfiguration {
  /// Returns the configuration of a client with a background session.
  static func background(over transport: BackgroundTransport) -> SessionConfiguration {
    background(transport.clientSession, identifier: transport.identifier)
  }

  static func background(_ session: Session, identifier: String = "films") -> SessionConfiguration {
    SessionConfiguration(BackgroundSource(identifier: identifier) { _ in session })
  }
}

/// A run of a program: a client with a background session, on the folders of the test.
struct BackgroundRun {
  let session: FakeBackgroundSession
  let networking: Networking<Request>

  init(
    _ system: FakeBackgroundSystem, in folder: TemporaryFolder, lists: Bool = true,
    configuration: NetworkingConfiguration = .default, headers: HTTPHeaders = [:]
  ) {
    session = FakeBackgroundSession(system, headers: headers)
    let transport = BackgroundTransport(
      identifier: "films", results: BackgroundResults(folder: folder.url("results")),
      session: session)
    networking = Networking<Request>(
      sessionConfiguration: .background(over: transport), configuration: configuration)
    networking.baseURL = URL(string: "https://api.example.com/")
    networking.callbackContext = .inline
    if lists { session.list() }
  }
}
