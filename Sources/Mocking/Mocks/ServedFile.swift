package import CatenaSystem
package import Foundation
import Networking

/// An open file, of which any thread may read any range.
package final class ServedFile: Sendable {
  private let file: OpenFile
  /// The size when the file was opened.
  package let byteCount: Int
  /// The time of the last change, to the second.
  let modified: Date
  /// A strong validator, which changes with the size and the time of the last change.
  let entityTag: String

  /// Takes over an open file.
  ///
  /// - Parameter file: The file.
  /// - Throws: `FileError` if it is not a regular file.
  private init(_ file: consuming OpenFile) throws(FileError) {
    let status = try file.status
    guard status.isRegular else {
      throw FileError(
        file.path, status.isFolder ? "it is a folder" : "it is not a regular file", number: nil)
    }
    byteCount = Int(status.byteCount)
    modified = status.lastModified
    let parts = [status.byteCount, status.modified.seconds, status.modified.nanoseconds]
    entityTag = "\"\(parts.map { String($0, radix: 16) }.joined(separator: "-"))\""
    self.file = file
  }

  /// Opens a file that may be missing.
  ///
  /// - Parameter open: A closure that opens the file.
  /// - Returns: The file, or `nil` if it does not exist.
  /// - Throws: `FileError` if it cannot be read or is not a regular file.
  package static func existing(
    _ open: () throws(FileError) -> OpenFile
  ) throws(FileError) -> ServedFile? {
    do throws(FileError) {
      return try ServedFile(open())
    } catch {
      if error.number == ENOENT || error.number == ENOTDIR { return nil }
      throw error
    }
  }

  /// Reads the beginning of a range, at most 256 KiB.
  ///
  /// - Parameter range: The range.
  /// - Returns: The bytes. None if the range is empty, or if the file is shorter now or cannot be read.
  func read(_ range: Range<Int>) -> Data {
    var data = Data(count: min(range.count, Self.pieceSize))
    let count = data.withUnsafeMutableBytes { file.read(into: $0, at: Int64(range.lowerBound)) }
    return data.prefix(max(count, 0))
  }

  /// Reads the whole file.
  package func readAll() -> Data {
    var data = Data()
    while case let piece = read(data.count..<byteCount), !piece.isEmpty { data += piece }
    return data
  }

  /// Returns a body with a range of the file.
  ///
  /// A small body is read now. A larger one is read in pieces while it is sent.
  func body(_ range: Range<Int>) -> Mock.Body {
    guard range.count > Self.smallSize else { return .data(read(range)) }
    return .generated(byteCount: range.count) { [self] piece in
      read(range.lowerBound + piece.lowerBound..<range.lowerBound + piece.upperBound)
    }
  }

  /// The maximum size of a body that is read at once.
  private static let smallSize = 64 * 1024
  private static let pieceSize = 256 * 1024
}

// MARK: - Conditional requests and ranges

extension Mock {
  /// Whether the body is a file that has not been opened.
  var hasFile: Bool { if case .file = body { true } else { false } }

  /// Whether the path of the request names the file.
  var hasFolder: Bool { if case .file(let file) = body { file.variable != nil } else { false } }

  /// Returns the response with the contents of its file, if its body is a file.
  ///
  /// It reads from the disk, and must not be called on the thread of a server.
  ///
  /// - Parameter request: The request, if it may have conditions or a range.
  /// - Returns: The whole file, a part of it, or a response without it.
  /// - Throws: `MockFile.ReadError` if the file cannot be opened.
  func openingFile(for request: ReceivedRequest?) throws(MockFile.ReadError) -> Mock {
    guard case .file(let file) = body else { return self }
    var mock: Mock
    if let variable = file.variable {
      var name = request?.path.variables[variable] ?? ""
      if let request, let names = file.names(in: name) {
        let path = request.path.text
        guard path.hasSuffix("/") else { return redirected(to: path + "/", request) }
        guard names.contains("index.html") else { return index(names, of: path) }
        name += "index.html"
      }
      guard let opened = try file.open(name) else { return withoutFile(name) }
      mock = self
      if headers["Content-Type"] == nil {
        mock.headers["Content-Type"] = Mock.contentType(of: name)
      }
      mock = mock.serving(opened, for: request)
    } else {
      mock = serving(try file.open(), for: request)
    }
    if case .generated = mock.body { mock.readsFile = true }
    return mock
  }

  private func serving(_ file: ServedFile, for request: ReceivedRequest?) -> Mock {
    var mock = self
    guard let request, status == 200, request.method == .get || request.method == .head else {
      mock.body = file.body(0..<file.byteCount)
      return mock
    }
    let tag = headers["ETag"] ?? file.entityTag
    let date = headers["Last-Modified"].flatMap { HTTPDate.parse($0, now: Date()) } ?? file.modified
    mock.headers["ETag"] = tag
    mock.headers["Last-Modified"] = HTTPDate.text(of: date)
    mock.headers["Accept-Ranges"] = "bytes"
    switch RepresentationCondition(entityTag: tag, modified: date).evaluate(request) {
    case .failed: mock.setStatusWithoutBody(412)
    case .notModified: mock.setStatusWithoutBody(304)
    // There is no range of an empty file that a 206 could describe.
    case .range where file.byteCount == 0, .whole: mock.body = file.body(0..<file.byteCount)
    case .range(let range):
      guard let bytes = range.resolved(in: file.byteCount) else {
        mock.setStatusWithoutBody(416)
        mock.headers["Content-Range"] = "bytes */\(file.byteCount)"
        return mock
      }
      mock.status = 206
      mock.headers.remove("Content-Length")
      mock.headers["Content-Range"] =
        "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(file.byteCount)"
      mock.body = file.body(bytes)
    }
    return mock
  }

  /// Returns a redirect to the path of a folder, so that relative links in its index are right.
  private func redirected(to path: String, _ request: ReceivedRequest) -> Mock {
    var mock = self
    mock.setStatusWithoutBody(308)
    let query = RequestTarget(request.target)?.query.map { "?\($0)" } ?? ""
    mock.headers["Location"] = path + query
    return mock
  }

  /// Returns a page with links to the files of a folder.
  private func index(_ names: [String], of path: String) -> Mock {
    var mock = self
    mock.headers["Content-Type"] = "text/html; charset=utf-8"
    func text(_ text: String) -> String {
      text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(
        "\"", with: "&quot;")
    }
    let title = text(PercentEncoding.decode(path[...]) ?? path)
    let links = names.map { name in
      let isFolder = name.hasSuffix("/")
      let link = PercentEncoding.url.encoded(isFolder ? String(name.dropLast()) : name)
      return "<li><a href=\"\(link)\(isFolder ? "/" : "")\">\(text(name))</a></li>\n"
    }.joined()
    mock.body = .data(
      Data("<!doctype html>\n<title>\(title)</title>\n<ul>\n\(links)</ul>\n".utf8))
    return mock
  }

  /// Returns the response for a name that is no file of the folder.
  private func withoutFile(_ name: String) -> Mock {
    let problem = Mock.problem(404, "there is no file \(String(name.prefix(200)).debugDescription)")
    var mock = self
    mock.setStatusWithoutBody(problem.status)
    for name in ["ETag", "Last-Modified", "Cache-Control", "Expires"] { mock.headers.remove(name) }
    mock.headers["Content-Type"] = problem.headers["Content-Type"]
    mock.body = problem.body
    return mock
  }

  /// Sets the status of a response that does not contain the file, and removes its body with the
  /// fields that describe it.
  private mutating func setStatusWithoutBody(_ status: Int) {
    self.status = status
    body = .none
    for name in ["Content-Type", "Content-Length", "Content-Encoding", "Content-Language"] {
      headers.remove(name)
    }
  }
}

/// The conditions of a request on a representation with validators.
///
/// Source: RFC 9110 sections 13 and 14.
struct RepresentationCondition {
  enum Result: Hashable {
    case whole
    case range(ByteRange)
    case notModified
    case failed
  }

  let entityTag: String
  /// The time of the last change, to the second.
  let modified: Date
  /// The current time.
  var now = Date()

  /// Evaluates the conditions in their order of precedence.
  ///
  /// The request is for GET or HEAD. Source: RFC 9110 section 13.2.2.
  func evaluate(_ request: ReceivedRequest) -> Result {
    let headers = request.headers
    if let tags = list(headers.values(for: "If-Match")) {
      guard tags == ["*"] || !isWeak(entityTag) && tags.contains(entityTag) else { return .failed }
    } else if let date = self.date(headers["If-Unmodified-Since"]), modified > date {
      return .failed
    }
    if let tags = list(headers.values(for: "If-None-Match")) {
      if tags == ["*"] || tags.contains(where: { opaque($0) == opaque(entityTag) }) {
        return .notModified
      }
    } else if let date = self.date(headers["If-Modified-Since"]), modified <= date {
      return .notModified
    }
    guard request.method == .get, let text = headers["Range"], let range = ByteRange(text) else {
      return .whole
    }
    if let condition = headers["If-Range"], !isUnchanged(condition) { return .whole }
    return .range(range)
  }

  /// Returns whether the representation is the one that a client has a part of.
  ///
  /// Only a strong validator proves this. A weak tag does not, and neither does a time of the current
  /// second, because the file may change again in it.
  ///
  /// Source: RFC 9110 sections 8.8.2.2 and 13.1.5.
  private func isUnchanged(_ condition: String) -> Bool {
    if condition.hasPrefix("\"") { return condition == entityTag }
    return date(condition) == modified && now.timeIntervalSince(modified) >= 1
  }

  private func isWeak(_ tag: String) -> Bool { tag.hasPrefix("W/") }

  private func opaque(_ tag: String) -> Substring { isWeak(tag) ? tag.dropFirst(2) : tag[...] }

  private func date(_ text: String?) -> Date? {
    text.flatMap { HTTPDate.parse($0, now: Date()) }
  }

  /// Returns the entity tags of a field, which may contain commas, or `nil` if there is no field.
  private func list(_ values: [String]) -> [String]? {
    guard !values.isEmpty else { return nil }
    var tags: [String] = []
    for value in values {
      var tag = ""
      var isQuoted = false
      for character in value {
        if character == "\"" { isQuoted.toggle() }
        if character == ",", !isQuoted {
          tags.append(tag.trimmingCharacters(in: .whitespaces))
          tag = ""
        } else {
          tag.append(character)
        }
      }
      tags.append(tag.trimmingCharacters(in: .whitespaces))
    }
    return tags.filter { !$0.isEmpty }
  }
}

/// A range of bytes in a `Range` field.
///
/// Source: RFC 9110 section 14.1.2.
enum ByteRange: Hashable {
  case from(Int, through: Int?)
  case last(Int)

  /// Parses the value of a field.
  ///
  /// Returns `nil` if it is malformed, has another unit or has several ranges. The field is then
  /// ignored.
  init?(_ text: String) {
    guard text.prefix(6).lowercased() == "bytes=", !text.utf8.contains(UInt8(ascii: ",")) else {
      return nil
    }
    let range = text.dropFirst("bytes=".count).trimmingCharacters(in: .whitespaces)
    let ends = range.split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return nil }
    if ends[0].isEmpty {
      guard let count = Self.number(ends[1]) else { return nil }
      self = .last(count)
      return
    }
    guard let first = Self.number(ends[0]) else { return nil }
    guard !ends[1].isEmpty else {
      self = .from(first, through: nil)
      return
    }
    guard let last = Self.number(ends[1]), last >= first else { return nil }
    self = .from(first, through: last)
  }

  /// Parses digits.
  ///
  /// A number that is too large counts as the largest one.
  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text) ?? .max
  }

  /// Returns the range of a body with a size, or `nil` if no byte of it is in the range.
  func resolved(in count: Int) -> Range<Int>? {
    switch self {
    case .from(let first, let last):
      guard first < count else { return nil }
      return first..<min(last ?? .max, count - 1) + 1
    case .last(let length):
      guard length > 0, count > 0 else { return nil }
      return max(count - length, 0)..<count
    }
  }
}
