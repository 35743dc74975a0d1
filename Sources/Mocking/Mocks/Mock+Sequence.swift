import Foundation

extension Mock {
  /// What a sequence answers once all of it has been given.
  public enum SequenceEnd: Sendable, Hashable {
    /// Its last answer, again and again.
    case repeatsLast
    /// A failure that says that the sequence is over: in memory the request fails with
    /// `NetworkError.Code.mockFailed`, on a socket it is answered by 500.
    case fails
    /// What would be answered without it.
    ///
    /// From a ``MockProvider`` that is the real network's answer, from a ``MockTransport`` its fallback's;
    /// where there is none, and from a ``MockServer``, that of a request without a route.
    case fallsThrough
  }

  /// Several answers, and how they are told from other sequences.
  final class ResponseSequence: Sendable {
    /// A place in a program.
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

  /// One answer after the other.
  ///
  /// ```swift
  /// MockProvider { _ in .sequence(.status(503), .status(503), .json([])) }
  /// ```
  ///
  /// The answers go to requests of the same method and path in the order in which these come, the attempts
  /// of one request that is tried again among them. Who serves the sequence keeps the account: for each
  /// place in the source where one is made, each route, and each method and path, its own. So it may be made anew for
  /// each request, as here, and two servers know nothing of each other.
  ///
  /// - Parameters:
  ///   - mocks: the answers in order; none is a sequence that is over.
  ///   - end: what is answered once all have been given.
  ///   - file: where it is made, by which it is told from others.
  ///   - line: where it is made, by which it is told from others.
  ///   - column: where it is made, by which it is told from others.
  /// - Returns: the sequence. A delay or a fault given to it is for those of its answers that have none.
  public static func sequence(
    _ mocks: Mock..., then end: SequenceEnd = .repeatsLast, file: StaticString = #fileID,
    line: UInt = #line, column: UInt = #column
  ) -> Mock {
    sequence(mocks, then: end, file: file, line: line, column: column)
  }

  /// One answer after the other, from a list.
  ///
  /// - Parameters:
  ///   - mocks: the answers in order; none is a sequence that is over.
  ///   - end: what is answered once all have been given.
  ///   - file: where it is made, by which it is told from others.
  ///   - line: where it is made, by which it is told from others.
  ///   - column: where it is made, by which it is told from others.
  /// - Returns: the sequence. A delay or a fault given to it is for those of its answers that have none.
  public static func sequence(
    _ mocks: [Mock], then end: SequenceEnd = .repeatsLast, file: StaticString = #fileID,
    line: UInt = #line, column: UInt = #column
  ) -> Mock {
    var mock = Mock()
    mock.source = .sequence(
      ResponseSequence(mocks, end, .init(file: "\(file)", line: line, column: column)))
    return mock
  }

  /// An answer made of the request.
  ///
  /// - Parameter make: makes it, once a request, on the thread that serves it; it must not block. An error
  ///   that it throws is answered by 500 with the error's description.
  /// - Returns: the answer. A delay or a fault given to it is for what `make` returns without one.
  public static func template(
    _ make: @escaping @Sendable (_ request: ReceivedRequest) throws -> Mock
  ) -> Mock {
    var mock = Mock()
    mock.source = .template(make)
    return mock
  }
}
