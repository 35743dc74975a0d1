import Foundation
import Mocking
import MockingContracts
import MockingDocuments
import MockingRecordings
import MockingResources
import Networking

/// The routes of an OpenAPI document.
struct ContractStubs {
  let routes: [Route]
  let summaries: [StubFile.Summary]
  let files: [URL]
  /// The warnings of the document.
  let warnings: [ArchiveWarning]

  /// Reads a document.
  ///
  /// - Parameters:
  ///   - file: The location of the document.
  ///   - options: The options of its responses.
  ///   - resources: The draft to which stateful collections are added.
  /// - Throws: `ContractError`.
  init(
    _ file: URL, _ options: StubFile.ContractOptions, in resources: ResourceDraft
  ) throws(ContractError) {
    var contract = try Contract(contentsOf: file, isStrict: options.isStrict)
    if options.refusesInvalidExamples { contract = contract.refusingInvalidExamples() }
    routes =
      options.isStateful
      ? contract.statefulRoutes(
        seed: options.seed, validatesRequests: options.validatesRequests,
        dynamic: options.isDynamic, in: resources)
      : contract.routes(
        seed: options.seed, validatesRequests: options.validatesRequests,
        dynamic: options.isDynamic)
    files = contract.files
    var warnings = contract.warnings.map { ArchiveWarning(problem: $0.description) }
    let operations = contract.operationSummaries
    summaries = operations.map { operation in
      let keepsChanges = options.isStateful && operation.isOfCollection
      return StubFile.Summary(
        method: operation.method, path: operation.path,
        response: keepsChanges ? "\(operation.name), keeps changes" : operation.name,
        conditions: [])
    }
    if operations.isEmpty {
      warnings.append(
        ArchiveWarning(
          problem:
            "\(file.lastPathComponent) has no operations, so that nothing is served: paths is empty"
        ))
    } else if options.isStateful {
      let name = file.lastPathComponent
      let lists = contract.statelessLists
      warnings += lists.map { path, reason in
        ArchiveWarning(problem: "\(name): \(path) keeps no changes: \(reason)")
      }
      if lists.isEmpty, !operations.contains(where: \.isOfCollection) {
        warnings.append(
          ArchiveWarning(
            problem:
              "\(name) has no collection that keeps changes: a list such as /notes with a POST, "
              + "or its items, /notes/{id}, with a PUT, PATCH or DELETE"))
      }
    }
    self.warnings = warnings
  }

  /// Returns whether a file is an OpenAPI document: by its extension, or by its member `openapi`.
  static func isContract(_ url: URL) -> Bool {
    switch url.pathExtension.lowercased() {
    case "yaml", "yml": return true
    case "har": return false
    default:
      guard let data = try? Data(contentsOf: url, options: .mappedIfSafe),
        ["openapi", "swagger"].contains(where: { data.range(of: Data($0.utf8)) != nil }),
        let json = try? JSON(parsing: JSONDocumentError.text(of: data))
      else { return false }
      return json["openapi"] != .null || json["swagger"] != .null
    }
  }
}
