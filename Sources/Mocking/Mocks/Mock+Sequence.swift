import Foundation

extension Mock {
  /// The behavior of a sequence after its last response.
  public enum SequenceEnd: Sendable, Hashable {
    /// The last response repeats.
    case repeatsLast
    /// Requests fail with an error that says that the sequence is exhausted.
    ///
    /// In memory the code is `NetworkError.Code.mockFailed`; on a socket the response is a 500.
    case fails
    /// Requests are handled as if there were no mock.
    ///
    /// A ``MockProvider`` sends them to the real network, and a ``MockTransport`` to its fallback.
    /// Without one, and in a ``MockServer``, they are requests without a route.
    case fallsThrough
  }

  /// The responses of a sequence, with its identity.
  final class ResponseSequence: Sendable {
    /// A location in source code or in a stub file.
    ///
    /// It identifies a sequence.
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

  /// Returns a mock that gives its responses one after the other.
  ///
  /// ```swift
  /// MockProvider { _ in .sequence(.status(503), .status(503), .json([])) }
  /// ```
  ///
  /// Requests with the same method and path receive the responses in order; each retry of a request
  /// takes the next response. The server, transport or provider that serves the sequence counts its
  /// uses, separately for each source location of a sequence, each route, each method and each
  /// path. A closure may therefore create the sequence again for each request, as above. Two
  /// servers count independently.
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

  /// Returns a mock that gives the responses of an array one after the other.
  ///
  /// The responses are assigned to requests as in the variadic form.
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
    mock.source = .template(make)
    return mock
  }
}
