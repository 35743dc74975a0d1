import Foundation

/// A request as it goes over the wire: everything decided, nothing left to be looked up.
///
/// It is what a `Request` becomes once its URL is absolute and its parameters are encoded, and what a
/// ``Transport`` performs.
public struct HTTPRequest: Sendable, Hashable {
  /// The method.
  public var method: HTTPMethod
  /// The absolute URL, `http` or `https`.
  public var url: URL
  /// The header fields in order, without those that the transport adds: `Host`, `Content-Length`,
  /// `Transfer-Encoding`, `Connection`.
  public var headers: HTTPHeaders
  /// The body.
  public var body: HTTPBody
  /// How long the transport may take to connect, TLS included; nil is without limit.
  public var connectTimeout: Duration?
  /// How long a connection may be silent while something is awaited from it; nil is without limit.
  public var idleTimeout: Duration?
  /// Whether somebody watches, and wants to hear of the connection.
  ///
  /// It is no part of what is asked for: requests that differ in it alone are equal.
  package var reportsConnection: Bool {
    get { connectionReporting.isOn }
    set { connectionReporting.isOn = newValue }
  }
  private var connectionReporting = IgnoredFlag()

  private struct IgnoredFlag: Sendable, Hashable {
    var isOn = false

    static func == (_: IgnoredFlag, _: IgnoredFlag) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
  }

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - method: the method.
  ///   - url: the absolute URL.
  ///   - headers: the header fields.
  ///   - body: the body.
  ///   - connectTimeout: how long the transport may take to connect; nil is without limit.
  ///   - idleTimeout: how long a connection may be silent; nil is without limit.
  public init(
    method: HTTPMethod = .get, url: URL, headers: HTTPHeaders = [:], body: HTTPBody = .none,
    connectTimeout: Duration? = nil, idleTimeout: Duration? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.connectTimeout = connectTimeout
    self.idleTimeout = idleTimeout
  }
}

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Method and URL, without secrets: `GET https://api.example.com/v1/boards?token=***`.
  public var description: String { NetworkError.RequestSummary(self).description }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// What there is to see without secrets: the URL and the header fields masked, of the body its size.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "method": method, "url": NetworkError.RequestSummary(self).url, "headers": headers,
        "body": body, "connectTimeout": connectTimeout as Any, "idleTimeout": idleTimeout as Any,
      ])
  }
}

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

extension HTTPBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// What it consists of, for people: `12 bytes`; nothing of the bytes themselves.
  public var description: String {
    switch self {
    case .none: "none"
    case .data(let data): "\(data.count) bytes"
    case .file(let url): "file \(url.path)"
    case .pieces(let pieces): "\(pieces.count) pieces"
    case .stream(let stream): stream.length.map { "stream of \($0) bytes" } ?? "stream"
    }
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// None of the bytes.
  public var customMirror: Mirror { Mirror(self, children: ["content": description]) }
}

extension HTTPBody {
  /// Whether it can be sent more than once, and is the same each time.
  ///
  /// A request whose body cannot is never tried again.
  public var isRepeatable: Bool {
    switch self {
    case .none, .data, .file, .pieces: true
    case .stream(let stream): stream.isRepeatable
    }
  }
}

/// A stretch of a body.
public enum BodyPiece: Sendable, Hashable {
  /// Bytes in memory.
  case data(Data)
  /// The bytes of a file, read as they are sent.
  case file(URL)
}
