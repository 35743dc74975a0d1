import CatenaSystem
public import Foundation
import MockingDocuments
import Networking

extension HAR {
  /// Reads an archive.
  ///
  /// The file may be in UTF-8 or UTF-16, with or without a byte order mark. Invalid UTF-8, numbers
  /// such as `NaN` and other faults of programs that write JSON by themselves are repaired.
  ///
  /// - Parameter file: The file URL of the archive.
  /// - Throws: ``RecordingError/missing(file:)``, ``RecordingError/unreadable(file:reason:)``, and
  ///   ``RecordingError/malformed(file:line:column:path:problem:)`` if the file is not JSON or has no
  ///   member `log`. An entry that cannot be used is not an error, but one of the ``warnings``.
  public init(contentsOf file: URL) throws(RecordingError) {
    let data: Data
    do {
      data = try Data(contentsOf: file)
    } catch {
      throw FileManager.default.fileExists(atPath: file.path)
        ? .unreadable(file: file, reason: FileError.cause(of: error)) : .missing(file: file)
    }
    try self.init(data, file: file)
  }

  /// Reads the contents of an archive file.
  init(_ data: Data, file: URL) throws(RecordingError) {
    let data = JSONRepair.utf8(data)
    do throws(JSONDocumentError) {
      let json: JSON
      do throws(JSONDocumentError) {
        json = try JSONDocumentError.json(in: data)
      } catch {
        guard let repaired = try? JSONDocumentError.json(in: JSONRepair.repaired(data)) else {
          throw error
        }
        json = repaired
      }
      try Self.checkRoot(of: json)
      self.init(json: json)
    } catch {
      let place = error.place(in: data)
      throw .malformed(
        file: file, line: place.line, column: place.column, path: "\(error.path)",
        problem: error.text)
    }
  }

  /// Checks that a JSON value has a list of entries.
  private static func checkRoot(of json: JSON) throws(JSONDocumentError) {
    func found(_ value: JSON) -> String {
      switch value {
      case .null: "null"
      case .bool: "a Boolean"
      case .int, .decimal, .double: "a number"
      case .string: "a string"
      case .array: "an array"
      case .dictionary: "an object"
      }
    }
    if json.array?.contains(where: { $0["request"].dictionary != nil }) == true { return }
    guard let root = json.dictionary else {
      throw JSONDocumentError(text: "expected an object, found \(found(json))")
    }
    guard let log = root["log"] else {
      if root["entries"]?.array != nil || root["request"]?.dictionary != nil { return }
      throw JSONDocumentError(text: "expected a member \"log\", found none")
    }
    guard let members = log.dictionary else {
      throw JSONDocumentError(path: ["log"], text: "expected an object, found \(found(log))")
    }
    switch members["entries"] {
    case nil, .array, .null: return
    case .dictionary(let list) where list.isEmpty: return
    case .some(let other):
      throw JSONDocumentError(
        path: ["log", "entries"], text: "expected an array, found \(found(other))")
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
  /// - Returns: The entries that were left out because a number in their ``HARObject/otherMembers`` is
  ///   not finite.
  /// - Throws: ``RecordingError/unwritable(file:reason:)``.
  @discardableResult
  public func write(to file: URL) throws(RecordingError) -> [ArchiveWarning] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    var warnings: [ArchiveWarning] = []
    var data = try? encoder.encode(self)
    if data == nil {
      var writable = self
      writable.log.entries = []
      for (index, entry) in log.entries.enumerated() {
        if (try? encoder.encode(entry)) != nil {
          writable.log.entries.append(entry)
        } else {
          warnings.append(
            ArchiveWarning(entry, at: index, problem: "left out: a number is not finite"))
        }
      }
      data = try? encoder.encode(writable)
    }
    guard let data else {
      throw .unwritable(file: file, reason: "a number outside of the entries is not finite")
    }
    do throws(FileError) {
      try PartialFile.write(data + Data("\n".utf8), to: file)
    } catch {
      throw .unwritable(file: file, reason: error.cause)
    }
    return warnings
  }
}
