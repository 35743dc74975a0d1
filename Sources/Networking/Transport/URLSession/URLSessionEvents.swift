import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The delegate of a ``URLSessionTransport``'s session: it hands each task's events to its exchange.
///
/// The session holds it until it has been invalidated and its last task is over.
final class URLSessionEventDelegate: NSObject, URLSessionDataDelegate {
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
      exchange(of: task)?.setMetrics(TransportMetrics(hop))
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
      exchange?.recordActivity()
      let decision = trust.decide(about: space)
      if let failure = decision.failure { exchange?.setFailure(failure) }
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

/// Takes several `Set-Cookie` values apart that have been joined by commas, as Foundation does.
///
/// A comma stands between two values where a name and an equals sign follow it. In a date, the only
/// other place for one, a day's number follows; names, values and paths have no commas if they keep to
/// the rules.
///
/// Source: RFC 6265 section 4.1.1, RFC 9110 section 5.3.
enum SetCookieValues {
  /// The values of a joined one, in order.
  static func split(_ joined: String) -> [String] {
    var values: [String] = []
    for part in joined.split(separator: ",", omittingEmptySubsequences: false) {
      if let last = values.last, !beginsCookie(part) {
        values[values.count - 1] = last + "," + part
      } else {
        values.append(String(values.isEmpty ? part : part.drop { $0 == " " }))
      }
    }
    return values
  }

  private static func beginsCookie(_ part: Substring) -> Bool {
    let text = part.drop { $0 == " " }
    guard let equals = text.firstIndex(of: "=") else { return false }
    return text[..<equals].isToken
  }
}

extension URLRequest {
  /// A request as `URLSession` takes it, without its body.
  ///
  /// - Throws: why it cannot be performed.
  init(checking request: HTTPRequest) throws(TransportFailure) {
    self.init(url: try Self.checked(request.url), cachePolicy: .reloadIgnoringLocalCacheData)
    guard request.method.rawValue.isToken else {
      throw TransportFailure(code: .unsupported, detail: "The method is no token")
    }
    if request.method == .head, request.body != .none {
      throw TransportFailure(code: .unsupported, detail: "A HEAD request cannot have a body")
    }
    if request.method == .get, request.body != .none, request.body.byteCount != 0 {
      throw TransportFailure(
        code: .unsupported, detail: "URLSession sends no body with a GET request")
    }
    let isSendable = request.headers.allSatisfy { field in
      field.name.isToken && !field.value.utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 }
    }
    guard isSendable else {
      throw TransportFailure(code: .invalidHeader, detail: "A header field cannot be sent")
    }
    httpMethod = request.method.rawValue
    httpShouldHandleCookies = false
    // The transport's own clock decides, which knows what for. No more than this: Foundation on Linux
    // counts in milliseconds and does not survive an overflow.
    timeoutInterval = 7 * 24 * 60 * 60
    // How the body is framed is for URLSession to say, which otherwise waits for ever for chunks.
    let framing: Set = ["content-length", "transfer-encoding"]
    for name in Set(request.headers.map { $0.name.lowercased() }).subtracting(framing) {
      let values = request.headers.values(for: name)
      setValue(values.joined(separator: name == "cookie" ? "; " : ", "), forHTTPHeaderField: name)
    }
  }

  private static func checked(_ url: URL) throws(TransportFailure) -> URL {
    func refused(_ reason: String) -> TransportFailure {
      TransportFailure(code: .invalidURL, detail: reason)
    }
    guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
      throw refused("The URL is not http or https")
    }
    guard let host = url.host, !host.isEmpty else { throw refused("The URL has no host") }
    guard url.user == nil, url.password == nil else {
      throw refused("The URL has credentials in it")
    }
    // Foundation on Linux knows schemes in lower case only.
    guard url.scheme != scheme, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return url.absoluteURL }
    parts.scheme = scheme
    return parts.url ?? url.absoluteURL
  }
}

extension HTTPResponseHead {
  /// What Foundation tells of a head: its fields in the order of their names, one value a name, but for
  /// `Set-Cookie`, which is taken apart again.
  init(_ response: HTTPURLResponse) {
    var headers = HTTPHeaders()
    let fields = response.allHeaderFields.compactMap { name, value -> (String, String)? in
      guard let name = name as? String, let value = value as? String else { return nil }
      return (name, value)
    }
    for (name, value) in fields.sorted(by: { $0.0 < $1.0 }) {
      let values =
        HTTPHeaders.areNamesEqual(name, "Set-Cookie") ? SetCookieValues.split(value) : [value]
      for value in values { headers.add(value, for: name) }
    }
    self.init(status: response.statusCode, headers: headers)
  }
}

#if !canImport(FoundationNetworking)
  extension TransportMetrics {
    /// What the platform has measured of a hop, but for its end and the bodies.
    init(_ hop: URLSessionTaskTransactionMetrics) {
      let start = hop.fetchStartDate
      func since(_ date: Date?) -> Duration? {
        guard let start, let date else { return nil }
        return .seconds(max(date.timeIntervalSince(start), 0))
      }
      let isReused = hop.isReusedConnection
      self.init(
        nameResolved: isReused ? nil : since(hop.domainLookupEndDate),
        // TLS is part of connecting there.
        connected: isReused ? nil : since(hop.secureConnectionStartDate ?? hop.connectEndDate),
        secured: isReused ? nil : since(hop.secureConnectionEndDate),
        requestSent: since(hop.requestEndDate),
        reusedConnection: isReused,
        headBytesSent: hop.countOfRequestHeaderBytesSent,
        headBytesReceived: hop.countOfResponseHeaderBytesReceived,
        httpVersion: hop.networkProtocolName.flatMap(Self.version),
        remoteAddress: hop.remoteAddress, remotePort: hop.remotePort)
    }

    /// `http/1.1`, `h2` and the like, in numbers.
    private static func version(_ name: String) -> String? {
      switch name {
      case "http/1.0": "1.0"
      case "http/1.1": "1.1"
      case "h2", "h2c": "2"
      case "h3": "3"
      default: nil
      }
    }
  }
#endif
