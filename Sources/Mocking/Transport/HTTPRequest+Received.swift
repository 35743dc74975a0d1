import Foundation
import Networking

extension HTTPRequest {
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
    var complete = headers
    if !headers.contains("Host"), let host = url.host(percentEncoded: true) {
      complete.add(url.port.map { "\(host):\($0)" } ?? host, for: "Host")
    }
    if case .none = body { return complete }
    if !headers.contains("Content-Length") {
      complete.add(String(byteCount), for: "Content-Length")
    }
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
