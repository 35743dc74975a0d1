import Foundation
import Promises

/// The stage that compresses the bodies of requests with a ``BodyCompression``.
///
/// Source: RFC 9110 sections 8.4 and 15.5.16.
struct CompressionStage: BuiltInStage {
  let scheduler: any Scheduler

  func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard let compression = exchange.call.request.compression else { return next(exchange) }
    let body = exchange.request.body
    let pieces = body.piecesInMemory
    if let pieces, pieces.allSatisfy(\.isEmpty) { return next(exchange) }
    let response =
      if let pieces {
        compressed(pieces, of: exchange).then(on: .inline) { data in
          next(exchange.with(.data(data), in: compression.coding))
        }
      } else {
        next(exchange.with(.stream(body.compressedStream), in: compression.coding))
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

extension HTTPBody {
  /// The bytes of the body, or `nil` if a part of it is not in memory.
  fileprivate var piecesInMemory: [Data]? {
    let pieces = allPieces.compactMap { piece in
      if case .data(let data) = piece { data } else { nil }
    }
    if case .stream = self { return nil }
    return pieces.count == allPieces.count ? pieces : nil
  }
}
