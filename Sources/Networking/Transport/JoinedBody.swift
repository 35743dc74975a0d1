/// A body of several pieces, some of which are streams, such as a multipart form with a stream.
///
/// The pieces between two streams are one section. The files of all sections are open from the
/// initializer on, so that the length of the body is known before it is sent.
struct JoinedBody: Sendable {
  private enum Section: Sendable {
    case pieces(PieceReader)
    case stream(BodyStream)
  }

  private let sections: [Section]
  /// The number of bytes, or `nil` if a stream has no declared length.
  private let length: Int64?
  /// Whether all streams can be read again.
  private let isRepeatable: Bool

  /// Opens the pieces.
  ///
  /// - Parameter pieces: The pieces in order.
  /// - Throws: The reason that a file cannot be opened.
  init(_ pieces: [BodyPiece]) throws(PieceReader.ReadError) {
    var sections: [Section] = []
    var length: Int64? = 0
    var isRepeatable = true
    var rest = pieces[...]
    while let first = rest.first {
      let count: Int64?
      if case .stream(let stream) = first {
        rest.removeFirst()
        sections.append(.stream(stream))
        count = stream.length
        isRepeatable = isRepeatable && stream.isRepeatable
      } else {
        let end = rest.firstIndex { if case .stream = $0 { true } else { false } }
        let reader = try PieceReader(rest[..<(end ?? rest.endIndex)])
        rest = rest[(end ?? rest.endIndex)...]
        sections.append(.pieces(reader))
        count = reader.length
      }
      guard let before = length, let count else {
        length = nil
        continue
      }
      let sum = before.addingReportingOverflow(count)
      length = sum.overflow ? nil : sum.partialValue
    }
    self.sections = sections
    self.length = length
    self.isRepeatable = isRepeatable
  }

  /// The sections as one stream.
  ///
  /// If a section cannot be read, it throws a ``TransportFailure``.
  var stream: BodyStream {
    BodyStream(length: length, isRepeatable: isRepeatable) { [sections] in
      // `nonisolated(unsafe)` because the access is protected by its owner: only the task that sends the
      // body uses it.
      nonisolated(unsafe) var rest = sections[...]
      // `nonisolated(unsafe)` because the access is protected by its owner: only the task that sends the
      // body uses it.
      nonisolated(unsafe) var reader: BodyReader?
      return AsyncThrowingStream(unfolding: {
        while true {
          if let bytes = try await reader?.next() { return bytes }
          switch rest.popFirst() {
          case .pieces(let pieces): reader = BodyReader(pieces)
          case .stream(let stream): reader = BodyReader(stream)
          case nil: return nil
          }
        }
      })
    }
  }
}
