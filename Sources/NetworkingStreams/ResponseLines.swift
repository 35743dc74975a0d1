import Foundation
import Networking
import Promises

/// The lines of a response body, as an asynchronous sequence.
///
/// `Networking.lines(of:)` makes a sequence. Its documentation describes the behavior. Each iterator
/// sends a request of its own.
public struct ResponseLines: AsyncSequence, Sendable {
  /// A line, without its end.
  public typealias Element = String

  let opener: StreamOpener
  let maximumLineSize: Int

  /// Creates an iterator.
  ///
  /// - Returns: The iterator. It sends the request when the first line is asked for.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(
      reader: LineReader(opener, LineSplitter(.any, limit: maximumLineSize), accepting: nil))
  }

  /// An iterator over the lines of a response body.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let reader: LineReader

    /// Returns the next line.
    ///
    /// - Parameter actor: The actor of the caller.
    /// - Returns: The line. `nil` at the end of the body.
    /// - Throws: ``NetworkError``, or `CancellationError` if the task is cancelled. The sequence then
    ///   ends.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> String? {
      try await reader.next(isolation: actor) { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the next line, on systems before macOS 15 and iOS 18.
    ///
    /// - Returns: The line, as from ``next(isolation:)``.
    /// - Throws: The error of ``next(isolation:)``.
    @_disfavoredOverload
    public mutating func next() async throws -> String? { try await next(isolation: nil) }
  }
}

/// A reader of the lines of a response body.
final class LineReader {
  private let opener: StreamOpener
  private let accept: String?
  private var splitter: LineSplitter
  private var body: StreamBody?
  private var hasStarted = false

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - opener: The opener of the stream.
  ///   - splitter: The splitter of the body.
  ///   - accept: The `Accept` field of a request without one. `nil` adds none.
  init(_ opener: StreamOpener, _ splitter: LineSplitter, accepting accept: String?) {
    self.opener = opener
    self.splitter = splitter
    self.accept = accept
  }

  /// The response, after the first line.
  private(set) var response: Response?
  /// The number of lines so far.
  private(set) var lineCount = 0
  /// Whether the last line had an end.
  private(set) var hasLineEnd = true

  /// The sessions of the request, after it was made.
  private var sessions: CallSessions?

  /// Returns the next line.
  ///
  /// - Parameters:
  ///   - actor: The actor of the caller.
  ///   - read: The closure that reads the line.
  /// - Returns: The result of the closure. `nil` at the end of the body.
  /// - Throws: ``NetworkError`` or `CancellationError`. The next call then returns `nil`.
  func next<Result>(
    isolation actor: isolated (any Actor)?, _ read: (_ line: UnsafeRawBufferPointer) -> Result
  ) async throws -> Result? {
    if !hasStarted {
      hasStarted = true
      let sessions = opener.sessions()
      self.sessions = sessions
      let response = try await open(sessions).value
      guard (200...299).contains(response.status) else {
        throw NetworkError(.unacceptableStatus(response.status), response)
      }
      self.response = response
      body = StreamBody(response)
    }
    while let body {
      do {
        // The rest of the lines is not delivered after a sign-out.
        if sessions?.hasEnded == true {
          throw NetworkError.sessionEnded(NetworkError.RequestSummary(body.response.request))
        }
        if let line = try splitter.next(read) {
          lineCount += 1
          return line
        }
        guard let piece = try await body.next(isolation: actor) else {
          self.body = nil
          guard let line = splitter.finish(read) else { return nil }
          lineCount += 1
          hasLineEnd = false
          return line
        }
        splitter.append(piece)
      } catch let error as LineSplitter.LineTooLong {
        self.body = nil
        throw error.error(of: body.response, "line \(lineCount + 1)")
      } catch {
        self.body = nil
        throw error
      }
    }
    return nil
  }

  /// Closes the connection.
  func close() {
    body = nil
  }

  private func open(_ sessions: CallSessions) -> NetworkPromise {
    opener.start(sessions, false) { [accept] request in
      if let accept { request.setDefault("Accept", accept) }
    }
  }
}

extension ResponseLines: BrieflyDescribed {}
