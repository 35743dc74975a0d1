import CatenaSystem
import Foundation
import Mocking
import MockingDocuments
import MockingRecordings
import MockingResources
import Networking

/// A loader of stub files with the files that they include.
///
/// The routes of a file come before those of the files that it includes, so that they take
/// precedence.
struct StubLoader {
  private(set) var routes: [Route] = []
  private(set) var summaries: [StubFile.Summary] = []
  private(set) var connectionFaults: [Int?: MockFault] = [:]
  /// The warnings about recordings, contracts and values of stub files.
  private(set) var warnings: [ArchiveWarning] = []
  /// The operations of contracts that are replaced by routes before them.
  private(set) var notes: [String] = []
  /// The names of contracts, by the indices of their routes.
  private var contractNames: [Int: String] = [:]
  /// All files that have been read, each once.
  private(set) var files: [URL] = []
  /// The patterns of `include`, as whole paths.
  private(set) var patterns: [String] = []
  private var known: Set<URL> = []
  /// The resources of all files.
  private let draft: ResourceDraft
  var resources: ResourceDraft.Content { draft.content }
  /// The first seed of random numbers.
  var seed: UInt64? { documents.lazy.compactMap(\.seed).first }
  /// The file for the items.
  var storeFile: URL? { documents.lazy.compactMap(\.storeFile).first }
  private var documents: [StubDocument] = []

  /// Reads files with the files that they include.
  ///
  /// - Parameters:
  ///   - urls: The files.
  ///   - store: The store of the items, which is not changed yet.
  ///   - recordings: The options of recordings.
  ///   - contracts: The options of OpenAPI documents.
  /// - Throws: ``StubFileError``, `RecordingError` or `ContractError`.
  init(
    _ urls: [URL], in store: ResourceStore = ResourceStore(),
    recordings: Tape.Options = Tape.Options(),
    contracts: StubFile.ContractOptions = StubFile.ContractOptions()
  ) throws {
    draft = ResourceDraft(of: store)
    for url in urls {
      guard !Self.isRecording(url) else {
        let recording = try RecordedRoutes(url, options: recordings)
        routes += recording.routes
        summaries += recording.summaries.map { summary in
          StubFile.Summary(
            method: summary.method, path: summary.path, response: summary.responses,
            conditions: summary.query.map { ["query = \($0)"] } ?? [])
        }
        warnings += recording.warnings
        add(url)
        continue
      }
      if ContractStubs.isContract(url) {
        let contract = try ContractStubs(url, contracts, in: draft)
        for index in contract.routes.indices {
          contractNames[routes.count + index] = url.lastPathComponent
        }
        routes += contract.routes
        summaries += contract.summaries
        warnings += contract.warnings
        for file in contract.files { add(file) }
        continue
      }
      let first = documents.count
      try load(Source(url: url), base: "", includedBy: [])
      for document in documents[first...] {
        routes += document.stubs.map(\.route)
        summaries += document.stubs.map(\.summary)
        connectionFaults.merge(document.connectionFaults) { first, _ in first }
        warnings += document.warnings.map {
          ArchiveWarning(problem: document.located($0).description)
        }
      }
    }
    noteShadowedRoutes()
    let resources = draft.content
    if !resources.paths.isEmpty || resources.isolatesClients {
      routes = routes.map { $0.isRecorded ? $0 : $0.using(store) }
    }
    if storeFile != nil, resources.isolatesClients {
      warnings.append(
        ArchiveWarning(
          problem: "the file of \"store\" keeps only the items of requests without a client, "
            + "because \"isolation\" gives each client items of its own in memory"))
    }
    let nextStates = Stub.nextStates(of: documents.flatMap(\.stubs))
    var ids: Set<RouteID> = []
    let paths = resources.paths
    for document in documents {
      try document.checkReferences(to: paths)
      do throws(JSONDocumentError) {
        try Stub.check(document.stubs, nextStates: nextStates, ids: &ids)
        try resources.checkReferences(of: document.stubs)
      } catch {
        throw document.located(error)
      }
    }
  }

  /// Adds a warning for each stub that no request reaches, and a note for each such operation of a
  /// contract, which a stub may replace on purpose.
  private mutating func noteShadowedRoutes() {
    for (index, first) in routes.shadowed {
      let (route, other) = (routes[index], routes[first])
      let place =
        contractNames[first].map { " of \($0)" } ?? other.source.map { " at \($0)" } ?? ""
      if let contract = contractNames[index] {
        notes.append("\(route) of \(contract) is replaced by \(other)\(place)")
      } else if let source = route.source, route.resources.path == nil {
        warnings.append(
          ArchiveWarning(
            problem: "\(source): \(route) is never used, because \(other)\(place) comes before it "
              + "and responds to all of its requests"))
      }
    }
  }

  private static func isRecording(_ url: URL) -> Bool { url.pathExtension.lowercased() == "har" }

  /// The maximum number of files, which ends the loading of files that include each other in many
  /// ways.
  private static let maximumCount = 1_000

  private mutating func add(_ url: URL) {
    if known.insert(url).inserted { files.append(url) }
  }

  /// Reads a file and the files that it includes.
  ///
  /// - Parameters:
  ///   - source: The file.
  ///   - base: The base path of the file that includes this one.
  ///   - chain: The files that include this one, from the outside in.
  /// - Throws: ``StubFileError`` with the file that contains the error.
  private mutating func load(
    _ source: Source, base: String, includedBy chain: [URL]
  ) throws(StubFileError) {
    let url = source.url
    let data = try source.read()
    let document = try StubDocument(data, url, base: base, resources: draft)
    documents.append(document)
    add(url)
    for file in document.templateFiles { add(file) }
    let chain = chain + [url]
    var included: Set<URL> = []
    for entry in document.includes {
      var entryFiles: [Source] = []
      do throws(JSONDocumentError) {
        let pattern = try Self.pattern(of: entry, in: url)
        if let pattern { patterns.append(pattern) }
        entryFiles = try Self.files(of: entry, matching: pattern, in: url)
        try check(entryFiles.map(\.url), of: entry, includedBy: chain)
      } catch {
        throw document.located(error)
      }
      for file in entryFiles where included.insert(file.url).inserted {
        try load(file, base: document.basePath, includedBy: chain)
      }
    }
  }

  // MARK: Includes

  /// A stub file.
  private struct Source {
    let url: URL
    /// The same file by its name in the folder of the file that includes it.
    ///
    /// `nil` for a file that the user of the loader names.
    var included: MockFile?

    func read() throws(StubFileError) -> Data {
      guard let included else { return try StubLoader.read(url) }
      do {
        return try included.read()
      } catch {
        throw .unreadable(file: url, reason: error.reason)
      }
    }
  }

  /// Reads a file that the user names.
  ///
  /// - Throws: ``StubFileError/missing(file:)`` or ``StubFileError/unreadable(file:reason:)``.
  static func read(_ url: URL) throws(StubFileError) -> Data {
    do {
      return try Data(contentsOf: url)
    } catch {
      throw FileManager.default.fileExists(atPath: url.path)
        ? .unreadable(file: url, reason: FileError.cause(of: error)) : .missing(file: url)
    }
  }

  /// Returns the pattern of an entry of `include` as a whole path, or `nil` for the name of one file.
  private static func pattern(
    of entry: StubValue, in file: URL
  ) throws(JSONDocumentError) -> String? {
    let text = try entry.string("the name of a file, such as \"users.json\" or \"orders/*.json\"")
    guard text.contains(where: { "*?[".contains($0) }) else { return nil }
    _ = try entry.checkingName { () throws(InnerPath.Violation) in try InnerPath(text) }
    // The characters of the folder are not a part of the pattern.
    let folder = file.deletingLastPathComponent().path
    return folder.map { "*?[]\\".contains($0) ? "\\\($0)" : "\($0)" }.joined() + "/\(text)"
  }

  /// Returns the files that an entry of `include` names, sorted by name.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - pattern: The pattern of the entry, or `nil` for the name of one file.
  ///   - file: The file with the entry.
  /// - Returns: The files.
  /// - Throws: ``JSONDocumentError`` if there is none.
  private static func files(
    of entry: StubValue, matching pattern: String?, in file: URL
  ) throws(JSONDocumentError) -> [Source] {
    let name = try entry.string("the name of a file, such as \"users.json\" or \"orders/*.json\"")
    let folder = file.deletingLastPathComponent()
    guard let pattern else {
      guard let included = try source(name, in: folder, of: entry) else {
        throw JSONDocumentError(
          path: entry.path, text: "there is no file \"\(name)\" in \(folder.relativePath)")
      }
      return [included]
    }
    var files: [Source] = []
    for match in matches(of: pattern) {
      let name = String(match.dropFirst(folder.path.count).drop { $0 == "/" })
      guard let included = try source(name, in: folder, of: entry),
        identity(of: included.url) != identity(of: file)
      else { continue }
      files.append(included)
    }
    guard !files.isEmpty else {
      throw JSONDocumentError(
        path: entry.path, text: "no file in \(folder.relativePath) matches \"\(name)\"")
    }
    return files
  }

  /// Returns an included file, or `nil` if there is none that can be read.
  private static func source(
    _ name: String, in folder: URL, of entry: StubValue
  ) throws(JSONDocumentError) -> Source? {
    guard let path = try entry.resolvedName(name, in: folder),
      FileManager.default.isReadableFile(atPath: path.text)
    else { return nil }
    let file = MockFile(name, in: folder)
    return Source(
      url: URL(fileURLWithPath: name, relativeTo: folder).absoluteURL.standardizedFileURL,
      included: file)
  }

  /// Returns the paths that match a pattern of the shell, sorted.
  static func matches(of pattern: String) -> [String] {
    var result = glob_t()
    defer { globfree(&result) }
    guard glob(pattern, 0, nil, &result) == 0, let paths = result.gl_pathv else { return [] }
    return (0..<Int(result.gl_pathc)).compactMap { paths[$0].map { String(cString: $0) } }
  }

  /// The file that a location leads to.
  private static func identity(of url: URL) -> String { url.resolvingSymlinksInPath().path }

  /// Checks that no file includes itself, and limits the number of files.
  private func check(
    _ included: [URL], of entry: StubValue, includedBy chain: [URL]
  ) throws(JSONDocumentError) {
    let ancestors = chain.map { Self.identity(of: $0) }
    for file in included {
      if Self.isRecording(file) {
        throw JSONDocumentError(
          path: entry.path,
          text:
            "a recording cannot be included: pass \(file.lastPathComponent) to the server beside "
            + "this file")
      }
      if let first = ancestors.firstIndex(of: Self.identity(of: file)) {
        let names = (chain[first...] + [file]).map(\.lastPathComponent)
        throw JSONDocumentError(
          path: entry.path, text: "the files include each other: \(names.joined(separator: " -> "))"
        )
      }
    }
    if documents.count + included.count > Self.maximumCount {
      throw JSONDocumentError(
        path: entry.path, text: "more than \(Self.maximumCount) files are included")
    }
  }
}

extension StubValue {
  /// Parses the entries of `include`.
  func includes() throws(JSONDocumentError) -> [StubValue] {
    let expectation = "the names of files, such as [\"users.json\", \"orders/*.json\"]"
    if case .string = json { return [self] }
    return try elements(expectation)
  }

  /// Parses a base path.
  func basePath() throws(JSONDocumentError) -> String {
    let expectation = "a path without a slash at its end, such as \"/api/v1\""
    let text = try string(expectation)
    guard !text.hasSuffix("/"), let template = try? PathTemplate(text),
      !template.segments.contains(where: { if case .rest = $0 { true } else { false } })
    else { throw expected(expectation) }
    return template.text
  }

  /// Returns a route whose path begins with a base path.
  ///
  /// A path that is no valid path is unchanged, and is reported when the route is parsed.
  func prefixed(with base: String) -> StubValue {
    guard !base.isEmpty, case .dictionary(var members) = json else { return self }
    func prefixed(_ path: JSON) -> JSON {
      guard let text = path.string, PathTemplate.pathOfURL(text) == nil else { return path }
      return .string(text.isEmpty || text == "/" ? base : base + PathTemplate.rooted(text))
    }
    for name in ["path", "resource", "nestedPaths"] {
      guard let value = members[name] else { continue }
      members[name] = value.array.map { .array($0.map(prefixed)) } ?? prefixed(value)
    }
    if let references = members["references"]?.dictionary {
      members["references"] = .dictionary(references.mapValues(prefixed))
    }
    return StubValue(json: .dictionary(members), path: path, context: context)
  }
}
