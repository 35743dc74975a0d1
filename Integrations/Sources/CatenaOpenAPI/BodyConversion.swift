import Foundation
import Networking
import OpenAPIRuntime

// These imports decide which of several types a name is.
import class OpenAPIRuntime.HTTPBody

extension Request.Payload {
  /// Creates the payload of a body.
  ///
  /// A body of a known size up to the limit is read into memory, so that it can be sent again.
  ///
  /// - Parameters:
  ///   - body: The body.
  ///   - limit: The largest size in memory, in bytes.
  /// - Throws: The errors of the body.
  init(_ body: HTTPBody, inMemoryUpTo limit: Int) async throws {
    var length: Int64?
    if case .known(let count) = body.length { length = count }
    if let length, length <= limit {
      var data = Data()
      for try await piece in body {
        data.append(contentsOf: piece)
        guard data.count <= length else { break }
      }
      guard data.count == length else {
        throw NetworkError(.encodingFailed, "the body has not the size that it declares")
      }
      self = .data(data)
    } else if body.iterationBehavior == .multiple {
      self = .stream(BodyStream(length: length) { body.map { Data($0) } })
    } else {
      self = .stream(BodyStream(length: length, once: PieceSequence(body: body)))
    }
  }
}

/// The pieces of a body as data.
private struct PieceSequence: AsyncSequence, Sendable {
  typealias Element = Data
  let body: HTTPBody

  func makeAsyncIterator() -> AsyncMapSequence<HTTPBody, Data>.AsyncIterator {
    body.map { Data($0) }.makeAsyncIterator()
  }
}

extension HTTPBody {
  /// Creates the body of a response.
  ///
  /// - Parameters:
  ///   - response: The response.
  ///   - isStream: Whether the body arrives while it is read.
  convenience init(of response: Response, isStream: Bool) {
    if isStream {
      self.init(response.bytes, length: .unknown, iterationBehavior: .single)
    } else {
      self.init(response.data)
    }
  }
}
