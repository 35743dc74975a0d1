import CatenaBrowser
import CatenaSystem
import Foundation
import Mocking
import MockingContracts
import MockingRecordings
import MockingResources
import MockingStubs

/// A server that serves the routes of files, reads them again when they change, and forwards the
/// requests without a route.
final class StubServer: Sendable {
  private let options: Options
  private let source: StubSource
  private let forwarding: Forwarding?
  private let check: ProxyCheck?
  private let requestCheck: RequestCheck?
  private let junit: ReportFile?
  private let server: MockServer
  /// The admin API, or `nil` with `--no-admin`.
  private let admin: AdminAPI?
  private let console: Console
  /// The authority of the server's certificate, and the file with its certificate.
  private let authority: MockAuthority?
  private let authorityFile: URL?
  private let watcher: FileWatcher?
  private let webhookLog: WebhookLog?
  /// Prevents that two threads read the files at the same time.
  private let reloading = Mutex(())

  /// Starts the server.
  ///
  /// - Parameters:
  ///   - options: The options.
  ///   - console: The console.
  ///   - onShutdown: A closure that ends the program, for a request to the admin API.
  /// - Throws: The error of a file, or `MockServerError`.
  init(
    _ options: Options, _ console: Console, onShutdown: @escaping @Sendable () -> Void
  ) throws {
    self.options = options
    self.console = console
    // The watcher starts before the files are read, so that no change is missed.
    let urls = options.files.map(Options.url(of:))
    let watcher = options.watchesFiles && !urls.isEmpty ? FileWatcher(urls) : nil
    self.watcher = watcher
    let source = try StubSource(
      urls, data: options.data.map(Options.url(of:)), recordings: options.recordings,
      contracts: options.contracts)
    self.source = source
    Self.reportSaving(of: source.store, console, options, nil)
    check = try ProxyCheck(options, console)
    requestCheck = try RequestCheck(options)
    junit = try options.junit.map(ReportFile.init)
    forwarding = try Forwarding(options, check?.monitor)
    let file = source.file
    if options.servesAdmin { try file.checkReservedPaths() }
    let log = ExchangeLog(options, console)
    let cookieWarning = CookieWarning(console)
    var limits = MockServerLimits()
    // The process then stays below 200 MB, whatever clients upload.
    limits.totalBodyBytes = 32 << 20
    // The program runs for a long time, and its journal is for people.
    let kept = options.verifications == nil ? 1_000 : 100_000
    limits.journal = JournalLimits(requests: kept, singleBodyBytes: 2 << 20)
    authority = options.usesTLS ? try MockAuthority(name: "mock-server") : nil
    let tls = try authority.map { authority in
      let host = options.host.flatMap { $0.contains("%") ? nil : $0 } ?? "127.0.0.1"
      return MockTLS(try authority.certificate(for: "localhost", "127.0.0.1", "::1", host))
    }
    server = try MockServer(
      routes: Self.routes(of: file, forwarding, options), port: options.port,
      host: options.host ?? "127.0.0.1", limits: limits, cors: options.crossOriginAccess.policy,
      seed: options.seed ?? file.seed,
      connectionFault: { source.file.connectionFault($0) },
      onExchange: {
        log.add($0)
        cookieWarning.check($0, source.store.isolation)
      }, tls: tls)
    webhookLog = WebhookLog(server.webhooks, options, console)
    if let authority {
      let name = "mock-server-\(server.port).pem"
      let file = FileManager.default.temporaryDirectory.appendingPathComponent(name)
      do {
        try Data(authority.pem.utf8).write(to: file, options: .atomic)
      } catch {
        throw StartError(unwritable: file.path, FileError.cause(of: error))
      }
      authorityFile = file
    } else {
      authorityFile = nil
    }
    var adminOptions = AdminAPI.Options(token: options.adminToken)
    adminOptions.name = "mock-server"
    adminOptions.version = MockServerProgram.version
    adminOptions.folder = urls.first?.deletingLastPathComponent()
    adminOptions.files = options.files
    adminOptions.proxy = options.origin
    adminOptions.recording = options.recording
    adminOptions.seed = options.seed ?? file.seed
    adminOptions.onShutdown = options.allowsShutdown ? onShutdown : nil
    admin = options.servesAdmin ? try server.serveAdmin(adminOptions) : nil
    Self.reportSaving(of: source.store, console, options, admin)
    report(.started, file)
    warn(about: file)
    if let problem = watcher?.problem { console.failure("automatic reload is off: \(problem)") }
    watcher?.start { [weak self] in self?.reload() }
    // A file that `include` names may have changed before it was watched.
    watcher?.watch(file.files)
    if watcher != nil { reload() }
    let page = admin?.inspectorURL ?? server.url
    guard options.opensBrowser else { return }
    do {
      try SystemBrowser.open(page)
    } catch {
      console.failure("cannot open a browser (\(error)); open \(page)")
    }
  }

  /// Reads the files again if they have changed.
  ///
  /// If they are invalid, the routes stay unchanged. Items of resources are kept, if their initial
  /// items are unchanged. Scenarios, sequences and counters start again.
  ///
  /// - Parameter isRequested: Whether the files are read even if they are unchanged.
  func reload(isRequested: Bool = false) {
    reloading.withLock { _ in
      do {
        try reloadOnce(isRequested: isRequested)
      } catch let first {
        // Another program may be writing the file at this moment.
        Thread.sleep(forTimeInterval: 0.05)
        do {
          if try reloadOnce(isRequested: false) { return }
          console.failure("\(first); the routes are unchanged")
        } catch {
          console.failure("\(error); the routes are unchanged")
        }
      }
    }
  }

  /// Reads the files, and serves them if they have changed.
  ///
  /// - Returns: Whether they have changed.
  /// - Throws: The error of an invalid file.
  @discardableResult
  private func reloadOnce(isRequested: Bool) throws -> Bool {
    guard let file = try source.read(isRequested: isRequested) else { return false }
    let routes = Self.routes(of: file, forwarding, options)
    var keptCount = 0
    if let admin {
      try file.checkReservedPaths()
      keptCount = try admin.replaceRoutes(with: routes, committing: file.commit)
    } else {
      try server.replaceRoutes(with: routes, committing: file.commit)
    }
    source.setFile(file)
    watcher?.watch(file.files)
    report(.reloaded, file, keptCount: keptCount)
    warn(about: file)
    // A file that `include` names now may have changed before it was watched.
    if watcher != nil { try reloadOnce(isRequested: false) }
    return true
  }

  /// Returns the routes of the files, and the routes for all other requests.
  private static func routes(
    of file: StubFile, _ forwarding: Forwarding?, _ options: Options
  ) -> [Route] {
    var defaults = Mock()
    options.delay.map { defaults.delay = $0 }
    if let fault = options.fault {
      defaults = defaults.interrupted(by: fault.fault, at: .request, chance: fault.chance)
    }
    let isChanged = options.delay != nil || options.fault != nil
    let routes = isChanged ? file.routes.withDefaults(defaults) : file.routes
    return routes + (forwarding?.routes ?? [])
  }

  /// Stops the server after the responses in progress, saves the data and the recording, and prints
  /// the number of requests.
  ///
  /// - Throws: ``UnsavedFile``, or ``ContractNotKept``.
  func stop() async throws {
    let unfinished = try await server.stop(draining: .seconds(5)).value
    let count = server.requestCount
    let recorded = Result { try forwarding?.save() }
    let stored = Result { try source.store.flush() }
    // The next start has another authority.
    if let authorityFile { try? FileManager.default.removeItem(at: authorityFile) }
    if options.writesJSON {
      console.object([
        "event": "stopped", "requests": .int(count), "unfinished": .int(unfinished),
        "recorded": (try? recorded.get()).flatMap { $0 }.map { .int($0.count) } ?? .null,
      ])
    } else if options.output != .quiet {
      if case .success(let recording?) = recorded, let name = options.recording {
        console.line("wrote \(Self.count(recording.count, "exchange")) to \(name)")
      }
      console.line(Self.count(count, "request"))
    }
    if let recording = try recorded.get() { console.warn(recording.warnings) }
    do {
      try stored.get()
    } catch {
      throw UnsavedFile(description: "\(error)")
    }
    try finishChecks()
  }

  /// Prints the results of the checks, and writes them to their files.
  ///
  /// - Throws: ``UnsavedFile``, or ``ContractNotKept``.
  private func finishChecks() throws {
    var suites: [JUnitReport.Suite] = []
    var isKept = true
    if let check {
      isKept = try check.finish(options, console)
      suites.append(check.monitor.report.junitSuite)
    }
    if let requestCheck {
      suites.append(requestCheck.finish(server.journal, options, console))
      isKept = isKept && suites.last?.failureCount == 0
    }
    try junit?.write(JUnitReport(suites).text)
    if !isKept { throw ContractNotKept() }
  }

  // MARK: Output

  private func warn(about file: StubFile) {
    console.warn(file.warnings)
    admin?.setWarnings(file.warnings.map(\.description))
    guard options.data != nil, file.isolatesClients else { return }
    console.failure(
      "warning: the file of --data keeps only the items of requests without a client, "
        + "because \"isolation\" gives each client items of its own in memory")
  }

  /// Prints that the items of resources cannot be saved, and that they are saved again.
  private static func reportSaving(
    of store: ResourceStore, _ console: Console, _ options: Options, _ admin: AdminAPI?
  ) {
    store.onSaveFailure { [weak admin] failure in
      if let failure {
        console.warn("\(failure); the items stay in memory, and the program tries again")
      } else {
        console.warn("the items of resources are saved again")
      }
      if options.writesJSON {
        console.object([
          "event": failure == nil ? "saved" : "unsaved",
          "problem": failure.map { .string($0.description) } ?? .null,
        ])
      }
      admin?.noteSaveFailure()
    }
  }

  private enum Event: String {
    case started
    case reloaded
  }

  private func report(_ event: Event, _ file: StubFile, keptCount: Int = 0) {
    if options.writesJSON {
      console.object([
        "event": .string(event.rawValue), "url": .string("\(server.url)"),
        "files": .array(options.files.map { .string($0) }), "routes": .int(file.summaries.count),
        "proxy": forwarding.map { .string("\($0.origin)") } ?? .null,
        "inspector": inspector.map { .string($0) } ?? .null,
        "kept": .int(keptCount), "authority": authorityFile.map { .string($0.path) } ?? .null,
      ])
      return
    }
    let names = options.files.joined(separator: ", ")
    let routes = Self.count(file.summaries.count, "route")
    switch event {
    case .started:
      let recording = options.recording.map { ", recorded in \($0)" } ?? ""
      let forwarded = forwarding.map { "forwarding to \($0.origin)\(recording)" }
      let served = options.files.isEmpty ? nil : "\(names): \(routes)"
      console.line(
        [served, forwarded].compactMap { $0 }.joined(separator: ", ") + " at \(server.url)")
    case .reloaded:
      guard options.output != .quiet else { return }
      let kept = keptCount == 0 ? "" : ", and \(Self.count(keptCount, "route")) of the admin API"
      console.line("\(names) \(options.files.count > 1 ? "have" : "has") changed: \(routes)\(kept)")
    }
    if options.output != .quiet, !file.summaries.isEmpty {
      console.line(file.table(isVerbose: options.output == .verbose))
    }
    if event == .started, let authority, let authorityFile {
      console.line("authority in \(authorityFile.path), \(authority.publicKeyPin)")
    }
    if event == .started, let inspector, options.output != .quiet || hasNewToken {
      console.line("inspector at \(inspector)")
    }
  }

  /// Whether the program has made a token, which the user knows from the output only.
  private var hasNewToken: Bool { admin?.token != nil && options.adminToken == nil }

  /// The address of the inspector page, with a token that the program has made.
  private var inspector: String? {
    admin.map { hasNewToken ? "\($0.inspectorURL)" : "\(server.url)\(AdminAPI.path)" }
  }

  private static func count(_ number: Int, _ name: String) -> String {
    number == 1 ? "1 \(name)" : "\(number) \(name)s"
  }
}
