import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The delegate of a ``URLSessionTransport``'s session: it hands each task's events to its exchange.
///
/// The session holds it until it has been invalidated and its last task is over.
final class URLSessionEvents: NSObject, URLSessionDataDelegate {
  /// Where the session calls back: serial, as the order of events is.
  let queue: OperationQueue
  private let trust: URLSessionTrust
  private let exchanges = Mutex<[Int: URLSessionExchange]>([:])

  init(trust: URLSessionTrust) {
    queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.name = "Catena.URLSessionTransport"
    self.trust = trust
  }

  func add(_ exchange: URLSessionExchange, for task: URLSessionTask) {
    let identifier = task.taskIdentifier
    exchanges.withLock { $0[identifier] = exchange }
  }

  private func exchange(of task: URLSessionTask) -> URLSessionExchange? {
    let identifier = task.taskIdentifier
    return exchanges.withLock { $0[identifier] }
  }

  // MARK: What happens to a task

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    let total = totalBytesExpectedToSend > 0 ? totalBytesExpectedToSend : nil
    exchange(of: task)?.receive(.sent(bytes: totalBytesSent, total: total))
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

  // Foundation on Linux never calls it.
  #if !canImport(FoundationNetworking)
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
      guard let hop = metrics.transactionMetrics.last else { return }
      exchange(of: task)?.collect(TransportMetrics(hop))
    }
  #endif

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let identifier = task.taskIdentifier
    let exchange = exchanges.withLock { $0.removeValue(forKey: identifier) }
    // Foundation on Linux keeps back the head of a redirect that names no place to go to.
    if error == nil, let response = task.response { exchange?.receive(head: response) }
    exchange?.complete(error.map { TransportFailure($0) })
  }

  // MARK: What the session asks

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // Foundation on Linux crashes when this is answered for a task that was cancelled meanwhile. On
    // Apple's platforms the question must be answered whatever happens.
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
      // An answer of status 401, whole by now, is all that is asked about here. To be let through it
      // would be completed on this thread, without Foundation's guarding its tables; so it is completed
      // here, and the task is cancelled, which is guarded.
      exchange(of: task)?.complete(nil)
      completionHandler(.cancelAuthenticationChallenge, nil)
    #else
      let space = challenge.protectionSpace
      guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust else {
        return completionHandler(.rejectProtectionSpace, nil)
      }
      let exchange = exchange(of: task)
      exchange?.showActivity()
      let decision = trust.decide(about: space)
      if let failure = decision.failure { exchange?.note(failure) }
      completionHandler(decision.disposition, decision.credential)
    #endif
  }
}

extension URLSessionExchange {
  /// Takes the head of a final response; others, of statuses 1xx, are passed over.
  fileprivate func receive(head response: URLResponse) {
    guard let response = response as? HTTPURLResponse, response.statusCode >= 200 else { return }
    receive(.head(HTTPResponseHead(response)))
  }
}
