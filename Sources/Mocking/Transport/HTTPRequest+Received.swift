import Foundation
import Networking
import Promises

extension HTTPRequest {
  /// Throws what a transport refuses before it sends anything.
  func validateForSending() throws(TransportFailure) {
    let text = url.absoluteString
    // In lower case, where it mostly is.
    let scheme = text.hasPrefix("http://") || text.hasPrefix("https://") ? "http" : url.scheme
    guard let scheme = scheme?.lowercased(), scheme == "http" || scheme == "https" else {
      throw TransportFailure(code: .invalidURL, detail: "The URL is not http or https")
    }
    guard text.utf8.areAll({ $0 != UInt8(ascii: "@") }) || url.user == nil && url.password == nil
    else {
      throw TransportFailure(code: .invalidURL, detail: "The URL has credentials in it")
    }
    guard method.rawValue.isToken else {
      throw TransportFailure(code: .unsupported, detail: "The method is no token")
    }
    if method == .head, body != .none {
      throw TransportFailure(code: .unsupported, detail: "A HEAD request cannot have a body")
    }
    let isSendable = headers.allSatisfy { field in
      field.name.isToken
        && field.value.utf8.areAll { $0 != 0x0D && $0 != 0x0A && $0 != 0 }
    }
    guard isSendable else {
      throw TransportFailure(code: .invalidHeader, detail: "A header field cannot be sent")
    }
  }

  /// The target of the request line.
  ///
  /// Source: RFC 9112 section 3.2.1.
  var target: String {
    let path = url.path(percentEncoded: true)
    let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
    return (path.isEmpty ? "/" : path) + query
  }

  /// This request as a server would have received it: with the fields that a transport adds, and its body
  /// read.
  ///
  /// - Parameters:
  ///   - path: the path and the values of a route's variables.
  ///   - number: which of all requests it is.
  ///   - time: when that is.
  ///   - discardsBody: whether the body is counted alone.
  /// - Returns: the request received.
  /// - Throws: a failure of the code `encodingFailed` when the body cannot be read.
  func received(
    _ path: ReceivedPath, number: Int, at time: Duration, discardsBody: Bool = false
  ) throws(TransportFailure) -> ReceivedRequest {
    let data = discardsBody ? Data() : try readBody()
    guard let byteCount = discardsBody ? body.byteCount : Int64(data.count) else {
      throw TransportFailure(
        code: .encodingFailed, detail: "The body cannot be read: a file is not there")
    }
    return ReceivedRequest(
      method: method, target: target, path: path, headers: completeHeaders(byteCount),
      trailers: [:], body: data, bodyByteCount: Int(byteCount), version: "1.1", connection: 0,
      exchange: number, time: time)
  }

  private func completeHeaders(_ byteCount: Int64) -> HTTPHeaders {
    // As on a connection: no space around a value, and the framing is the transport's.
    let framing = ["content-length", "transfer-encoding"]
    var complete = HTTPHeaders(
      headers.filter { !framing.contains($0.name.lowercased()) }.map {
        .init(name: $0.name, value: $0.value.trimmingOptionalWhitespace)
      })
    if !headers.contains("Host"), let host = url.host(percentEncoded: true) {
      complete.add(url.port.map { "\(host):\($0)" } ?? host, for: "Host")
    }
    if case .none = body { return complete }
    complete.add(String(byteCount), for: "Content-Length")
    return complete
  }

  private func readBody() throws(TransportFailure) -> Data {
    let pieces = body.allPieces
    if pieces.count == 1, case .data(let data)? = pieces.first { return data }
    var all = Data()
    for piece in pieces {
      switch piece {
      case .data(let data): all.append(data)
      case .file(let url):
        do {
          all.append(try Data(contentsOf: url))
        } catch {
          throw TransportFailure(
            code: .encodingFailed, detail: "The body cannot be read: \(error.localizedDescription)")
        }
      }
    }
    return all
  }
}

extension String {
  /// Without the spaces and tabs around it, which are no part of a field's value.
  ///
  /// Source: RFC 9110 section 5.5.
  var trimmingOptionalWhitespace: String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    guard let first = utf8.first, let last = utf8.last, isSpace(first) || isSpace(last) else {
      return self
    }
    let kept = utf8.drop(while: isSpace)
    let end = kept.lastIndex { !isSpace($0) }.map { kept.index(after: $0) } ?? kept.startIndex
    return String(kept[..<end]) ?? self
  }
}

extension HTTPRequest {
  /// Starts an exchange of this request, with a body that is a stream read into memory before.
  ///
  /// - Parameters:
  ///   - scheduler: waits for the stream while it can go on.
  ///   - receive: gets the events.
  ///   - start: starts the exchange of the request with its body.
  /// - Returns: a handle on all of it; cancelling it ends the reading.
  func bufferingStreamBody(
    on scheduler: any Scheduler = .live, _ receive: @escaping MockPlayer.Receive,
    _ start: @escaping @Sendable (HTTPRequest, @escaping MockPlayer.Receive) -> any TransportHandle
  ) -> any TransportHandle {
    guard case .stream = body else { return start(self, receive) }
    let body = ActivityExecutor.counting(for: scheduler) {
      Promise { try await withBodyInMemory() }
    }
    let exchange = DeferredExchange(body, on: scheduler, receive) {
      result, _, receive in
      switch result {
      case .success(let request): return start(request, receive)
      case .failure(let error):
        receive(
          .failure(
            error as? TransportFailure
              ?? TransportFailure(code: .encodingFailed, detail: "The body cannot be read")))
        return FinishedExchange()
      }
    }
    exchange.wait(atMost: nil)
    return exchange
  }

  private func withBodyInMemory() async throws -> HTTPRequest {
    let reader = try BodyReader(body)
    var data = Data()
    while let bytes = try await reader.next(upTo: 1 << 20) { data += bytes }
    var request = self
    request.body = .data(data)
    return request
  }
}
