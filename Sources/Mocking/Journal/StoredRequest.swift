import Foundation
import Networking

/// A request in the journal, which is converted to a ``ReceivedRequest`` when it is read.
enum StoredRequest: Sendable {
  /// A request of an in-memory transport. Its body is in memory.
  case sent(HTTPRequest, time: Duration)
  /// A request that has been converted already, by ``storing(_:)``.
  ///
  /// Indirect because the payload is large and most requests are `sent`.
  indirect case received(ReceivedRequest)

  /// The number of body bytes that are kept in memory.
  var bodyByteCount: Int {
    switch self {
    case .received(let request): return request.body.count
    case .sent(let request, _):
      if case .data(let data) = request.body { return data.count }
      return 0
    }
  }

  /// A copy without the body; ``ReceivedRequest/bodyByteCount`` keeps the size.
  var withoutBody: StoredRequest {
    switch self {
    case .received(var request):
      request.body = Data()
      return .storing(request)
    case .sent(let request, let time):
      return .storing(request.receivedWithoutBody(at: time))
    }
  }

  /// Returns a request that has been converted already, without the parsed bodies that it keeps in memory.
  static func storing(_ request: ReceivedRequest) -> StoredRequest {
    var request = request
    request.content = .uncached
    return .received(request)
  }

  /// Returns the request as a received request.
  ///
  /// - Parameter number: The number of the request in the journal.
  /// - Returns: The received request.
  func received(number: Int) -> ReceivedRequest {
    switch self {
    case .received(var request):
      request.content = RequestContent()
      return request
    case .sent(let request, let time):
      guard let received = try? request.received(request.receivedPath, number: number, at: time)
      else { return request.receivedWithoutBody(at: time) }
      return received
    }
  }
}

extension HTTPBody {
  /// Whether a journal records the body if no route reads it.
  ///
  /// True for bodies in memory, and for files of up to 1 MiB.
  var isRecorded: Bool {
    switch self {
    case .none, .data: true
    case .file, .pieces, .stream: (byteCount ?? .max) <= 1 << 20
    }
  }
}

extension HTTPRequest {
  /// Returns this request for storage in the journal.
  ///
  /// A body in files of up to 1 MiB is read now, because the files may be deleted before the
  /// journal is read. A larger one is not recorded.
  func stored(at time: Duration) -> StoredRequest {
    switch body {
    case .none, .data: return .sent(self, time: time)
    case .file, .pieces, .stream: break
    }
    if body.isRecorded, let received = try? received(receivedPath, number: 0, at: time) {
      return .storing(received)
    }
    return .storing(receivedWithoutBody(at: time))
  }

  /// The path without the values of route variables.
  var receivedPath: ReceivedPath { ReceivedPath(of: target, below: options.basePath) }

  fileprivate func receivedWithoutBody(at time: Duration) -> ReceivedRequest {
    let size = Int(body.byteCount ?? 0)
    return ReceivedRequest(
      method: method, target: target, path: receivedPath, headers: headers, trailers: [:],
      body: Data(), bodyByteCount: size, version: "1.1", connection: 0, exchange: 0, time: time)
  }
}
