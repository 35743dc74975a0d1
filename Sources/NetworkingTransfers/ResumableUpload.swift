import CatenaSystem
public import Foundation
import Networking
import Promises

/// The options of an upload that a later one can continue.
///
/// ```swift
/// let upload = ResumableUpload.tus(metadata: ["filename": "film.mp4"], verifiesPieces: true)
/// networking.transfer(file, to: .films, by: upload)
/// ```
public struct ResumableUpload: Sendable, Hashable {
  /// The metadata that the server gets at the creation, such as `filename` and `filetype`.
  ///
  /// A key has visible ASCII characters without commas; otherwise the upload fails with
  /// `encodingFailed`.
  public var metadata: [String: String]
  /// The maximum number of bytes of a request.
  ///
  /// A value below 1 counts as 1. A server may discard the incomplete piece of a lost connection.
  public var pieceSize: Int
  /// Whether the server verifies the checksum of each piece.
  ///
  /// The function is SHA-256 or, if the server does not have it, SHA-1. If the server has neither, the
  /// upload fails with `unsupported`. Each piece is read twice.
  public var verifiesPieces: Bool
  /// The file URL of the state.
  ///
  /// `nil` uses a hidden file beside the uploaded one. Set it if that folder cannot be written to, or
  /// to upload one file to two servers at a time.
  public var stateFile: URL?

  /// Returns the options of an upload by the tus protocol 1.0.0.
  ///
  /// - Parameters:
  ///   - metadata: The metadata that the server gets at the creation.
  ///   - pieceSize: The maximum number of bytes of a request. The default is 16 MiB.
  ///   - verifiesPieces: Whether the server verifies the checksum of each piece.
  ///   - stateFile: The file URL of the state. `nil` uses a hidden file beside the uploaded one.
  /// - Returns: The options.
  public static func tus(
    metadata: [String: String] = [:], pieceSize: Int = 16 << 20, verifiesPieces: Bool = false,
    stateFile: URL? = nil
  ) -> ResumableUpload {
    ResumableUpload(
      metadata: metadata, pieceSize: pieceSize, verifiesPieces: verifiesPieces,
      stateFile: stateFile)
  }

  /// The value of the `Upload-Metadata` field.
  ///
  /// `nil` if there is no metadata.
  var metadataField: String? {
    get throws {
      guard !metadata.isEmpty else { return nil }
      return try metadata.sorted { $0.key < $1.key }.map { key, value in
        guard !key.isEmpty, key.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x2C }) else {
          throw NetworkError(.encodingFailed, "a key of the metadata is empty or not visible ASCII")
        }
        return value.isEmpty ? key : "\(key) \(Data(value.utf8).base64EncodedString())"
      }.joined(separator: ",")
    }
  }
}

/// A file that is uploaded in pieces, and its state on disk.
///
/// The object has a lease, whose file is beside the state, so that two transfers never send to one upload.
/// All methods block.
final class UploadFile: Sendable {
  /// The state of an upload, as it is stored.
  struct Content: Sendable, Hashable, Codable {
    var version = 1
    /// A checksum of the URL that creates uploads, which may contain secrets.
    var resource: String
    /// The origin of that URL, which alone receives the secrets of the endpoint.
    var home: String
    /// The URL of the upload.
    var upload: String
    /// The length of the file.
    var length: Int64
    /// The time of the file's last change, in nanoseconds.
    var modified: Int64
    /// The time at which the server discards the upload.
    ///
    /// `nil` if it is not known.
    var expires: Date?
  }

  /// The length and the time of the last change.
  struct Version: Sendable, Hashable {
    var length: Int64
    var modified: Int64
  }

  /// The version when the file was opened.
  let version: Version
  private let file: OpenFile
  private let path: String
  private let lease: FileLease

  /// Opens the file, and takes the lease of its state.
  ///
  /// - Throws: ``NetworkError`` with the code `encodingFailed` if the file cannot be read;
  ///   `transferInProgress` or `fileNotWritten` if the lease cannot be taken.
  init(_ source: URL, stateFile: URL?) throws {
    guard source.isFileURL, stateFile?.isFileURL ?? true else {
      throw NetworkError(.encodingFailed, "the URL of the file is not a file URL")
    }
    let base = Self.leasePath(of: source, stateFile: stateFile)
    path = "\(base).json"
    let file = try NetworkError.reporting(.encodingFailed) { try OpenFile(source.path) }
    version = try Self.version(of: file)
    lease = try .ofTransfer(base)
    self.file = file
  }

  /// Returns the path of the file of the lease.
  static func leasePath(of source: URL, stateFile: URL?) -> String {
    stateFile?.path ?? HiddenFile.path(beside: source, "upload")
  }

  private static func version(of file: borrowing OpenFile) throws -> Version {
    let status = try NetworkError.reporting(.encodingFailed) { try file.status }
    guard status.isRegular else {
      throw NetworkError(.encodingFailed, "it is not a regular file")
    }
    let (seconds, nanoseconds) = status.modified
    return Version(length: status.byteCount, modified: seconds &* 1_000_000_000 &+ nanoseconds)
  }

  /// Throws if the file has changed since it was opened, or another process has taken over the upload.
  func check() throws {
    try lease.changeTransfer {}
    guard try Self.version(of: file) == version else {
      throw NetworkError(.encodingFailed, "the file has changed while it was uploaded")
    }
  }

  /// Reads bytes at a position.
  func read(_ count: Int, at position: Int64) throws -> Data {
    let data = try NetworkError.reporting(.encodingFailed) { try file.read(count, at: position) }
    guard data.count == count else {
      throw NetworkError(.encodingFailed, "the file was truncated while it was uploaded")
    }
    return data
  }

  /// Returns the hash of a part of the file.
  func hash(
    by algorithm: ContentDigest.Algorithm, from start: Int64, count: Int64
  ) throws -> Data {
    var hasher = try ContentHasher(algorithm)
    var position = start
    while position < start + count {
      let bytes = try read(Int(min(256 << 10, start + count - position)), at: position)
      bytes.withUnsafeBytes { hasher.add($0) }
      position += Int64(bytes.count)
    }
    return try hasher.end()
  }

  /// The stored state.
  ///
  /// `nil` if there is none.
  var content: Content? {
    get throws {
      let content = try HiddenFile.read(Content.self, from: path)
      return content?.version == 1 ? content : nil
    }
  }

  func write(_ content: Content) throws {
    try lease.changeTransfer { try HiddenFile.write(content, to: path) }
  }

  /// Ends the use of the state.
  ///
  /// - Parameter keepsState: Whether a later upload may continue this one.
  func close(keepingState keepsState: Bool) {
    if !keepsState { try? lease.changeTransfer { HiddenFile.remove(path) } }
    lease.release()
  }
}

/// The body of a request that is read only while its transfer is not paused.
struct HeldBody: AsyncSequence {
  typealias Element = Data

  let gate: PauseGate
  /// Returns the next bytes, or `nil` at the end.
  let read: @Sendable () async throws -> Data?

  func makeAsyncIterator() -> Iterator { Iterator(body: self) }

  struct Iterator: AsyncIteratorProtocol {
    let body: HeldBody

    func next() async throws -> Data? {
      try await body.gate.pass()
      return try await body.read()
    }
  }
}

extension HTTPBody {
  /// Returns the same body, which is not read during a pause.
  func held(by gate: PauseGate) -> HTTPBody {
    if case .none = self { return self }
    return .stream(
      BodyStream(length: byteCount, isRepeatable: isRepeatable) {
        let reader = try BodyReader(self)
        return HeldBody(gate: gate) { try await reader.next() }
      })
  }
}
