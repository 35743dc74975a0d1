#if canImport(FoundationNetworking)
  import Foundation
  package import FoundationNetworking
#else
  package import Foundation
#endif

/// A forwarder of session events to the delegate of the user.
///
/// Some methods of the delegate are optional on Apple platforms, but not on Linux. Each is therefore
/// read as an optional function, which is `nil` if the delegate does not implement it.
package struct SessionDelegateForwarder: Sendable {
  /// The completion handler of a challenge.
  package typealias ChallengeHandler =
    @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

  private let delegate: (any URLSessionDelegate)?
  private let taskDelegate: (any URLSessionTaskDelegate)?

  /// Makes a forwarder.
  ///
  /// - Parameter delegate: The delegate of the user. `nil` means none.
  package init(_ delegate: (any URLSessionDelegate)?) {
    self.delegate = delegate
    taskDelegate = delegate as? any URLSessionTaskDelegate
  }

  /// Whether the delegate responds to challenges, so that it may accept servers that others reject.
  ///
  /// On Linux it is not asked about servers.
  var handlesChallenges: Bool {
    #if canImport(FoundationNetworking)
      return false
    #else
      return sessionChallenge != nil || taskChallenge != nil
    #endif
  }

  /// Forwards the end of the session.
  package func didBecomeInvalid(_ session: URLSession, _ error: (any Error)?) {
    let forward: ((URLSession, (any Error)?) -> Void)? =
      delegate?.urlSession(_:didBecomeInvalidWithError:)
    forward?(session, error)
  }

  /// Forwards the number of bytes of a request body that have been sent.
  package func didSendBody(
    _ session: URLSession, _ task: URLSessionTask, _ bytes: Int64, _ total: Int64,
    _ expected: Int64
  ) {
    let forward: ((URLSession, URLSessionTask, Int64, Int64, Int64) -> Void)? =
      taskDelegate?.urlSession(_:task:didSendBodyData:totalBytesSent:totalBytesExpectedToSend:)
    forward?(session, task, bytes, total, expected)
  }

  /// Forwards the metrics of a task.
  package func didCollectMetrics(
    _ session: URLSession, _ task: URLSessionTask, _ metrics: URLSessionTaskMetrics
  ) {
    let forward: ((URLSession, URLSessionTask, URLSessionTaskMetrics) -> Void)? =
      taskDelegate?.urlSession(_:task:didFinishCollecting:)
    forward?(session, task, metrics)
  }

  /// Forwards the end of a task.
  package func didComplete(_ session: URLSession, _ task: URLSessionTask, _ error: (any Error)?) {
    let forward: ((URLSession, URLSessionTask, (any Error)?) -> Void)? =
      taskDelegate?.urlSession(_:task:didCompleteWithError:)
    forward?(session, task, error)
  }

  /// Passes a challenge to the delegate, by the method that the system calls.
  ///
  /// A challenge for a user and a password, such as that of a proxy, belongs to the task. The others belong
  /// to the session, and to the task if the delegate has no method for the session.
  ///
  /// Source: Apple, "Handling an authentication challenge".
  ///
  /// - Returns: Whether the delegate handles it. It then calls `completionHandler`, now or later.
  package func didReceive(
    _ challenge: URLAuthenticationChallenge, _ session: URLSession, _ task: URLSessionTask,
    completionHandler: @escaping ChallengeHandler
  ) -> Bool {
    let isOfTask = [
      NSURLAuthenticationMethodDefault, NSURLAuthenticationMethodHTMLForm,
      NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest,
    ].contains(challenge.protectionSpace.authenticationMethod)
    if !isOfTask, let sessionChallenge {
      sessionChallenge(session, challenge, completionHandler)
    } else if let taskChallenge {
      taskChallenge(session, task, challenge, completionHandler)
    } else {
      return false
    }
    return true
  }

  // An optional method that the delegate does not have is `nil`.

  private var sessionChallenge:
    ((URLSession, URLAuthenticationChallenge, @escaping ChallengeHandler) -> Void)?
  {
    delegate?.urlSession(_:didReceive:completionHandler:)
  }

  private var taskChallenge:
    ((URLSession, URLSessionTask, URLAuthenticationChallenge, @escaping ChallengeHandler) -> Void)?
  {
    taskDelegate?.urlSession(_:task:didReceive:completionHandler:)
  }
}
