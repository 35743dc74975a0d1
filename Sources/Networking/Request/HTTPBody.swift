import Foundation

/// What a request sends after its head.
public enum HTTPBody: Sendable, Hashable {
  /// Nothing, not even a length.
  case none
  /// Bytes in memory.
  case data(Data)
  /// The bytes of a file, read as they are sent; its length is taken when the sending starts.
  case file(URL)
  /// Several stretches, one behind the other, such as a form with files in it; the files are read as
  /// they are sent.
  case pieces([BodyPiece])
  /// What is made while it is sent.
  case stream(BodyStream)
}

extension HTTPBody {
  /// The body that pieces make: ``data(_:)`` or ``file(_:)`` where there is but one.
  ///
  /// - Parameter pieces: the pieces in order.
  init(_ pieces: [BodyPiece]) {
    switch (pieces.count, pieces.first) {
    case (0, _): self = .data(Data())
    case (1, .data(let data)): self = .data(data)
    case (1, .file(let url)): self = .file(url)
    default: self = .pieces(pieces)
    }
  }

  /// What it consists of; empty for ``none``, and for a ``stream(_:)``, which is not in pieces yet.
  ///
  /// A ``BodyReader`` reads all kinds alike.
  public var allPieces: [BodyPiece] {
    switch self {
    case .none, .stream: []
    case .data(let data): [.data(data)]
    case .file(let url): [.file(url)]
    case .pieces(let pieces): pieces
    }
  }

  /// How many bytes it has, or nil when that cannot be told, as a file is not there or a stream does not
  /// say.
  ///
  /// Files are asked each time; it is 0 for ``none``.
  public var byteCount: Int64? {
    if case .stream(let stream) = self { return stream.length }
    var total: Int64 = 0
    for piece in allPieces {
      switch piece {
      case .data(let data): total += Int64(data.count)
      case .file(let url):
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        guard let size = attributes?[.size] as? NSNumber else { return nil }
        total += size.int64Value
      }
    }
    return total
  }
}
