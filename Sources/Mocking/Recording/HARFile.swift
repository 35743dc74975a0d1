import Foundation
import Networking

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Writes files that are nobody else's to read, whole or not at all.
enum AtomicFileWriter {
  /// Puts bytes in the place of a file: into a new file beside it, which takes its name once all of it
  /// is on the disk.
  ///
  /// The file has the mode 0600 from its first byte on. Folders that are not there are made.
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
    // The name lasts once the folder is on the disk too; where that cannot be asked for, it is enough
    // that the file is.
    let folderDescriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
    if folderDescriptor >= 0 {
      fsync(folderDescriptor)
      close(folderDescriptor)
    }
  }

  /// Makes the folder that a file is to be in.
  static func makeFolder(of file: URL) throws(RecordingError) -> URL {
    guard file.isFileURL else { throw .unwritable(file: file, reason: "its URL is not a file's") }
    let folder = file.standardizedFileURL.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw .unwritable(file: file, reason: reason(of: error))
    }
    return folder
  }

  /// Opens a file that was not there, for writing by its owner alone.
  static func create(_ path: String, for file: URL) throws(RecordingError) -> Int32 {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .unwritable(file: file, reason: reason()) }
    return descriptor
  }

  /// Writes all bytes at a place.
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

  /// What the system says of a failure of Foundation's.
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
  /// - Parameter file: where it is.
  /// - Throws: ``RecordingError/missing(file:)``, ``RecordingError/unreadable(file:reason:)``, and
  ///   ``RecordingError/malformed(file:line:column:path:problem:)`` when it is no HAR 1.1 or 1.2.
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

  /// Reads what is in an archive's file, with a byte order mark or without.
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
      throw JSONDocumentError(text: "it cannot be decoded")
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
  /// The file is written whole or not at all: what was there before stays until all of the new one is on
  /// the disk. Its mode is 0600 from its first byte on. The order of the members is always the same, one
  /// a line, so that two archives of the same exchanges differ where they do.
  ///
  /// Nothing is redacted here; a ``Tape`` does that.
  ///
  /// - Parameter file: where to; its folder is made if it is not there.
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
      // A number that is not finite is all that can be wrong.
      throw .unwritable(file: file, reason: "a time in it is not a number")
    }
  }
}

extension HAR {
  /// Throws what types alone do not say.
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
  /// What is wrong with it, at a path from here; nil for nothing.
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
      return expected("base64, as its encoding says", at: ["response", "content", "text"])
    }
    if request.postData?.isReadable == false {
      return expected("base64, as its _encoding says", at: ["request", "postData", "text"])
    }
    return nil
  }
}

/// Why an archive of exchanges cannot be read, or not be kept.
public enum RecordingError: Error, Hashable, Sendable {
  /// There is no such file, and it was to be replayed.
  case missing(file: URL)
  /// The file is there and cannot be read.
  case unreadable(file: URL, reason: String)
  /// The file is not an HTTP archive.
  ///
  /// The line and column count from 1, a column being a character; the path is
  /// `log.entries[3].request.url`, empty for the root or where the text is no JSON. The problem says what
  /// was expected.
  case malformed(file: URL, line: Int, column: Int, path: String, problem: String)
  /// The file cannot be written.
  case unwritable(file: URL, reason: String)
  /// What was recorded has values in it that look like secrets, at these places; nothing was written.
  case suspectedTokens(file: URL, places: [String])
  /// Responses are larger than what may be recorded, at these places; nothing was written.
  case tooLarge(file: URL, places: [String], limit: Int)
}

extension RecordingError: CustomStringConvertible, LocalizedError {
  /// What is wrong, with which file, and where; no secrets are in it.
  public var description: String {
    switch self {
    case .missing(let file):
      "\(file.path): there is no such recording, and the mode does not make one"
    case .unreadable(let file, let reason): "\(file.path) cannot be read: \(reason)"
    case .malformed(let file, let line, let column, let path, let problem):
      "\(file.path):\(line):\(column): no HTTP archive: \(path.isEmpty ? "" : "\(path): ")\(problem)"
    case .unwritable(let file, let reason): "\(file.path) cannot be written: \(reason)"
    case .suspectedTokens(let file, let places):
      "\(file.path) is not written, as \(places.count) of its values look like secrets; name their "
        + "fields in the options' redaction, or allow them: \(Self.list(places))"
    case .tooLarge(let file, let places, let limit):
      "\(file.path) is not written, as bodies are larger than the limit of \(limit) bytes: "
        + Self.list(places)
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }

  private static func list(_ places: [String]) -> String {
    places.prefix(10).joined(separator: ", ")
      + (places.count > 10 ? " and \(places.count - 10) more" : "")
  }
}
