public import Foundation
import MockingDocuments
public import Networking

/// An OpenAPI document as a backend: its operations respond as the document says.
///
/// ```swift
/// let contract = try Contract(file: "api.yaml")
/// let provider = MockProvider<PetsAPI>(contract: contract, seed: 7)
/// let server = try MockServer(contract: contract)       // the same responses on a socket
/// ```
///
/// - **Documents.** OpenAPI 3.0 and 3.1, in JSON or YAML 1.2, in one file or several with `$ref` to
///   local files. A document with mistakes is served as far as it can be: each one is in ``warnings``, with
///   its file, line, column and JSON pointer, and the assumption that is made. A strict contract refuses
///   it. Nothing is fetched from the network.
/// - **Requests.** Parameters are read by their `style` and `explode`. A request that does not keep
///   the contract receives problem details that name each violation: a 401 without credentials, a 415
///   for another content type, and otherwise a 422, or the 400 of the document.
/// - **Responses.** The first successful response of the operation, in the media type that `Accept`
///   prefers: its example if it has a valid one, otherwise a body made from the schema, which is
///   checked before it is sent. The same seed makes the same bodies. The field `Prefer` selects
///   another response: `code=404`, `example=name`, `dynamic=true`.
/// - **Schemas.** JSON Schema 2020-12 for OpenAPI 3.1, and the dialect of OpenAPI 3.0. Patterns are
///   searched in linear time; those that cannot be, with look-around or back-references, are
///   ``warnings`` and match every text.
///
/// Source: OpenAPI 3.0.4 and 3.1.1; JSON Schema 2020-12.
public struct Contract: Sendable {
  /// The title of the document.
  public var title: String { content.title }
  /// The version of the API.
  public var version: String { content.version }
  /// The files of the document: the first one, and those that references lead to.
  public let files: [URL]
  /// The mistakes of the document with the assumptions that were made, its parts that have no effect, and the
  /// schemas that no value can match, in the order of the files.
  ///
  /// ```
  /// api.yaml:9:5: /paths/~1pets~1{id}/get: the parameter {id} of the path is not declared; it is a string
  /// ```
  public let warnings: [ContractIssue]
  /// The operations in the order of their paths: a concrete path comes before a templated one.
  public var operations: [Operation] { content.operations.map(Operation.init) }
  private(set) var content: Content

  /// Returns the contract with a 500 in place of an example that does not keep its schema.
  package func refusingInvalidExamples() -> Contract {
    var contract = self
    contract.content.refusesInvalidExamples = true
    return contract
  }

  /// An operation of a document.
  public struct Operation: Sendable, Hashable {
    /// The method.
    public let method: HTTPMethod
    /// The path, such as `/pets/{id}`.
    public let path: String
    /// The `operationId`.
    ///
    /// `nil` if the document has none.
    public let id: String?
    /// The summary.
    ///
    /// `nil` if the document has none.
    public let summary: String?

    init(_ operation: ContractOperation) {
      method = operation.method
      path = operation.path
      id = operation.id
      summary = operation.summary
    }
  }

  /// The compiled document.
  struct Content: Sendable {
    let title: String
    let version: String
    /// The URLs of the servers, with the defaults of their variables.
    let servers: [String]
    let operations: [ContractOperation]
    let program: SchemaProgram
    let assertsFormats: Bool
    /// The collections, which are the same in all copies.
    let collections = SharedResult()
    /// Whether the values come from a recording, in which secrets are masked.
    var ignoresMaskedValues = false
    /// Whether an example that does not keep its schema is an error of the server.
    var refusesInvalidExamples = false

    /// Returns the violations of a value.
    func violations(
      of value: JSON, _ schema: Int, _ direction: SchemaValidator.Direction,
      maximumStepCount: Int = SchemaValidator.maximumStepCount
    ) -> [SchemaViolation] {
      var stepCount = 0
      return violations(
        of: value, schema, direction, maximumStepCount: maximumStepCount, counting: &stepCount)
    }

    /// Returns the violations of a value, and adds the steps of the check to a number.
    func violations(
      of value: JSON, _ schema: Int, _ direction: SchemaValidator.Direction,
      maximumStepCount: Int, counting stepCount: inout Int
    ) -> [SchemaViolation] {
      let violations = SchemaValidator.violations(
        of: value, schema, in: program, assertsFormats: assertsFormats, direction: direction,
        maximumStepCount: maximumStepCount, counting: &stepCount)
      guard ignoresMaskedValues else { return violations }
      return violations.filter { !value.isMasked(at: $0) }
    }
  }

  /// Reads a document.
  ///
  /// - Parameters:
  ///   - file: The name of the file, relative to the current folder. The current folder of a test depends on
  ///     the program that runs it; see ``init(contentsOf:assertsFormats:isStrict:)`` for a resource of the test target.
  ///   - assertsFormats: Whether a text that is not of its `format`, such as `date-time`, is a
  ///     violation.
  ///   - isStrict: Whether a mistake of the document is an error, not a warning.
  /// - Throws: ``ContractError`` with all errors of the document.
  public init(
    file: String, assertsFormats: Bool = true, isStrict: Bool = false
  ) throws(ContractError) {
    let folder = URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)
    try self.init(
      contentsOf: URL(fileURLWithPath: file, relativeTo: folder), assertsFormats: assertsFormats,
      isStrict: isStrict)
  }

  /// Reads a document.
  ///
  /// - Parameters:
  ///   - url: The location of the file, such as
  ///     `Bundle.module.url(forResource: "api", withExtension: "yaml")!`.
  ///   - assertsFormats: Whether a text that is not of its `format`, such as `date-time`, is a
  ///     violation.
  ///   - isStrict: Whether a mistake of the document is an error, not a warning.
  /// - Throws: ``ContractError`` with all errors of the document.
  public init(
    contentsOf url: URL, assertsFormats: Bool = true, isStrict: Bool = false
  ) throws(ContractError) {
    let sources = ContractSources()
    guard let source = sources.source(url) else {
      throw ContractError(issues: sources.errors + sources.unreadable)
    }
    try self.init(source, sources, assertsFormats, isStrict)
  }

  /// Is unavailable: the message has the declaration to use.
  @available(*, unavailable, renamed: "init(contentsOf:assertsFormats:isStrict:)")
  public init(file: URL, assertsFormats: Bool = true) throws(ContractError) {
    try self.init(contentsOf: file, assertsFormats: assertsFormats)
  }

  /// Reads a document from a text.
  ///
  /// - Parameters:
  ///   - text: The document, in JSON or YAML.
  ///   - folder: The folder for references to files. `nil` is the current folder.
  ///   - assertsFormats: Whether a text that is not of its `format`, such as `date-time`, is a
  ///     violation.
  ///   - isStrict: Whether a mistake of the document is an error, not a warning.
  /// - Throws: ``ContractError`` with all errors of the document.
  public init(
    text: String, in folder: URL? = nil, assertsFormats: Bool = true, isStrict: Bool = false
  ) throws(ContractError) {
    let folder =
      folder ?? URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)
    let url = URL(fileURLWithPath: "openapi.yaml", relativeTo: folder)
    let sources = ContractSources()
    do throws(DocumentSyntaxError) {
      try sources.add(Data(text.utf8), as: url)
    } catch {
      let position = TextPosition(error.offset, in: Data(text.utf8))
      throw ContractError(issues: [
        ContractIssue(
          file: url, line: position.line, column: position.column, pointer: "",
          message: error.reason, isMistake: true)
      ])
    }
    guard let source = sources.source(url) else {
      throw ContractError(issues: sources.errors + sources.unreadable)
    }
    try self.init(source, sources, assertsFormats, isStrict)
  }

  private init(
    _ source: ContractSources.Source, _ sources: ContractSources, _ assertsFormats: Bool,
    _ isStrict: Bool
  ) throws(ContractError) {
    let uri = ContractSources.uri(of: source.url)
    let root = SchemaPlace(document: uri, path: [])
    let (dialect, mistake): (SchemaDialect, SchemaProblem?)
    do throws(SchemaProblem) {
      (dialect, mistake) = try Self.dialect(of: source.root.json, root)
    } catch {
      throw ContractError(issues: sources.issues([error]))
    }
    sources.dialect = dialect
    var documents = SchemaDocuments(load: sources.load, memberNames: sources.memberNames)
    documents.add(uri, source.root.json, dialect: dialect, isSchema: false)
    var reader = ContractReader(
      SchemaCompiler(documents), dialect: dialect, names: sources.names(at:))
    reader.read(root)
    reader.compiler.findEndlessSchemas()
    let problems = [mistake].compactMap(\.self) + reader.problems + reader.compiler.problems
    var known: Set<ContractIssue> = []
    var errors = sources.errors
    var warnings = sources.unreadable
    for (problem, issue) in zip(problems, sources.issues(problems))
    where known.insert(issue).inserted {
      if problem.severity == .error { errors.append(issue) } else { warnings.append(issue) }
    }
    if isStrict {
      errors += warnings.filter(\.isMistake)
      warnings.removeAll(where: \.isMistake)
    }
    // An error is often the consequence of a mistake.
    guard errors.isEmpty else {
      let causes = isStrict ? [] : warnings.filter(\.isMistake)
      throw ContractError(issues: ContractIssue.sorted(errors + causes))
    }
    let operations = reader.operations.map { (path: ContractPath($0.path), operation: $0) }
    let ordered = operations.enumerated().sorted { left, right in
      if left.element.path.precedes(right.element.path) { return true }
      if right.element.path.precedes(left.element.path) { return false }
      return left.offset < right.offset
    }
    files = sources.files
    self.warnings = ContractIssue.sorted(warnings)
    content = Content(
      title: reader.title, version: reader.version, servers: reader.servers,
      operations: ordered.map(\.element.operation),
      program: reader.compiler.program.keepingSearches(), assertsFormats: assertsFormats)
  }

  /// Returns the dialect of the schemas of a document, and a mistake in its version.
  private static func dialect(
    of root: JSON, _ place: SchemaPlace
  ) throws(SchemaProblem) -> (SchemaDialect, SchemaProblem?) {
    guard case .dictionary(let members) = root else {
      throw SchemaProblem(place: place, reason: "expected an OpenAPI document: an object")
    }
    if members["swagger"] != nil {
      let file = place.document.split(separator: "/").last ?? "swagger.json"
      throw SchemaProblem(
        place: place.appending("swagger"),
        reason: "Swagger 2.0 is not read; convert it to OpenAPI 3 with a converter such as "
          + "swagger2openapi: npx swagger2openapi --outfile openapi3.yaml \(file)")
    }
    guard let value = members["openapi"],
      let version = value.string ?? value.double.map({ "\($0)" })
    else {
      throw SchemaProblem(
        place: members["openapi"] == nil ? place : place.appending("openapi"),
        reason: "expected the member openapi with a version in quotation marks, such as 3.1.0")
    }
    let minor = version.split(separator: ".").prefix(2).joined(separator: ".")
    func problem(_ reason: String, _ severity: SchemaProblem.Severity) -> SchemaProblem {
      SchemaProblem(place: place.appending("openapi"), reason: reason, severity: severity)
    }
    let isComplete = value.string != nil && version.count(where: { $0 == "." }) == 2
    let mistake =
      isComplete
      ? nil
      : problem("expected a version in quotation marks, such as 3.1.0; read as \(minor)", .mistake)
    switch minor {
    case "3.0": return (.openAPI30, mistake)
    case "3.1": return (.draft202012, mistake)
    case "3.2":
      return (
        .draft202012,
        mistake ?? problem("read as 3.1; the additions of 3.2 are ignored", .limitation)
      )
    default: throw problem("expected the version 3.0 or 3.1, found \(version)", .error)
    }
  }
}

extension Contract.Operation: CustomStringConvertible {
  /// The method, the path and the identifier, such as `GET /pets/{id} (getPet)`.
  public var description: String { "\(method) \(path)\(id.map { " (\($0))" } ?? "")" }
}
