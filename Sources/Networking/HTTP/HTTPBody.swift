import CatenaSystem
public import Foundation

/// The body of a request.
public enum HTTPBody: Sendable, Hashable {
  /// No body, and no `Content-Length`.
  case none
  /// Bytes in memory.
  case data(Data)
  /// A file, which is read while it is sent.
  ///
  /// Its length is read when sending starts.
  case file(URL)
  /// Several pieces in order, such as a form with files.
  ///
  /// Files and streams are read while they are sent.
  case pieces([BodyPiece])
  /// A stream of bytes that are produced while they are sent.
  case stream(BodyStream)
}

extension HTTPBody {
  /// Creates a body from pieces.
  ///
  /// A single piece becomes ``data(_:)``, ``file(_:)`` or ``stream(_:)``.
  ///
  /// - Parameter pieces: The pieces in order.
  init(_ pieces: [BodyPiece]) {
    switch (pieces.count, pieces.first) {
    case (0, _): self = .data(Data())
    case (1, .data(let data)): self = .data(data)
    case (1, .file(let url)): self = .file(url)
    case (1, .stream(let stream)): self = .stream(stream)
    default: self = .pieces(pieces)
    }
  }

  /// The pieces of the body.
  ///
  /// Empty for ``none`` and ``stream(_:)``.
  ///
  /// A ``BodyReader`` reads all kinds of bodies.
  package var allPieces: [BodyPiece] {
    switch self {
    case .none, .stream: []
    case .data(let data): [.data(data)]
    case .file(let url): [.file(url)]
    case .pieces(let pieces): pieces
    }
  }

  /// The number of bytes, or `nil` if a file does not exist or is not a regular file, or if a
  /// stream has no declared length.
  ///
  /// File sizes are read from disk at each access. 0 for ``none``.
  public var byteCount: Int64? {
    if case .stream(let stream) = self { return stream.length }
    var total: Int64 = 0
    for piece in allPieces {
      let count: Int64?
      switch piece {
      case .data(let data): count = Int64(data.count)
      case .file(let url): count = Self.size(ofFile: url)
      case .stream(let stream): count = stream.length
      }
      guard let count, case (let sum, false) = total.addingReportingOverflow(count) else {
        return nil
      }
      total = sum
    }
    return total
  }

  private static func size(ofFile url: URL) -> Int64? {
    guard url.isFileURL, let status = try? FileStatus(url.path, followingLinks: true),
      status.isRegular
    else { return nil }
    return status.byteCount
  }

  /// Whether the body can be sent more than once, with the same contents.
  ///
  /// A request whose body is not repeatable is never retried.
  public var isRepeatable: Bool { streams.allSatisfy(\.isRepeatable) }

  /// Whether the body is a stream or has one among its pieces.
  package var hasStreams: Bool { !streams.isEmpty }

  private var streams: [BodyStream] {
    switch self {
    case .none, .data, .file: []
    case .pieces(let pieces):
      pieces.compactMap { if case .stream(let stream) = $0 { stream } else { nil } }
    case .stream(let stream): [stream]
    }
  }
}

extension HTTPBody: BrieflyDescribed {
  /// The kind and the size of the body, such as `12 bytes`, without its contents.
  public var description: String {
    switch self {
    case .none: "none"
    case .data(let data): "\(data.count) bytes"
    case .file(let url): "file \(url.path)"
    case .pieces(let pieces): "\(pieces.count) pieces"
    case .stream(let stream): stream.length.map { "stream of \($0) bytes" } ?? "stream"
    }
  }

  /// The ``description``, without the contents.
  public var customMirror: Mirror { Mirror(self, children: ["content": description]) }
}

/// A piece of a body.
public enum BodyPiece: Sendable, Hashable {
  /// Bytes in memory.
  case data(Data)
  /// A file, which is read while it is sent.
  case file(URL)
  /// A stream, whose bytes are produced while they are sent.
  case stream(BodyStream)
}
