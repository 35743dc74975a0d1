import CatenaSystem
import Foundation
import Mocking
import MockingDocuments
import MockingRecordings
import Networking

/// The files of an OpenAPI document, which are read when a reference leads to them.
///
/// A reference to another scheme than `file` is never followed, and neither is one to a file outside of
/// the folder of the document. ``MockFile`` has the rule for names.
final class ContractSources {
  /// A file that has been read.
  struct Source {
    let url: URL
    let text: Data
    let root: DocumentNode
  }

  /// The limit for the size of one file.
  private static let maximumByteCount = 64 << 20
  /// The limit for the number of files, which bounds references from file to file.
  private static let maximumFileCount = 1_000

  /// The files by the text of their absolute URL.
  private(set) var sources: [String: Source] = [:]
  /// The files in the order in which they were read.
  private(set) var files: [URL] = []
  private(set) var issues: [ContractIssue] = []
  private var failed: Set<String> = []
  /// The folder of the document, with all files to which references may lead.
  private var folder: URL?
  /// The dialect of the schemas in files that references lead to.
  var dialect = SchemaDialect.draft202012

  /// Returns the text of the absolute URL of a file, which identifies it.
  static func uri(of url: URL) -> String { url.absoluteURL.standardizedFileURL.absoluteString }

  /// Reads a file, unless it has been read.
  ///
  /// - Returns: The file. `nil` if it cannot be read, which is an issue.
  func source(_ url: URL) -> Source? {
    let uri = Self.uri(of: url)
    if let source = sources[uri] { return source }
    guard !failed.contains(uri) else { return nil }
    var text = Data()
    do throws(DocumentSyntaxError) {
      text = try contents(of: url)
      let source = Source(url: url, text: text, root: try Self.parse(text, url))
      sources[uri] = source
      files.append(url)
      return source
    } catch {
      failed.insert(uri)
      let position = TextPosition(min(error.offset, text.count), in: text)
      issues.append(
        ContractIssue(
          file: url, line: position.line, column: position.column, pointer: "",
          message: error.reason))
      return nil
    }
  }

  /// Adds a document that is not a file.
  func add(_ text: Data, as url: URL) throws(DocumentSyntaxError) {
    folder = url.absoluteURL.deletingLastPathComponent()
    sources[Self.uri(of: url)] = Source(url: url, text: text, root: try Self.parse(text, url))
    files.append(url)
  }

  private func contents(of url: URL) throws(DocumentSyntaxError) -> Data {
    do throws(MockFile.ReadError) {
      guard let file = try open(url) else {
        throw MockFile.ReadError(reason: "there is no file \(url.standardizedFileURL.path)")
      }
      guard file.byteCount <= Self.maximumByteCount else {
        throw MockFile.ReadError(reason: "it has more than \(Self.maximumByteCount >> 20) MiB")
      }
      return file.readAll()
    } catch {
      throw DocumentSyntaxError(offset: 0, reason: "the file cannot be read: \(error.reason)")
    }
  }

  /// Opens the document, or a file to which a reference leads.
  private func open(_ url: URL) throws(MockFile.ReadError) -> ServedFile? {
    guard let folder else {
      folder = url.absoluteURL.deletingLastPathComponent()
      do throws(FileError) {
        return try ServedFile.existing { () throws(FileError) in try OpenFile(url.path) }
      } catch {
        throw MockFile.ReadError(reason: error.cause)
      }
    }
    let outer = folder.standardizedFileURL.pathComponents
    let parts = url.absoluteURL.standardizedFileURL.pathComponents
    guard parts.starts(with: outer) else {
      let violation = InnerPath.Violation(url.path, "leads out of the folder of the document")
      throw MockFile.ReadError(reason: violation.reason)
    }
    return try MockFile(parts.dropFirst(outer.count).joined(separator: "/"), in: folder).open()
  }

  /// Parses a text as JSON if it begins with a brace, and otherwise as YAML.
  private static func parse(_ text: Data, _ url: URL) throws(DocumentSyntaxError) -> DocumentNode {
    let first = text.first { !YAMLScanner.isSpace($0) && ![0xEF, 0xBB, 0xBF].contains($0) }
    if url.pathExtension.lowercased() == "json", first != UInt8(ascii: "#") {
      let json = JSONDocumentError.text(of: text)
      do throws(JSONDocumentError) {
        _ = try JSONDocumentError.json(in: json)
      } catch {
        throw DocumentSyntaxError(
          offset: (error.offset ?? 0) + text.count - json.count, reason: error.text)
      }
    }
    // JSON is a part of YAML.
    return try YAMLReader.read(text)
  }

  /// Returns the document with a URI, for ``SchemaDocuments``.
  func load(_ uri: String) -> (root: JSON, dialect: SchemaDialect)? {
    guard let url = URL(reference: uri), url.isFileURL, files.count < Self.maximumFileCount,
      let source = source(url)
    else { return nil }
    return (source.root.json, dialect)
  }

  /// Returns the names of the members of an object in their order, for ``SchemaDocuments``.
  func memberNames(_ place: SchemaPlace) -> [String]? {
    sources[place.document]?.root.node(at: place.path)?.members.map(\.name)
  }

  /// Returns problems with their positions, in their order.
  ///
  /// Each document is read once, however many problems it has.
  func issues(_ problems: [SchemaProblem]) -> [ContractIssue] {
    var positions = [TextPosition?](repeating: nil, count: problems.count)
    for (document, indices) in Dictionary(
      grouping: problems.indices, by: { problems[$0].place.document })
    {
      guard let source = sources[document] else { continue }
      let found = indices.map {
        (index: $0, offset: source.root.offset(at: problems[$0].place.path))
      }
      .sorted { $0.offset < $1.offset }
      for (entry, position) in zip(
        found, TextPosition.positions(of: found.map(\.offset), in: source.text))
      {
        positions[entry.index] = position
      }
    }
    return zip(problems, positions).map { problem, position in
      ContractIssue(
        file: sources[problem.place.document]?.url ?? URL(reference: problem.place.document)
          ?? URL(fileURLWithPath: "/"),
        line: position?.line ?? 1, column: position?.column ?? 1, pointer: problem.place.pointer,
        message: problem.reason)
    }
  }
}
