public import Foundation
public import Mocking
public import MockingRecordings
public import MockingResources
public import Networking
public import Promises

/// Routes read from a file: stubs in JSON, or a recording in the HTTP Archive format (HAR).
///
/// ```json
/// {
///   "routes": [
///     { "method": "GET", "path": "/boards", "json": [{ "id": 1, "title": "Fish" }] },
///     { "method": "GET", "path": "/boards/{id}", "status": 404, "delay": "80 ms" },
///     { "path": "/broken", "fault": { "type": "reset", "at": "body", "afterBytes": 512 } }
///   ]
/// }
/// ```
///
/// - **Responses.** A response has a `status`, `headers`, a body (one of `json`, `text`, `base64`,
///   `file`, `folder`, `problem`, `events` and `lines`), a `delay`, a `bodyDelay`, `bytesPerSecond` or
///   `dribble` (`{"pieces": 10, "over": "5 s"}`), and a `fault`. The name in `file` is relative to the
///   folder of the stub file. `folder` serves all files of a folder below a path:
///   `{"path": "/images/{name*}", "folder": "images"}`. `problem` is the detail of a problem document:
///   `{"status": 401, "problem": "the password is wrong"}`. A delay is `"80 ms"`,
///   `{"from": "80 ms", "to": "0.3 s"}` or
///   `{"median": "200 ms", "sigma": 0.5, "cap": "5 s"}`. A `sequence` is a list of responses. Its
///   last response repeats; with `"afterLast": "fails"` further requests fail.
///   `oneOf` is a list of responses, each with a `weight`, one of which is drawn for each request.
/// - **Streams.** `events` is a body of server-sent events, and `lines` one of JSON values on lines:
///   `{"events": [{"event": "tick", "data": {"n": 1}}], "every": "1 s", "repeat": true}`. `interim` is a
///   list of interim responses (1xx), and `trailers` are fields after the body. The guide "Browsers,
///   streams and files" describes them.
/// - **Conditions.** The member `when` contains `query`, `headers`, `form` and `cookies`, each by
///   name. A value is a string, `true` (any value), `false` (no value), `{"contains": "a"}` or
///   `{"matches": "^[0-9]+$"}`. `text` matches the whole body in the same way. `json` lists the
///   members that a JSON body must have; other members are allowed. `jsonEquals` is the whole body.
///   `jsonPath` has values by path, `jsonSchema` a JSON Schema for the body, `parts` the parts of a
///   multipart body by name, and `variables` variables by name. A value may be a template, such as `"Bearer {{ variables.token }}"`.
///   `any`, `all` and `not` contain further conditions. A stub with a higher
///   `priority` takes precedence over others. `times` limits the number of responses of a stub.
/// - **Forwarding.** A route with `{"proxy": "https://staging.example.com"}` forwards its requests, without
///   credentials unless it says so, and may change the requests and the responses.
/// - **Limits.** `{"rateLimit": {"requests": 10, "per": "1 min"}}` of a route, a resource or the defaults
///   counts the requests of each client.
/// - **Scenarios.** A scenario is a named state machine. A route with
///   `{"name": "boards", "when": "started", "then": "created"}` responds only in the state
///   `started` and sets the state `created`. Each scenario starts in the state `started`.
/// - **Variables.** A route with `{"set": {"user": {"id": 7}}}` sets variables when it responds;
///   `null` removes a variable. `{"increment": {"visits": 1}}` adds a number to a variable.
/// - **Defaults.** The member `defaults` of the file has `headers`, a `delay`, a `fault` and the
///   other members of a response except its status and body, for all responses that do not set them.
///   A `fault` may have a `chance`. `seed` makes random numbers reproducible.
/// - **Resources.** `{"resource": "/carts", "data": [...]}` responds to all requests that list, create,
///   read, change and delete items. `changes` of a response changes the items of resources. The guide
///   "Resources" describes both.
/// - **Templates.** A string with `{{ ... }}` in `json`, `text`, `problem`, `headers`, `status` or
///   `webhook` is a template: `{"json": {"id": "{{ path.id | int }}", "at": "{{ now }}"}}`. `let`
///   gives names to values of one response. `"template": false` turns templates off, also those of
///   conditions, and `"template": true` turns them on for a `file`. The guide "Dynamic responses"
///   describes the syntax.
/// - **Webhooks.** `webhook` is a request that the backend sends after the response:
///   `{"url": "{{ body.callbackUrl }}", "json": {...}, "after": "2 s", "retries": 3}`.
/// - **Files.** All names of files are those of files in the folder of the stub file, without hidden files
///   and symbolic links to other folders. `include` lists further stub files:
///   `["users.json", "orders/*.json"]`. `basePath` is a path before the paths of all routes of the
///   file and of the files that it includes.
/// - **Order.** If several stubs with the same priority match, the first one in the file responds.
/// - **Identifiers.** `id` is the identifier of a route, as in ``MockRoutes``.
/// - **Errors.** An unknown key, a value with the wrong type or out of range, a missing file, and a
///   scenario state that no route sets are reported as errors with their location.
///
/// A recording matches a request by method, path and query, and by its body if recorded requests differ
/// only in their bodies; `recordings` sets other parts. It replays the recorded responses in order.
/// Recorded failures are replayed too.
public struct StubFile: Sendable {
  /// The location of the file, or of the first one.
  public let url: URL
  /// The locations of all files that have been read: the files themselves, the files that they
  /// include, files with templates, and files with the initial items of resources.
  ///
  /// A program that reads the routes again after a change watches these files. The files of other
  /// bodies are not included, because they are read for each response.
  public let files: [URL]
  private let patterns: [String]

  /// The files that match the patterns of `include` now, which may be others than when they were read.
  package var matchingFiles: [URL] {
    patterns.flatMap { StubLoader.matches(of: $0) }
      .map { URL(fileURLWithPath: $0).standardizedFileURL }
  }
  /// The routes, for a ``MockServer``, a ``MockTransport`` or a ``MockProvider``.
  public let routes: [Route]
  /// The summaries of the stubs, in order, for display.
  public let summaries: [Summary]
  /// The entries of recordings that cannot be replayed, other reasons why a recording is not complete,
  /// members and routes of stub files that have no effect, and the warnings of OpenAPI documents.
  public let warnings: [ArchiveWarning]
  /// The operations of OpenAPI documents that are replaced by routes before them.
  package let notes: [String]
  /// The seed of the random numbers.
  ///
  /// `nil` if the file does not set one. Pass it as the `seed` of a server, transport or provider.
  public let seed: UInt64?
  /// The items of the resources of the file.
  ///
  /// To keep them in a file that the stub file does not name, open it with `ResourceStore.open(_:)`.
  public let resources: ResourceStore
  private let connectionFaults: [Int?: MockFault]
  /// The resources of the files.
  private var draft: ResourceDraft.Content

  /// Reads a stub file or a recording.
  ///
  /// - Parameters:
  ///   - url: The location of the file. If its extension is `har`, in uppercase or lowercase, the file
  ///     is read as an HTTP archive. A file with the extension `yaml` or `yml`, or with the member
  ///     `openapi`, is read as an OpenAPI document; see `Contract`.
  ///   - opensStore: Whether the file that the member `store` names is opened, and created if
  ///     necessary. `false` only checks the stub file.
  ///   - recordings: The options of recordings: the parts by which requests are matched, and the policy
  ///     for further requests. The origin is ignored.
  /// - Throws: ``StubFileError`` with the location of the error and the expected value;
  ///   `RecordingError` for an archive; `ContractError` for an OpenAPI document;
  ///   `ResourceError` for the file of the resources.
  public init(
    contentsOf url: URL, opensStore: Bool = true, recordings: Tape.Options = Tape.Options()
  ) throws {
    try self.init(contentsOf: [url], opensStore: opensStore, recordings: recordings)
  }

  /// Reads several stub files and recordings as one.
  ///
  /// The routes of the first file take precedence over those of the next one. Scenarios of the same
  /// name are one scenario, and all resources have one store.
  ///
  /// - Parameters:
  ///   - urls: The locations of the files, at least one. A file whose extension is `har`, in uppercase
  ///     or lowercase, is read as an HTTP archive.
  ///   - opensStore: Whether the first file that a member `store` names is opened, and created if
  ///     necessary. `false` only checks the stub files.
  ///   - recordings: The options of recordings. See ``init(contentsOf:opensStore:recordings:)-(URL,_,_)``.
  ///   - contracts: The options of OpenAPI documents.
  /// - Throws: ``StubFileError`` with the location of the error and the expected value;
  ///   `RecordingError` for an archive; `ResourceError` for the file of the resources.
  public init(
    contentsOf urls: [URL], opensStore: Bool = true, recordings: Tape.Options = Tape.Options(),
    contracts: ContractOptions = ContractOptions()
  ) throws {
    try self.init(
      contentsOf: urls, in: ResourceStore(), recordings: recordings, contracts: contracts)
    if !opensStore { draft.file = nil }
    try commit()
  }

  /// Reads several files, whose resources become those of a store by ``commit()``.
  ///
  /// The store is not changed before. Its items are kept, as ``commit()`` describes.
  ///
  /// - Parameters:
  ///   - urls: The locations of the files, at least one.
  ///   - store: The store of the items.
  ///   - data: The file for the items. `nil` uses the first one that a member `store` names.
  ///   - recordings: The options of recordings.
  ///   - contracts: The options of OpenAPI documents.
  /// - Throws: ``StubFileError``, `RecordingError` or `ContractError`.
  package init(
    contentsOf urls: [URL], in store: ResourceStore, data: URL? = nil,
    recordings: Tape.Options = Tape.Options(), contracts: ContractOptions = ContractOptions()
  ) throws {
    url = urls.first ?? URL(fileURLWithPath: "/")
    let loader = try StubLoader(urls, in: store, recordings: recordings, contracts: contracts)
    files = loader.files
    patterns = loader.patterns
    routes = loader.routes
    summaries = loader.summaries
    warnings = loader.warnings
    notes = loader.notes
    connectionFaults = loader.connectionFaults
    seed = loader.seed
    resources = store
    draft = loader.resources
    draft.file = data ?? loader.storeFile
  }

  /// Makes the resources of the files those of the store, in one step, and opens its file.
  ///
  /// Items are kept if the initial items of their resource are the same as before, or if the store has a
  /// file.
  ///
  /// - Throws: `ResourceError`. The store is then unchanged.
  package func commit() throws(ResourceError) { try resources.commit(draft) }

  /// Whether clients have items of their own.
  package var isolatesClients: Bool { draft.isolatesClients }

  /// The options of OpenAPI documents among the files.
  public struct ContractOptions: Sendable, Hashable {
    /// Whether the collections of a document keep the items that requests create, change and delete.
    public var isStateful: Bool
    /// The seed of the bodies that are made from schemas.
    public var seed: UInt64
    /// Whether a request that does not keep its contract receives problem details.
    public var validatesRequests: Bool
    /// Whether bodies are made from their schemas although a document has examples.
    public var isDynamic: Bool
    /// Whether the response is a 500 in place of an example that does not keep its schema.
    ///
    /// `false` makes such a body from the schema.
    public var refusesInvalidExamples: Bool
    /// Whether a mistake of a document is an error, not a warning.
    public var isStrict: Bool

    /// Creates options.
    ///
    /// - Parameters:
    ///   - isStateful: Whether the collections of a document keep the items that requests create, change
    ///     and delete.
    ///   - seed: The seed of the bodies that are made from schemas.
    ///   - validatesRequests: Whether a request that does not keep its contract receives problem details.
    ///   - isDynamic: Whether bodies are made from their schemas although a document has examples.
    ///   - isStrict: Whether a mistake of a document is an error, not a warning.
    ///   - refusesInvalidExamples: Whether the response is a 500 in place of an example that does not
    ///     keep its schema.
    public init(
      isStateful: Bool = false, seed: UInt64 = 0, validatesRequests: Bool = true,
      isDynamic: Bool = false, isStrict: Bool = false, refusesInvalidExamples: Bool = false
    ) {
      self.isStateful = isStateful
      self.seed = seed
      self.validatesRequests = validatesRequests
      self.isDynamic = isDynamic
      self.isStrict = isStrict
      self.refusesInvalidExamples = refusesInvalidExamples
    }
  }

  /// Returns the fault for a new connection.
  ///
  /// Pass this method as the `connectionFault` of a ``MockServer``.
  ///
  /// - Parameter connection: The index of the connection.
  /// - Returns: The fault of this connection. If the file has none, the fault for all connections,
  ///   or `nil`.
  public func connectionFault(_ connection: Int) -> MockFault? {
    connectionFaults[connection] ?? connectionFaults[nil]
  }

  /// A summary of a stub, such as for one row of a table.
  public struct Summary: Sendable, Hashable {
    /// The method.
    ///
    /// `nil` matches all methods.
    public let method: HTTPMethod?
    /// The path template.
    public let path: String
    /// A description of the response, such as `200 application/json`.
    public let response: String
    /// Descriptions of the conditions, such as `query "page": "2"`.
    ///
    /// Empty if there are none.
    public let conditions: [String]
    /// The path of the resource that the stub belongs to.
    ///
    /// `nil` for a stub that is a route of its own. The stubs of one resource follow each other.
    public internal(set) var resource: String?
    /// The number of initial items of the resource.
    public internal(set) var itemCount: Int?
  }
}

/// The use of a stub file as a source of mocks.
///
/// ```swift
/// @Suite(.mocked(try StubFile(contentsOf: Shop.stubs)))
/// struct ShopTests { ... }
/// ```
///
/// Its routes respond to the requests of all endpoints. A request without a route is passed to the next
/// mocks and to the outer scope, and otherwise fails. For other delays or another seed, create a
/// `MockTransport` with ``routes``. The items of ``resources`` are those of this value: two scopes of
/// the same value share them, and two values that read the same file do not.
extension StubFile: MockSource {
  /// Returns the routes as mocks with the seed of the file, or 0 if it has none.
  ///
  /// - Returns: The mocks.
  public func makeMocks() -> ScopedMocks {
    MockTransport(routes: routes, seed: seed ?? 0).makeMocks()
  }
}

extension MockServer {
  /// Starts a server with the routes of a file.
  ///
  /// The file is read once; see ``StubFile`` for its format. To apply later changes, read the file
  /// again and pass its routes to ``replaceRoutes(with:)``.
  ///
  /// - Parameters:
  ///   - stubs: The file: stubs in JSON, or an HTTP archive.
  ///   - port: The port to listen on. 0 selects a free port.
  ///   - host: The address to listen on, as for the initializer with routes.
  ///   - limits: The limits for requests and connections.
  ///   - scheduler: The clock for delays.
  ///   - cors: The web pages that may read the responses.
  ///   - seed: The seed of the random numbers for weighted responses, faults and delays. `nil` uses
  ///     the seed of the file, or 0 if the file has none.
  ///   - onExchange: A handler that is called for each request after its exchange has ended. It
  ///     runs on the server's thread and must not block.
  /// - Throws: ``StubFileError``, `RecordingError` or
  ///   ``MockServerError/cannotListen(port:reason:)``.
  public convenience init(
    stubs: URL, port: Int = 0, host: String = "127.0.0.1",
    limits: MockServerLimits = MockServerLimits(), scheduler: any Scheduler = .live,
    cors: CORSPolicy = .off, seed: UInt64? = nil,
    onExchange: (@Sendable (_ exchange: ServedExchange) -> Void)? = nil
  ) throws {
    try self.init(
      stubs: [stubs], port: port, host: host, limits: limits, scheduler: scheduler, cors: cors,
      seed: seed, onExchange: onExchange)
  }

  /// Starts a server with the routes of several files.
  ///
  /// See ``StubFile/init(contentsOf:opensStore:recordings:contracts:)`` for their order.
  ///
  /// - Parameters:
  ///   - stubs: The files: stubs in JSON, or HTTP archives.
  ///   - port: The port to listen on. 0 selects a free port.
  ///   - host: The address to listen on, as for the initializer with routes.
  ///   - limits: The limits for requests and connections.
  ///   - scheduler: The clock for delays.
  ///   - cors: The web pages that may read the responses.
  ///   - seed: The seed of the random numbers for templates, weighted responses, faults and delays.
  ///     `nil` uses the first seed in the files, or 0 if there is none.
  ///   - onExchange: A handler that is called for each request after its exchange has ended. It
  ///     runs on the server's thread and must not block.
  /// - Throws: ``StubFileError``, `RecordingError` or
  ///   ``MockServerError/cannotListen(port:reason:)``.
  public convenience init(
    stubs: [URL], port: Int = 0, host: String = "127.0.0.1",
    limits: MockServerLimits = MockServerLimits(), scheduler: any Scheduler = .live,
    cors: CORSPolicy = .off, seed: UInt64? = nil,
    onExchange: (@Sendable (_ exchange: ServedExchange) -> Void)? = nil
  ) throws {
    let file = try StubFile(contentsOf: stubs)
    try self.init(
      routes: file.routes, port: port, host: host, limits: limits, scheduler: scheduler,
      cors: cors, seed: seed ?? file.seed ?? 0,
      connectionFault: file.connectionFault, onExchange: onExchange)
  }
}
