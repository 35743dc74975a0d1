import CatenaSystem
import Foundation

#if !canImport(FoundationNetworking)
  /// A background session of the system, and its delegate.
  ///
  /// It only translates: every decision is one of the ``BackgroundTransferMachine`` and of the
  /// ``BackgroundTransport``. The session retains the delegate, and is never invalidated.
  final class URLSessionBackground: NSObject, BackgroundTaskSession, URLSessionDownloadDelegate,
    URLSessionDataDelegate
  {
    private struct State: Sendable {
      var session: URLSession?
      var receiver: BackgroundTransport?
      var tasks: [Int: URLSessionTask] = [:]
      /// The failures of tasks whose server the TLS settings reject.
      var failures: [Int: TransportFailure] = [:]
      var metrics: [Int: TransportMetrics] = [:]
    }

    private let configuration: URLSessionConfiguration
    private let trust: URLSessionTrust
    private let forwarder: SessionDelegateForwarder
    private let queue = OperationQueue()
    private let state = Mutex(State())

    init(
      _ configuration: URLSessionConfiguration, _ delegate: (any URLSessionDelegate)?,
      tls: TLSOptions
    ) {
      self.configuration = configuration.withoutStorage
      trust = URLSessionTrust(tls)
      trust.configure(self.configuration)
      forwarder = SessionDelegateForwarder(delegate)
      queue.maxConcurrentOperationCount = 1
      queue.name = "Catena.BackgroundSession"
    }

    // MARK: BackgroundTaskSession

    var headers: HTTPHeaders {
      var headers = HTTPHeaders()
      for (name, value) in configuration.httpAdditionalHeaders ?? [:] {
        headers.add("\(value)", for: "\(name)")
      }
      return headers
    }

    func connect(_ receiver: BackgroundTransport) {
      state.withLock { $0.receiver = receiver }
      let session = URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
      state.withLock { $0.session = session }
      session.getAllTasks { [self] tasks in
        // The events of a completed task may be still to come.
        let listed = tasks.filter { $0.state != .canceling }
        state.withLock { state in
          for task in listed where task.state != .completed {
            state.tasks[task.taskIdentifier] = task
          }
        }
        receiver.connected(listed.map { ($0.taskIdentifier, $0.taskDescription) })
        // The program ended between making a task and starting it.
        for task in listed where task.state == .suspended { task.resume() }
      }
    }

    func makeTask(_ job: BackgroundJob) -> Int {
      let session = state.withLock { $0.session } ?? .shared
      let task: URLSessionTask =
        switch job.file {
        case .destination:
          job.resumeData.map { session.downloadTask(withResumeData: $0) }
            ?? session.downloadTask(with: job.urlRequest)
        case .body(let file): session.uploadTask(with: job.urlRequest, fromFile: file)
        }
      task.taskDescription = job.record.text
      state.withLock { $0.tasks[task.taskIdentifier] = task }
      return task.taskIdentifier
    }

    func resume(_ task: Int) { state.withLock { $0.tasks[task] }?.resume() }

    func cancel(_ task: Int) { state.withLock { $0.tasks[task] }?.cancel() }

    private var receiver: BackgroundTransport? { state.withLock { $0.receiver } }

    // MARK: Events of a task

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
      totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
      let total = totalBytesExpectedToSend > 0 ? totalBytesExpectedToSend : nil
      receiver?.progressed(task.taskIdentifier) {
        $0.sent = .init(bytes: totalBytesSent, total: total)
      }
      forwarder.didSendBody(session, task, bytesSent, totalBytesSent, totalBytesExpectedToSend)
    }

    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
      totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
      let total = totalBytesExpectedToWrite > 0 ? totalBytesExpectedToWrite : nil
      receiver?.progressed(downloadTask.taskIdentifier) {
        $0.received = .init(bytes: totalBytesWritten, total: total)
      }
    }

    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset offset: Int64,
      expectedTotalBytes: Int64
    ) {
      let total = expectedTotalBytes > 0 ? expectedTotalBytes : nil
      receiver?.progressed(downloadTask.taskIdentifier) {
        $0.received = .init(bytes: offset, total: total)
      }
    }

    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask,
      didFinishDownloadingTo location: URL
    ) {
      receiver?.received(
        location, by: downloadTask.taskIdentifier, downloadTask.taskDescription,
        (downloadTask.response as? HTTPURLResponse).map { HTTPResponseHead($0) })
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      receiver?.received(data, by: dataTask.taskIdentifier)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
      if let hop = metrics.transactionMetrics.last {
        state.withLock {
          $0.metrics[task.taskIdentifier] = TransportMetrics(hop, under: self.trust.options)
        }
      }
      forwarder.didCollectMetrics(session, task, metrics)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      let number = task.taskIdentifier
      let (failure, metrics) = state.withLock { state in
        state.tasks[number] = nil
        return (
          state.failures.removeValue(forKey: number), state.metrics.removeValue(forKey: number)
        )
      }
      let request = task.currentRequest ?? task.originalRequest
      var outcome = BackgroundOutcome(
        method: HTTPMethod(rawValue: request?.httpMethod ?? "GET"),
        url: request?.url?.absoluteString ?? "")
      outcome.head = (task.response as? HTTPURLResponse).map { HTTPResponseHead($0) }
      if let metrics { outcome.metrics = metrics }
      outcome.metrics.bytesSent = task.countOfBytesSent
      outcome.metrics.bytesReceived = task.countOfBytesReceived
      if let error { outcome.resumption = BackgroundResumption(error) }
      if let error = error ?? failure { outcome.fail(with: error, noted: failure, under: trust) }
      receiver?.finished(number, task.taskDescription, outcome)
      forwarder.didComplete(session, task, error)
    }

    // MARK: Events of the session

    #if !os(macOS)
      func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        receiver?.eventsEnded()
      }
    #endif

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
      receiver?.invalidated()
      forwarder.didBecomeInvalid(session, error)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler:
        @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      let space = challenge.protectionSpace
      let origin = task.originalRequest?.url.flatMap { Origin($0) }
      let number = task.taskIdentifier
      trust.respond(
        to: space, withholdingCertificate: origin?.host != space.host.lowercased(),
        askingDelegate: {
          forwarder.didReceive(challenge, session, task, completionHandler: completionHandler)
        },
        noteFailure: { [self] failure in state.withLock { $0.failures[number] = failure } },
        completionHandler: completionHandler)
    }
  }

  extension BackgroundSessions {
    /// Returns the session of a configuration, which is made at the first call.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of a background session.
    ///   - delegate: The delegate of the caller. `nil` means none.
    ///   - tls: The TLS settings.
    /// - Returns: The session.
    func session(
      _ configuration: URLSessionConfiguration, _ delegate: (any URLSessionDelegate)? = nil,
      tls: TLSOptions
    ) -> Session {
      let identifier = configuration.identifier ?? ""
      return session(for: identifier, tls: tls) {
        BackgroundTransport(
          identifier: identifier, tls: tls, results: BackgroundResults(session: identifier),
          session: URLSessionBackground(configuration, delegate, tls: tls))
      }
    }
  }
#endif
