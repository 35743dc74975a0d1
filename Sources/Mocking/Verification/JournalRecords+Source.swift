import Foundation
import Networking

extension JournalRecords.Source {
  /// How many bytes of a body it keeps in memory.
  var bodyByteCount: Int {
    switch self {
    case .received(let request): return request.body.count
    case .wire(let request, _):
      if case .data(let data) = request.body { return data.count }
      return 0
    }
  }

  /// The same without a body, which is still counted.
  var withoutBody: Self {
    switch self {
    case .received(var request):
      request.body = Data()
      return .received(request)
    case .wire(let request, let time):
      return .received(request.receivedWithoutBody(at: time))
    }
  }

  /// The request, worked out.
  func request(_ number: Int) -> ReceivedRequest {
    switch self {
    case .received(let request): return request
    case .wire(let request, let time):
      guard let received = try? request.received(request.receivedPath, number: number, at: time)
      else { return request.receivedWithoutBody(at: time) }
      return received
    }
  }
}

extension HTTPBody {
  /// Whether a journal keeps it where nobody else reads it: what is in memory, and else up to 1 MiB.
  var isKept: Bool {
    switch self {
    case .none, .data: true
    case .file, .pieces, .stream: (byteCount ?? .max) <= 1 << 20
    }
  }
}

extension HTTPRequest {
  /// This request with its body in memory, if that is a file of up to 1 MiB, and with no body otherwise
  /// than in memory: what a journal can read later.
  func source(at time: Duration) -> JournalRecords.Source {
    switch body {
    case .none, .data: return .wire(self, time: time)
    case .file, .pieces, .stream: break
    }
    if body.isKept, let received = try? received(receivedPath, number: 0, at: time) {
      return .received(received)
    }
    return .received(receivedWithoutBody(at: time))
  }

  /// The path with no variables.
  var receivedPath: ReceivedPath {
    let target = RequestTarget(target)
    return ReceivedPath(
      text: target.map { String($0.path) } ?? self.target, target?.segments ?? [])
  }

  fileprivate func receivedWithoutBody(at time: Duration) -> ReceivedRequest {
    let size = Int(body.byteCount ?? 0)
    return ReceivedRequest(
      method: method, target: target, path: receivedPath, headers: headers, trailers: [:],
      body: Data(), bodyByteCount: size, version: "1.1", connection: 0, exchange: 0, time: time)
  }
}
