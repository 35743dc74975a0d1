import Foundation
import Promises

/// The stage that compresses the bodies of requests with a ``BodyCompression``.
///
/// Source: RFC 9110 sections 8.4 and 15.5.16.
struct CompressionStage: BuiltInStage {
  let scheduler: any Scheduler

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard let compression = exchange.call.request.compression,
      let content = exchange.request.body.compressibleContent
    else { return next(exchange) }
    let response =
      switch content {
      case .memory(let pieces):
        compressed(pieces, of: exchange).then(on: .inline) { data in
          next(exchange.with(.data(data), in: compression.coding))
        }
      case .stream(let stream): next(exchange.with(.stream(stream), in: compression.coding))
      }
    guard compression.fallsBack, exchange.request.body.isRepeatable else { return response }
    return response.then(on: .inline) { response -> NetworkPromise in
      guard response.status == 415 else { return .fulfilled(response) }
      exchange.state.end(.success(response))
      exchange.reportResend(after: .success(response))
      return next(exchange)
    }
  }

  /// Compresses a body in memory on a background thread.
  private func compressed(_ pieces: [Data], of exchange: Exchange) -> Promise<Data> {
    let request = exchange.request
    // A virtual-time scheduler waits for the task.
    return ActivityExecutor.counting(for: scheduler) {
      Promise<Data> {
        do throws(TransportFailure) {
          return try GzipEncoder.encode(pieces)
        } catch {
          throw NetworkError(error, of: request)
        }
      }
    }
  }
}

extension Exchange {
  /// Returns the exchange with a compressed body.
  fileprivate func with(_ body: HTTPBody, in coding: BodyCompression.Coding) -> Exchange {
    var exchange = self
    exchange.request.body = body
    // The caller may have applied other codings before.
    let codings = request.headers.values(for: "Content-Encoding") + [coding.rawValue]
    exchange.request.headers["Content-Encoding"] = codings.joined(separator: ", ")
    return exchange
  }
}

/// The content of a body that is compressed.
private enum CompressibleContent {
  /// Bytes in memory, which are compressed before they are sent.
  case memory([Data])
  /// The compressed bytes of a body that is read while it is sent.
  case stream(BodyStream)
}

extension HTTPBody {
  /// The content of the body, or `nil` if it has no bytes.
  fileprivate var compressibleContent: CompressibleContent? {
    let pieces = allPieces.compactMap { piece in
      if case .data(let data) = piece { data } else { nil }
    }
    if case .stream = self { return .stream(compressedStream) }
    guard pieces.count == allPieces.count else { return .stream(compressedStream) }
    return pieces.allSatisfy(\.isEmpty) ? nil : .memory(pieces)
  }
}
