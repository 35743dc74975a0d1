public import Foundation
public import HTTPTypes

/// The transport of a generated client.
public protocol ClientTransport: Sendable {
  /// Performs an operation.
  func send(_ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String)
    async throws -> (HTTPResponse, HTTPBody?)
}

/// How often a body can be read.
public enum IterationBehavior: Sendable {
  /// Once.
  case single
  /// Any number of times.
  case multiple
}

/// A body, as a sequence of pieces.
public final class HTTPBody: AsyncSequence, Sendable {
  /// A piece of the body.
  public typealias ByteChunk = ArraySlice<UInt8>
  /// A piece of the body.
  public typealias Element = ByteChunk

  /// The size of a body.
  public enum Length: Sendable, Equatable {
    /// It is not known.
    case unknown
    /// The number of bytes.
    case known(Int64)
  }

  /// How often the body can be read.
  public let iterationBehavior: IterationBehavior
  /// The size of the body.
  public let length: Length
  private let start: @Sendable () -> () async throws -> ByteChunk?

  /// Creates a body from a sequence of pieces.
  public init<Pieces: AsyncSequence & Sendable>(
    _ sequence: Pieces, length: Length, iterationBehavior: IterationBehavior
  ) where Pieces.Element: Sequence & Sendable, Pieces.Element.Element == UInt8 {
    self.length = length
    self.iterationBehavior = iterationBehavior
    start = {
      var iterator = sequence.makeAsyncIterator()
      return { try await iterator.next().map { ArraySlice($0) } }
    }
  }

  /// Creates a body from bytes.
  public convenience init(_ data: Data) {
    self.init(
      Repeated(data: data), length: .known(Int64(data.count)), iterationBehavior: .multiple)
  }

  /// Creates an iterator.
  public func makeAsyncIterator() -> Iterator { Iterator(advance: start()) }

  /// An iterator over the pieces.
  public struct Iterator: AsyncIteratorProtocol {
    let advance: () async throws -> ByteChunk?

    /// Returns the next piece.
    public mutating func next() async throws -> ByteChunk? { try await advance() }
  }
}

extension Data {
  /// Reads a body.
  public init(collecting body: HTTPBody, upTo maximum: Int) async throws {
    self.init()
    for try await piece in body {
      append(contentsOf: piece)
      guard count <= maximum else { throw CocoaError(.fileReadTooLarge) }
    }
  }
}

/// A sequence of one piece.
private struct Repeated: AsyncSequence, Sendable {
  typealias Element = Data
  let data: Data

  func makeAsyncIterator() -> AsyncStream<Data>.Iterator {
    AsyncStream { continuation in
      continuation.yield(data)
      continuation.finish()
    }.makeAsyncIterator()
  }
}
