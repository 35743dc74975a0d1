import CatenaSystem
import Foundation
import Networking
import Promises

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A session that performs tasks in the background: that of the system, or of a test.
protocol BackgroundTaskSession: Sendable {
  /// The header fields that the session adds to each request.
  var headers: HTTPHeaders { get }
  /// Begins to report the tasks and their events to a receiver.
  ///
  /// Called once, before the other methods. Events come on one serial queue.
  func connect(_ receiver: BackgroundTransport)
  /// Makes a task, which does not start yet. A job with resume data is continued.
  ///
  /// - Returns: The number of the task, which is unique in the session.
  func makeTask(_ job: BackgroundJob) -> Int
  /// Starts a task.
  func resume(_ task: Int)
  /// Cancels a task. A no-op if it has ended.
  func cancel(_ task: Int)
}

/// A task for a background session: a download to a file, or the upload of a file.
struct BackgroundJob: Sendable {
  /// The file of a task.
  enum File: Sendable {
    /// The destination of a download.
    case destination(FileTarget)
    /// The body of an upload, which is read while it is sent.
    case body(URL)
  }

  /// The request in the form of Foundation, without its body.
  let urlRequest: URLRequest
  let request: HTTPRequest
  let file: File
  /// The record that is stored with the task.
  private(set) var record: BackgroundRecord
  /// The data with which the system continues a download.
  ///
  /// `nil` starts it from the beginning.
  private(set) var resumeData: Data?

  /// Makes the task of an exchange.
  ///
  /// - Parameters:
  ///   - exchange: The exchange, after the client's interceptors.
  ///   - tls: The TLS settings of the session.
  ///   - sessionHeaders: The header fields that the session adds to the request.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/unsupported`` and the
  ///   alternative, if a background session cannot perform the request; with another code, if
  ///   `URLSession` cannot send the request, or the host has no trust policy.
  init(
    _ exchange: Exchange, tls: TLSOptions, sessionHeaders: HTTPHeaders = [:]
  ) throws(NetworkError) {
    let request = exchange.request
    func error(_ failure: TransportFailure) -> NetworkError { NetworkError(failure, of: request) }
    if let reason = Self.refusal(of: exchange) {
      throw error(TransportFailure(code: .unsupported, detail: reason))
    }
    if let refusal = tls.refusal(of: request.url) { throw error(refusal) }
    do throws(TransportFailure) {
      var urlRequest = try URLRequest(checking: request)
      // The client enforces the timeouts of an exchange only in other sessions.
      urlRequest.timeoutInterval = Self.idleLimit
      self.urlRequest = urlRequest
    } catch let failure {
      throw error(failure)
    }
    self.request = request
    switch (exchange.options.destination, request.body) {
    case (.file(let target), _):
      file = .destination(target)
      record = BackgroundRecord(
        key: BackgroundRecord.key(of: request, file: target.url), target: target,
        identity: BackgroundResumption.identity(of: request, sessionHeaders: sessionHeaders))
    case (_, .file(let url)):
      file = .body(url)
      record = BackgroundRecord(key: BackgroundRecord.key(of: request, file: url), target: nil)
    default:
      throw error(TransportFailure(code: .unsupported, detail: Self.filesOnly))
    }
  }

  /// Returns the job of a task that continues with resume data.
  func continued(with resumeData: Data) -> BackgroundJob {
    var job = self
    job.resumeData = resumeData
    job.record.isContinued = true
    return job
  }

  /// The time without progress after which the system sends a request again, in seconds.
  private static let idleLimit = 60.0

  /// Checks the file immediately before the task is made.
  ///
  /// A transfer of an earlier run does not need the check: its download may already be in its place, and
  /// the file of its upload may be gone.
  ///
  /// - Throws: The reason that the file cannot be read or written.
  func checkFile() throws(TransportFailure) {
    switch file {
    case .destination(let target):
      do throws(FileError) {
        try PartialFile.check(target.url, replacing: target.replaces)
      } catch {
        throw TransportFailure(code: .fileNotWritten, detail: error.cause)
      }
    case .body: try request.body.checkFile()
    }
  }

  private static let filesOnly =
    "A background session has no response in memory without the upload of a file: use download(_:to:) or .upload(file:to:)"

  /// Returns the reason that a background session cannot perform a request, with the alternative, or
  /// `nil` if it can.
  ///
  /// The system performs the request while the program may not run, so no code of the client takes
  /// part in it.
  private static func refusal(of exchange: Exchange) -> String? {
    let request = exchange.original
    if exchange.interceptors.count > exchange.interceptors[.call].count {
      return "A background session makes attempts and hops itself: append interceptors at: .call"
    }
    if request.compression != nil {
      return "A background session does not compress bodies: compress the file before"
    }
    if request.timeout != nil {
      return
        "A background transfer has no time limit of its own: use timeoutIntervalForResource of a custom configuration"
    }
    if let retry = request.retry, retry.limit > 0 {
      return "A background session repeats lost transfers itself: request again after an error"
    }
    if request.cachePolicy != .default || request.cacheLifetime != nil {
      return "A background session has no cache of responses: omit the option cache"
    }
    if request.storePolicy == .offline {
      return "A background session waits for a network itself: use the store policy none"
    }
    switch (exchange.options.destination, exchange.request.body) {
    case (.stream, _):
      return "A background session does not stream responses: use download(_:to:)"
    case (.file, .none): return nil
    case (.file, let body) where body.byteCount == 0: return nil
    case (.file, _): return "A background download sends no body: use the query"
    case (.memory, .file): return nil
    case (.memory, .none): return filesOnly
    case (.memory, .stream), (.memory, .pieces), (.memory, .data):
      return
        "A background session sends files only: write the body to a file, and use .upload(file:to:)"
    }
  }
}
