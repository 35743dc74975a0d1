import Foundation

extension HAR {
  /// Reads an archive.
  ///
  /// - Parameter file: where it is.
  /// - Throws: ``RecordingError/missing(file:)``, ``RecordingError/unreadable(file:reason:)``, and
  ///   ``RecordingError/malformed(file:place:problem:)`` when it is no HAR 1.1 or 1.2.
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
    let data = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
    do {
      self = try JSONDecoder().decode(HAR.self, from: Data(data))
    } catch let error as DecodingError {
      throw Self.malformed(error, Data(data), file)
    } catch {
      throw .malformed(file: file, place: "the root", problem: "it cannot be decoded")
    }
    guard ["1.1", "1.2", ""].contains(log.version) else {
      throw .malformed(
        file: file, place: "log.version", problem: "expected 1.2, found \"\(log.version)\"")
    }
    try check(file)
  }

  /// What types alone do not say.
  private func check(_ file: URL) throws(RecordingError) {
    for (index, entry) in log.entries.enumerated() {
      func malformed(_ place: String, _ problem: String) -> RecordingError {
        .malformed(file: file, place: "log.entries[\(index)].\(place)", problem: problem)
      }
      guard Entry.isTimestamp(entry.startedDateTime) else {
        throw malformed("startedDateTime", "expected a date and time in ISO 8601")
      }
      guard URL(string: entry.request.url)?.scheme != nil else {
        throw malformed("request.url", "expected an absolute URL")
      }
      let status = entry.response.status
      guard (100...999).contains(status) || (status == 0 && entry.response.content.text == nil)
      else { throw malformed("response.status", "expected a status of three digits, or 0") }
      guard entry.timings.areWithinADay else {
        throw malformed("timings", "expected times of at most a day")
      }
      guard entry.response.content.data != nil else {
        throw malformed("response.content.text", "expected base64, as its encoding says")
      }
      guard entry.request.postData?.isReadable != false else {
        throw malformed("request.postData.text", "expected base64, as its _encoding says")
      }
    }
  }

  private static func malformed(_ error: DecodingError, _ data: Data, _ file: URL) -> RecordingError
  {
    let (path, problem): ([any CodingKey], String) =
      switch error {
      case .keyNotFound(let key, let context):
        (context.codingPath, "expected a member \"\(key.stringValue)\", found none")
      case .typeMismatch(let type, let context):
        (context.codingPath, "expected \(name(of: type)), found something else")
      case .valueNotFound(let type, let context):
        (context.codingPath, "expected \(name(of: type)), found null")
      case .dataCorrupted(let context): (context.codingPath, "")
      @unknown default: ([], "")
      }
    guard problem.isEmpty else {
      return .malformed(file: file, place: place(path), problem: problem)
    }
    guard path.isEmpty else {
      return .malformed(file: file, place: place(path), problem: "the value is out of range")
    }
    let (position, reason) = SyntaxPosition.find(in: data)
    return .malformed(file: file, place: position, problem: "expected JSON: \(reason)")
  }

  private static func place(_ path: [any CodingKey]) -> String {
    var place = ""
    for key in path {
      if let index = key.intValue {
        place += "[\(index)]"
      } else {
        place += place.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
    return place.isEmpty ? "the root" : place
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
