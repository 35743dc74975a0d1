import Foundation

extension Mock {
  /// The behavior of a sequence after its last response.
  public enum SequenceEnd: Sendable, Hashable {
    /// The last response repeats.
    case repeatsLast
    /// Requests fail, because the sequence is exhausted.
    ///
    /// In memory the code is `NetworkError.Code.mockFailed`; on a socket the response is a 500.
    case fails
    /// Requests are handled as if there were no mock.
    ///
    /// A ``MockProvider`` sends them to the real network, and a ``MockTransport`` to its fallback.
    /// A transport without a fallback and a ``MockServer`` handle them as requests without a route.
    case fallsThrough
  }

  /// The responses of a sequence, and the source location that identifies it.
  final class ResponseSequence: Sendable {
    /// The location of a sequence in source code or in a stub file, which identifies the sequence.
    struct SourceLocation: Sendable, Hashable {
      let file: String
      let line: UInt
      let column: UInt
    }

    let mocks: [Mock]
    let end: SequenceEnd
    let location: SourceLocation

    init(_ mocks: [Mock], _ end: SequenceEnd, _ location: SourceLocation) {
      self.mocks = mocks
      self.end = end
      self.location = location
    }
  }

  /// Returns a mock that responds to each request with the next response of a list.
  ///
  /// ```swift
  /// MockProvider { _ in .sequence(.status(503), .status(503), .json([])) }
  /// ```
  ///
  /// Requests with the same method and path receive the responses in order; each retry of a request
  /// receives the next response. The server, transport or provider that serves the sequence counts
  /// its uses, separately for each route, method and path. The source location identifies the
  /// sequence, so a closure may create it again for each request, as above. Two servers count
  /// independently.
  ///
  /// - Parameters:
  ///   - mocks: The responses in order. An empty sequence is exhausted from the start.
  ///   - end: The behavior after the last response.
  ///   - file: The source file, part of the identity of the sequence.
  ///   - line: The source line, part of the identity of the sequence.
  ///   - column: The source column, part of the identity of the sequence.
  /// - Returns: The mock. Its delays, pacing, fault and header fields are defaults for its
  ///   responses.
  public static func sequence(
    _ mocks: Mock..., then end: SequenceEnd = .repeatsLast, file: StaticString = #fileID,
    line: UInt = #line, column: UInt = #column
  ) -> Mock {
    sequence(mocks, then: end, file: file, line: line, column: column)
  }

  /// Returns a mock that responds to each request with the next response of an array.
  ///
  /// Uses are counted as in the variadic form.
  ///
  /// - Parameters:
  ///   - mocks: The responses in order. An empty sequence is exhausted from the start.
  ///   - end: The behavior after the last response.
  ///   - file: The source file, part of the identity of the sequence.
  ///   - line: The source line, part of the identity of the sequence.
  ///   - column: The source column, part of the identity of the sequence.
  /// - Returns: The mock. Its delays, pacing, fault and header fields are defaults for its
  ///   responses.
  public static func sequence(
    _ mocks: [Mock], then end: SequenceEnd = .repeatsLast, file: StaticString = #fileID,
    line: UInt = #line, column: UInt = #column
  ) -> Mock {
    var mock = Mock()
    mock.source = .sequence(
      ResponseSequence(mocks, end, .init(file: "\(file)", line: line, column: column)))
    return mock
  }

  /// Returns a mock that creates its response from the request.
  ///
  /// - Parameter make: A closure that creates the response. It runs once for each request, on the
  ///   thread that serves the request, and must not block. If it throws, the response is a 500 with
  ///   the description of the error.
  /// - Returns: The mock. Its delays, pacing, fault and header fields are defaults for the
  ///   response.
  public static func template(
    _ make: @escaping @Sendable (_ request: ReceivedRequest) throws -> Mock
  ) -> Mock {
    var mock = Mock()
    mock.source = .template { request, _ in try make(request) }
    return mock
  }
}
