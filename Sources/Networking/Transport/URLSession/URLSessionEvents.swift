import CatenaSystem
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The session delegate of a ``URLSessionTransport``, which forwards the events of each task.
///
/// The session retains the delegate until the session is invalidated and its last task has
/// completed.
final class URLSessionEventDelegate: NSObject, URLSessionDataDelegate {
  /// The delegate queue, which is serial so that events stay in order.
  let queue: OperationQueue
  private let trust: URLSessionTrust
  private let forwarder: SessionDelegateForwarder
  private let exchanges = Mutex<[Int: URLSessionExchange]>([:])

  /// Creates a delegate.
  ///
  /// - Parameters:
  ///   - trust: The TLS options.
  ///   - forwarder: The forwarder to the delegate of the user, which is called after the exchange has
  ///     handled an event.
  init(trust: URLSessionTrust, forwarder: SessionDelegateForwarder) {
    queue = TransportThread.eventQueue()
    self.trust = trust
    self.forwarder = forwarder
  }

  func add(_ exchange: URLSessionExchange, for task: URLSessionTask) {
    let identifier = task.taskIdentifier
    exchanges.withLock { $0[identifier] = exchange }
  }

  private func exchange(of task: URLSessionTask) -> URLSessionExchange? {
    let identifier = task.taskIdentifier
    return exchanges.withLock { $0[identifier] }
  }

  // MARK: Events of a task

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    let total = totalBytesExpectedToSend > 0 ? totalBytesExpectedToSend : nil
    exchange(of: task)?.receive(.sent(bytes: totalBytesSent, total: total))
    forwarder.didSendBody(
      session, task, bytesSent, totalBytesSent, totalBytesExpectedToSend)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    exchange(of: dataTask)?.receive(head: response)
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(of: dataTask)?.receive(.body(data))
  }

  // Foundation on Linux never calls this method.
  #if !canImport(FoundationNetworking)
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
      if let hop = metrics.transactionMetrics.last {
        exchange(of: task)?.setMetrics(TransportMetrics(hop, under: trust.options))
      }
      forwarder.didCollectMetrics(session, task, metrics)
    }
  #endif

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let identifier = task.taskIdentifier
    let exchange = exchanges.withLock { $0.removeValue(forKey: identifier) }
    // Foundation on Linux does not report the head of a redirect without a location.
    if error == nil, let response = task.response { exchange?.receive(head: response) }
    let failure = error.map {
      trust.failure(
        TransportFailure($0), of: $0, from: task.originalRequest?.url,
        hasBegun: task.response != nil || task.countOfBytesSent > 0)
    }
    exchange?.complete(failure)
    forwarder.didComplete(session, task, error)
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    forwarder.didBecomeInvalid(session, error)
  }

  // MARK: Decisions for the session

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // Foundation on Linux crashes if the handler is called for a task that was cancelled in the
    // meantime. On Apple platforms the handler must be called in any case.
    #if canImport(FoundationNetworking)
      guard let exchange = exchange(of: task), !exchange.isCancelled else { return }
    #endif
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if canImport(FoundationNetworking)
      // On Linux this is called only for a complete response with the status 401. If the delegate
      // allowed the response, Foundation would complete the task on this thread without locking its
      // internal tables. Therefore the exchange is completed here and the task is cancelled, which
      // locks the tables.
      exchange(of: task)?.complete(nil)
      completionHandler(.cancelAuthenticationChallenge, nil)
    #else
      let exchange = exchange(of: task)
      if TLSChallenge(challenge.protectionSpace) == .serverTrust { exchange?.recordActivity() }
      trust.respond(
        to: challenge.protectionSpace,
        withholdingCertificate: exchange?.withholdsClientCertificate != false,
        askingDelegate: {
          forwarder.didReceive(challenge, session, task, completionHandler: completionHandler)
        },
        noteFailure: { exchange?.setFailure($0) }, completionHandler: completionHandler)
    #endif
  }
}

extension URLSessionExchange {
  /// Delivers the head of a final response; interim responses (1xx) are skipped.
  ///
  /// The exchange fails if the length of the body cannot be determined. The platform would accept any
  /// `Content-Length`.
  fileprivate func receive(head response: URLResponse) {
    guard let response = response as? HTTPURLResponse, response.statusCode >= 200 else { return }
    let head = HTTPResponseHead(response)
    if let violation = ResponseHeadParser.framingViolation(in: head.headers.fields) {
      abort(TransportFailure(code: .malformedResponse, detail: violation))
    } else {
      receive(.head(head))
    }
  }
}
