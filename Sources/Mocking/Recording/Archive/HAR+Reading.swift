import Foundation
import Networking

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
        ? .unreadable(file: file, reason: ArchiveFile.reason(of: error)) : .missing(file: file)
    }
    try self.init(data, file: file)
  }

  /// Reads what is in an archive's file, with a byte order mark or without.
  init(_ data: Data, file: URL) throws(RecordingError) {
    let data = JSONProblem.text(of: data)
    do throws(JSONProblem) {
      guard String(validating: data, as: UTF8.self) != nil else {
        throw JSONProblem.syntax(of: data)
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

  private static func decode(_ data: Data) throws(JSONProblem) -> HAR {
    do {
      return try JSONDecoder().decode(HAR.self, from: data)
    } catch let error as DecodingError {
      throw problem(error, data)
    } catch {
      throw JSONProblem(text: "it cannot be decoded")
    }
  }

  private static func problem(_ error: DecodingError, _ data: Data) -> JSONProblem {
    func expected(_ type: Any.Type, at keys: [any CodingKey]) -> JSONProblem {
      let path = JSONValuePath(keys)
      let found = JSONLocator.kind(of: path, in: data) ?? "something else"
      return JSONProblem(path: path, text: "expected \(name(of: type)), found \(found)")
    }
    switch error {
    case .keyNotFound(let key, let context):
      return JSONProblem(
        path: JSONValuePath(context.codingPath),
        text: "expected a member \"\(key.stringValue)\", found none")
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      return expected(type, at: context.codingPath)
    case .dataCorrupted(let context) where !context.codingPath.isEmpty:
      return JSONProblem(
        path: JSONValuePath(context.codingPath), text: "the value is out of range")
    default: return JSONProblem.syntax(of: data)
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
