import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request's body as `URLSession` takes it: nothing, bytes, or one file.
enum URLSessionBody: Sendable {
  case none
  case data(Data)
  case file(URL)
  case copy(TemporaryFile)

  /// Whether it takes a copy, as `URLSession` sends one file or bytes that are there, and reads a stream
  /// with nothing in it yet as one that has ended.
  static func mustBeCopied(_ body: HTTPBody) -> Bool {
    switch body {
    case .none, .data, .file: false
    case .stream: true
    case .pieces(let pieces): pieces.contains { if case .file = $0 { true } else { false } }
    }
  }

  /// Makes it of a body that need not be copied.
  ///
  /// Files are looked at before Foundation does, which on Linux does not survive a folder and waits for
  /// ever for an empty file.
  init(_ body: HTTPBody) throws(TransportFailure) {
    switch body {
    case .none: self = .none
    case .data(let data): self = .data(data)
    case .file(let url): self = try Self.checkedSize(of: url) > 0 ? .file(url) : .data(Data())
    case .pieces, .stream:
      self = .data(
        body.allPieces.reduce(into: Data()) { if case .data(let bytes) = $1 { $0 += bytes } })
    }
  }

  /// Makes it of any body, by a copy of that.
  init(copying body: HTTPBody) async throws(TransportFailure) {
    for case .file(let url) in body.allPieces { _ = try Self.checkedSize(of: url) }
    let reader = try BodyReader(body)
    do {
      self = .copy(
        try await TemporaryFile { target in
          while let bytes = try await reader.next(upTo: 1 << 20) {
            try target.write(contentsOf: bytes)
          }
        })
    } catch let failure as TransportFailure {
      throw failure
    } catch {
      throw Self.unreadable((error as NSError).localizedDescription)
    }
  }

  /// Makes the task that sends it.
  ///
  /// Bytes too go as an upload, since `URLSession` adds a content type of its own to others.
  func task(of request: URLRequest, in session: URLSession) -> URLSessionTask {
    switch self {
    case .data(let data) where !data.isEmpty || request.httpMethod != "GET":
      session.uploadTask(with: request, from: data)
    case .none, .data: session.dataTask(with: request)
    case .file(let url): session.uploadTask(with: request, fromFile: url)
    case .copy(let file): session.uploadTask(with: request, fromFile: file.url)
    }
  }

  private static func checkedSize(of url: URL) throws(TransportFailure) -> Int64 {
    guard url.isFileURL else { throw unreadable("its URL is not a file's") }
    let attributes: [FileAttributeKey: Any]
    do {
      attributes = try FileManager.default.attributesOfItem(
        atPath: url.resolvingSymlinksInPath().path)
    } catch {
      throw unreadable("there is no such file")
    }
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw unreadable("it is no file")
    }
    guard FileManager.default.isReadableFile(atPath: url.path) else {
      throw unreadable("there is no permission")
    }
    return (attributes[.size] as? NSNumber)?.int64Value ?? 0
  }

  private static func unreadable(_ reason: String) -> TransportFailure {
    TransportFailure(code: .encodingFailed, detail: "The body cannot be read: \(reason)")
  }
}
