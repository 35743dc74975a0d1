import Foundation
import Mocking
import MockingDocuments
import MockingResources
import MockingTemplates
import Networking

/// The parsed content of a stub file, without the files that it includes.
struct StubDocument {
  let stubs: [Stub]
  private(set) var connectionFaults: [Int?: MockFault] = [:]
  private(set) var seed: UInt64?
  /// The file for the items of the resources.
  private(set) var storeFile: URL?
  /// The entries of `include`.
  private(set) var includes: [StubValue] = []
  /// The path before the paths of all routes of the file and of the files that it includes.
  let basePath: String
  /// The files with templates that the routes use.
  private(set) var templateFiles: [URL] = []
  /// The warnings about values of the file.
  private(set) var warnings: [JSONDocumentError] = []
  let file: URL
  private let data: Data
  /// The base path of the file that includes this one.
  private let outerBase: String
  /// The resources that the templates of the file use.
  private let references: TemplateReferences

  private static let keys = [
    "$schema", "comment", "include", "basePath", "routes", "defaults", "seed", "connectionFaults",
    "store", "isolation",
  ]

  /// Parses the content of a file.
  ///
  /// - Parameters:
  ///   - data: The content.
  ///   - file: The location of the file, for error messages and relative file names.
  ///   - base: The base path of the file that includes this one.
  ///   - resources: The draft of the resources of all files.
  ///   - paths: The paths of all resources. `nil` if they are not known yet.
  /// - Throws: ``StubFileError/malformed(file:line:column:path:problem:)``.
  init(
    _ data: Data, _ file: URL, base: String = "",
    resources: ResourceDraft = ResourceDraft(of: ResourceStore()), paths: [String]? = nil
  ) throws(StubFileError) {
    outerBase = base
    let data = JSONDocumentError.text(of: data)
    self.data = data
    self.file = file
    do throws(JSONDocumentError) {
      let json = try JSONDocumentError.json(in: data)
      let name = file.lastPathComponent
      let folder = file.deletingLastPathComponent()
      var context = StubContext()
      context.resources = paths
      context.allowsProxies = true
      references = context.references
      let root = StubValue(json: json, path: JSONValuePath(), context: context)
      let collections = json.collectionNames
      if !collections.isEmpty, !collections.contains(where: Self.keys.contains) {
        throw JSONDocumentError(
          path: root.path,
          text: "these are the collections of a database of json-server; serve them by another "
            + "file in the same folder, with "
            + "{\"routes\": [\(StubValue.resources(collections, of: name))]}")
      }
      let names = (json.dictionary ?? [:]).keys
      if !names.isEmpty,
        names.allSatisfy({ NameSuggestion.of($0, among: Self.keys) == nil })
      {
        throw JSONDocumentError(
          path: root.path,
          text:
            "the file is neither a stub file, an object with a member \"routes\", nor an OpenAPI "
            + "document, an object with a member \"openapi\"")
      }
      let object = try root.object(Self.keys, "an object with a member \"routes\"")
      includes = try object["include"]?.includes() ?? []
      basePath = base + (try object["basePath"]?.basePath() ?? "")
      let values =
        includes.isEmpty || object["routes"] != nil
        ? try object.required("routes", "an array").elements("an array of routes") : []
      let offsets = JSONLocator.elementOffsets(of: ["routes"], in: data)
      let places = TextPosition.positions(of: offsets, in: data)
      let defaults = try object["defaults"]?.defaults(in: folder)
      seed = try object["seed"]?.seed()
      storeFile = try object["store"]?.storeFile(in: folder)
      if let (isolation, clients) = try object["isolation"]?.isolation() {
        resources.isolate(by: isolation, maximumClients: clients)
      }
      var stubs: [Stub] = []
      for (index, (value, place)) in zip(values, places).enumerated() {
        let source = RouteSource(file: name, line: place.line, column: place.column)
        var value = value.prefixed(with: basePath)
        let end = index + 1 < offsets.count ? offsets[index + 1] : data.count
        let text = data.dropFirst(offsets[index]).prefix(end - offsets[index])
        value.context.basePath = basePath
        if value.isResource {
          stubs += try value.resource(
            in: folder, defaults: defaults, to: resources, text: text
          ).map { $0.with(source) }
          continue
        }
        value.context.text = Data(text)
        value.context.routePath = value.path
        for value in try value.combinations() {
          stubs.append(
            try value.stub(
              in: folder, defaults: defaults, at: source
            ).with(source).with(definition: value.json))
        }
      }
      let limit = try object["defaults"]?.limitOfDefaults()
      self.stubs = limit.map { limit in stubs.map { $0.limited(by: limit) } } ?? stubs
      warnings = context.warnings.elements
      templateFiles = context.templateFiles.elements
      for value in try object["connectionFaults"]?.elements("an array of faults") ?? [] {
        let (connection, fault) = try value.connectionFault()
        connectionFaults[connection] = fault
      }
    } catch {
      throw Self.located(error, in: data, file)
    }
  }

  /// Checks that the resources that the templates of the file use exist.
  ///
  /// - Parameter paths: The paths of the resources of all files.
  /// - Throws: ``StubFileError`` for the first unknown resource.
  func checkReferences(to paths: [String]) throws(StubFileError) {
    let isKnown = references.paths.allSatisfy { path in
      paths.contains { $0.isResourcePath(path) }
    }
    // Parsing again finds the position of the error.
    if !isKnown { _ = try StubDocument(data, file, base: outerBase, paths: paths) }
  }

  /// Returns the error with its position in the file.
  func located(_ error: JSONDocumentError) -> StubFileError { Self.located(error, in: data, file) }

  /// Returns an error with its position in a file.
  static func located(
    _ error: JSONDocumentError, in data: Data, _ file: URL
  ) -> StubFileError {
    let place = error.place(in: data)
    return .malformed(
      file: file, line: place.line, column: place.column, path: "\(error.path)",
      problem: error.text)
  }
}
