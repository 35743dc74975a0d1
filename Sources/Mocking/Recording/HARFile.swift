import Foundation
import Networking

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A writer of files, which writes atomically and makes the files readable only by their owner.
enum AtomicFileWriter {
  /// Writes a file.
  ///
  /// The bytes are written to a temporary file in the same folder and flushed to the disk, and then
  /// the file is renamed. It has the mode 0600 from its creation. Missing folders are created.
  static func write(_ data: Data, to file: URL) throws(RecordingError) {
    let folder = try makeFolder(of: file)
    let number = UInt32.random(in: .min ... .max)
    let path = folder.appending(path: ".\(file.lastPathComponent).\(getpid())-\(number).tmp").path
    let descriptor = try create(path, for: file)
    var failure: String?
    if !writeAll(data, to: descriptor, at: 0) || fsync(descriptor) != 0 { failure = reason() }
    if close(descriptor) != 0, failure == nil { failure = reason() }
    if failure == nil, rename(path, file.path) != 0 { failure = reason() }
    if let failure {
      unlink(path)
      throw .unwritable(file: file, reason: failure)
    }
    // Flushes the folder too, so that the rename is durable. Errors are ignored, because not all
    // file systems support this.
    let folderDescriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
    if folderDescriptor >= 0 {
      fsync(folderDescriptor)
      close(folderDescriptor)
    }
  }

  /// Creates the folder of a file, if it does not exist, and returns it.
  static func makeFolder(of file: URL) throws(RecordingError) -> URL {
    guard file.isFileURL else { throw .unwritable(file: file, reason: "the URL is not a file URL") }
    let folder = file.standardizedFileURL.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw .unwritable(file: file, reason: reason(of: error))
    }
    return folder
  }

  /// Creates a file that does not exist yet, writable by its owner only.
  static func create(_ path: String, for file: URL) throws(RecordingError) -> Int32 {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .unwritable(file: file, reason: reason()) }
    return descriptor
  }

  /// Writes all bytes at an offset.
  static func writeAll(_ data: Data, to descriptor: Int32, at offset: Int) -> Bool {
    data.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
        let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + written))
        if count < 0 {
          guard errno == EINTR else { return false }
          continue
        }
        written += count
      }
      return true
    }
  }

  private static func reason() -> String { String(cString: strerror(errno)) }

  /// Returns the system's description of the cause of a Foundation error.
  static func reason(of error: any Error) -> String {
    var error = error as NSError
    while let next = error.userInfo[NSUnderlyingErrorKey] as? NSError { error = next }
    return error.domain == NSPOSIXErrorDomain
      ? String(cString: strerror(Int32(error.code))) : error.localizedDescription
  }
}

extension HAR {
  /// Reads an archive.
  ///
  /// - Parameter file: The file URL of the archive.
  /// - Throws: ``RecordingError/missing(file:)``, ``RecordingError/unreadable(file:reason:)``, and
  ///   ``RecordingError/malformed(file:line:column:path:problem:)`` if the file is not HAR 1.1 or
  ///   1.2.
  public init(contentsOf file: URL) throws(RecordingError) {
    let data: Data
    do {
      data = try Data(contentsOf: file)
    } catch {
      throw FileManager.default.fileExists(atPath: file.path)
        ? .unreadable(file: file, reason: AtomicFileWriter.reason(of: error)) : .missing(file: file)
    }
    try self.init(data, file: file)
  }

  /// Reads the contents of an archive file, with or without a byte order mark.
  init(_ data: Data, file: URL) throws(RecordingError) {
    let data = JSONDocumentError.text(of: data)
    do throws(JSONDocumentError) {
      guard String(validating: data, as: UTF8.self) != nil else {
        throw JSONDocumentError.syntax(of: data)
      }
      self = try Self.decode(data)
      try check()
    } catch {
      let place = error.place(in: data)
      throw .malformed(
        file: file, line: place.line, column: place.column, path: "\(error.path)",
        problem: error.text)
    }
  }

  private static func decode(_ data: Data) throws(JSONDocumentError) -> HAR {
    do {
      return try JSONDecoder().decode(HAR.self, from: data)
    } catch let error as DecodingError {
      throw problem(error, data)
    } catch {
      throw JSONDocumentError(text: "the archive cannot be decoded")
    }
  }

  private static func problem(_ error: DecodingError, _ data: Data) -> JSONDocumentError {
    func expected(_ type: Any.Type, at keys: [any CodingKey]) -> JSONDocumentError {
      let path = JSONValuePath(keys)
      let found = JSONLocator.kind(of: path, in: data) ?? "something else"
      return JSONDocumentError(path: path, text: "expected \(name(of: type)), found \(found)")
    }
    switch error {
    case .keyNotFound(let key, let context):
      return JSONDocumentError(
        path: JSONValuePath(context.codingPath),
        text: "expected a member \"\(key.stringValue)\", found none")
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      return expected(type, at: context.codingPath)
    case .dataCorrupted(let context) where !context.codingPath.isEmpty:
      return JSONDocumentError(
        path: JSONValuePath(context.codingPath), text: "the value is out of range")
    default: return JSONDocumentError.syntax(of: data)
    }
  }

  private static func name(of type: Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Int.Type: "a whole number"
    case is Double.Type: "a number"
    case is Bool.Type: "true or false"
    case is any Collection.Type where !"\(type)".hasPrefix("Dictionary"): "an array"
    default: "an object"
    }
  }
}

extension HAR {
  /// Writes the archive.
  ///
  /// The file is written atomically: an existing file is kept until the new one is on the disk. The
  /// mode is 0600 from its creation. Each member is on a separate line, in a fixed order, so that
  /// archives can be compared with `diff`.
  ///
  /// This method does not mask secrets. A ``Tape`` masks them before it writes.
  ///
  /// - Parameter file: The file URL. A missing folder is created.
  /// - Throws: ``RecordingError/unwritable(file:reason:)``.
  public func write(to file: URL) throws(RecordingError) {
    try AtomicFileWriter.write(try data(file), to: file)
  }

  private func data(_ file: URL) throws(RecordingError) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      return try encoder.encode(self) + Data("\n".utf8)
    } catch {
      // Encoding fails only for a number that is not finite.
      throw .unwritable(file: file, reason: "a duration is not a finite number")
    }
  }
}

extension HAR {
  /// Checks the constraints that the types do not express.
  func check() throws(JSONDocumentError) {
    guard ["1.1", "1.2", ""].contains(log.version) else {
      throw JSONDocumentError(
        path: ["log", "version"], text: "expected 1.2, found \(log.version.debugDescription)")
    }
    for (index, entry) in log.entries.enumerated() {
      if let problem = entry.problem {
        throw JSONDocumentError(
          path: JSONValuePath(steps: ["log", "entries", .element(index)] + problem.path.steps),
          text: problem.text)
      }
    }
  }
}

extension HAR.Entry {
  /// Returns the first error in the entry, with its path, or `nil`.
  fileprivate var problem: JSONDocumentError? {
    func expected(_ expectation: String, at path: JSONValuePath) -> JSONDocumentError {
      JSONDocumentError(path: path, text: "expected \(expectation)")
    }
    if !Self.isTimestamp(startedDateTime) {
      return expected("a date and time in ISO 8601", at: ["startedDateTime"])
    }
    if !request.method.isToken {
      return expected("a method, such as GET", at: ["request", "method"])
    }
    if URL(string: request.url)?.scheme == nil {
      return expected("an absolute URL", at: ["request", "url"])
    }
    let isStatus =
      (100...999).contains(response.status)
      || (response.status == 0 && response.content.text == nil)
    if !isStatus {
      return expected("a status of three digits, or 0", at: ["response", "status"])
    }
    if !timings.areInRange { return expected("times of at most a day", at: ["timings"]) }
    if response.content.data == nil {
      return expected("base64, because encoding is base64", at: ["response", "content", "text"])
    }
    if request.postData?.isReadable == false {
      return expected("base64, because _encoding is base64", at: ["request", "postData", "text"])
    }
    return nil
  }
}

/// An error that occurred when a recording was read or written.
public enum RecordingError: Error, Hashable, Sendable {
  /// The file to replay does not exist.
  case missing(file: URL)
  /// The file exists but cannot be read.
  case unreadable(file: URL, reason: String)
  /// The file is not an HTTP archive.
  ///
  /// `line` and `column` start at 1; a column is one character. `path` is the location of the
  /// value, such as `log.entries[3].request.url`. It is empty for the root and for a text that is
  /// not JSON. `problem` describes the expected value.
  case malformed(file: URL, line: Int, column: Int, path: String, problem: String)
  /// The file cannot be written.
  case unwritable(file: URL, reason: String)
  /// Values at these paths look like secrets.
  ///
  /// Nothing was written.
  case suspectedTokens(file: URL, paths: [String])
  /// Response bodies at these paths are larger than the limit.
  ///
  /// Nothing was written.
  case tooLarge(file: URL, paths: [String], limit: Int)
}

extension RecordingError: CustomStringConvertible, LocalizedError {
  /// The file, the position and the problem, with secrets masked.
  public var description: String {
    switch self {
    case .missing(let file):
      "\(file.path): the recording does not exist, and the tape replays only"
    case .unreadable(let file, let reason): "\(file.path) cannot be read: \(reason)"
    case .malformed(let file, let line, let column, let path, let problem):
      "\(file.path):\(line):\(column): not an HTTP archive: \(path.isEmpty ? "" : "\(path): ")\(problem)"
    case .unwritable(let file, let reason): "\(file.path) cannot be written: \(reason)"
    case .suspectedTokens(let file, let paths):
      "\(file.path) was not written: \(paths.count) of its values look like secrets; add their field "
        + "names to the redaction options, or allow them: \(Self.list(paths))"
    case .tooLarge(let file, let paths, let limit):
      "\(file.path) was not written: bodies are larger than the limit of \(limit) bytes: "
        + Self.list(paths)
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }

  private static func list(_ paths: [String]) -> String {
    paths.prefix(10).joined(separator: ", ")
      + (paths.count > 10 ? " and \(paths.count - 10) more" : "")
  }
}
