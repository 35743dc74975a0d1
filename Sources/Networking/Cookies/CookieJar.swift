import CatenaSystem
import Dispatch
public import Foundation
import Promises

/// A store of cookies, in memory or in a file.
///
/// ```swift
/// let jar = try CookieJar(file: folder.appending(path: "cookies.json"))
/// var configuration = NetworkingConfiguration()
/// configuration.cookies = .jar(jar)
///
/// try jar.set(Cookie("theme", "dark", domain: "shop.example"))
/// let observation = jar.observe { change in print(change) }
/// for cookie in jar.cookies(for: url) { jar.remove(cookie) }
/// ```
///
/// - **Clients.** Any number of clients can use a jar. Each sends the cookies that match a request,
///   and stores those of its response.
/// - **Servers.** The `Set-Cookie` fields of a response are parsed byte by byte. A cookie is ignored
///   if it has no name, has control characters, has more than 4,096 bytes, is for a domain that the
///   server does not belong to or for a public suffix, is `Secure` but was not set over `https`, has
///   `SameSite=None` without `Secure`, or does not fulfil the conditions of the prefixes `__Host-`
///   and `__Secure-`. A cookie set over `http` never hides or replaces a `Secure` one.
/// - **Limits.** A jar holds 50 cookies of a domain, 3,000 in all, and each for at most 400 days. The
///   least recently sent ones of the domain, or of the site with the most cookies, are evicted. The
///   first 200 `Set-Cookie` fields of a response are read.
/// - **Dates.** Whether a cookie has expired is decided when it is sent or listed, by the clock that
///   the jar was made with. A jar without a clock uses ``NetworkingConfiguration/wallClock`` of the
///   client for requests, and the system clock for its own members.
/// - **Threads.** All members may be used from any thread. None but ``init(file:wallClock:)`` reads
///   or writes a file on the caller's thread.
///
/// Source: RFC 6265bis.
public final class CookieJar: Sendable {
  /// A change of a jar.
  public enum Change: Sendable, Hashable {
    /// A cookie was stored, and replaced the one with the same name, domain and path.
    case stored(Cookie, replacing: Cookie?)
    /// A cookie was removed.
    case removed(Cookie, RemovalReason)
  }

  /// The reason for the removal of a cookie.
  public enum RemovalReason: Sendable, Hashable {
    /// A method of the jar removed it.
    case deleted
    /// Its date has passed, or the server set it again with a date in the past.
    case expired
    /// There were too many cookies.
    case evicted
    /// Another process removed it from the file.
    case removedFromFile
  }

  /// The jar of all clients with the default configuration, in memory.
  public static let shared = CookieJar()

  /// The state of a jar, which its lock protects.
  struct State: ~Copyable {
    var store = CookieStore()
    var observers = CookieObservers()
    /// `nil` for a jar in memory.
    var saving: CookieSaving?
  }

  let state: Mutex<State>
  let file: CookieFile?
  /// The source of time for the interval between two writes.
  let scheduler: any Scheduler
  /// The queue on which observers run.
  let observerQueue = DispatchQueue(label: "Catena.CookieJar", qos: .utility)
  /// The queue on which the file is read and written.
  let fileQueue = DispatchQueue(label: "Catena.CookieJar.file", qos: .utility)
  private let wallClock: (@Sendable () -> Date)?
  /// A text that no other jar has, except one in another process with the same file.
  let identity: String

  /// Creates an empty jar in memory.
  ///
  /// - Parameter wallClock: The source of the current date. It runs on any thread and must not block.
  ///   `nil` uses the clocks of the clients.
  public init(wallClock: (@Sendable () -> Date)? = nil) {
    state = Mutex(State())
    file = nil
    scheduler = .live
    self.wallClock = wallClock
    identity = UUID().uuidString
  }

  /// Opens a jar in a file, which is created at the first change.
  ///
  /// Changes are written on a queue of the jar: the first one at once, and those that follow within
  /// a second together. The whole file is replaced atomically, and is readable by its owner only.
  /// Cookies without ``Cookie/expires`` are not written. Several jars, also of other processes, can
  /// use a file: whenever a jar writes, it merges its changes with those of the others.
  /// ``synchronize()`` does so at once. A lock file with the suffix `.lock` is beside the file.
  ///
  /// The initializer reads the file on the caller's thread.
  ///
  /// - Parameters:
  ///   - file: The URL of the file. Missing folders are created.
  ///   - wallClock: The source of the current date. It runs on any thread and must not block. `nil`
  ///     uses the clocks of the clients.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/cookieFileFailed`` if
  ///   the file exists and cannot be read, is a symbolic link, belongs to another user (except root, and
  ///   except on a disk on which all files have the same owner), or is not the file of a jar.
  public convenience init(file: URL, wallClock: (@Sendable () -> Date)? = nil) throws {
    try self.init(CookieFile(file), wallClock: wallClock, scheduler: .live)
  }

  /// Opens a jar in a file.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - wallClock: The source of the current date.
  ///   - scheduler: The source of time for the interval between two writes.
  /// - Throws: ``NetworkError`` if the file cannot be read.
  init(
    _ file: CookieFile, wallClock: (@Sendable () -> Date)? = nil, scheduler: any Scheduler
  ) throws {
    let cookies = try file.read()
    let now = wallClock?() ?? Date()
    var initial = State(saving: CookieSaving(content: cookies))
    for cookie in cookies ?? [] { _ = initial.store.set(cookie.limited(at: now), at: now) }
    state = Mutex(initial)
    self.file = file
    self.scheduler = scheduler
    self.wallClock = wallClock
    identity = "file \(file.path)"
  }

  // MARK: List

  /// The cookies that have not expired, in the order of their creation.
  public var cookies: [Cookie] {
    // Sorted after unlocking, because requests wait for the lock.
    read { $0 }.cookies
  }

  /// Whether there are no cookies.
  var isEmpty: Bool { state.withLock { $0.store.count == 0 } }

  /// Returns the cookies that a client sends to a URL, in the order in which it sends them.
  ///
  /// - Parameter url: An absolute `http` or `https` URL.
  /// - Returns: The cookies: those with longer paths first, then those created first.
  public func cookies(for url: URL) -> [Cookie] {
    guard let scope = CookieScope(url) else { return [] }
    return read { $0.cookies(for: scope, isUse: false) }
  }

  // MARK: Set

  /// Stores a cookie, and replaces the one with the same name, domain and path.
  ///
  /// A cookie that has expired removes the other one.
  ///
  /// - Parameter cookie: The cookie. Its ``Cookie/expires`` is limited to 400 days from now.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/invalidHeader`` if the
  ///   cookie cannot be stored: it has no name, an invalid character, more than 4,096 bytes, an
  ///   invalid domain or path, a public suffix as its domain, or does not fulfil the conditions of
  ///   its name's prefix. The reason does not contain the value.
  public func set(_ cookie: Cookie) throws {
    if let defect = cookie.defect {
      throw NetworkError(.invalidHeader, "a cookie cannot be stored: \(defect)")
    }
    change { store, now, changes in changes = store.set(cookie.limited(at: now), at: now) }
  }

  /// Stores the cookie of a `Set-Cookie` field, as if a server had sent it.
  ///
  /// - Parameters:
  ///   - setCookie: The value of the field: `sid=7; Path=/; Secure`.
  ///   - url: The URL of the server's response.
  /// - Returns: Whether the jar has changed. `false` if the field was ignored, or if the jar has the
  ///   same cookie already.
  @discardableResult
  public func set(parsing setCookie: String, from url: URL) -> Bool {
    guard let scope = CookieScope(url), let field = SetCookie(setCookie) else { return false }
    return change { store, now, changes in
      changes = store.receive(field, from: scope, at: now)
      return !changes.isEmpty
    }
  }

  // MARK: Remove

  /// Removes a cookie.
  ///
  /// - Parameter cookie: The cookie. Only its name, domain and path are compared, and whether it is
  ///   for the host only. If there is no such cookie, nothing happens.
  public func remove(_ cookie: Cookie) {
    change { store, _, changes in changes = store.remove(cookie.key, because: .deleted) }
  }

  /// Removes the cookies that meet a condition.
  ///
  /// - Parameter condition: The condition. It runs on the caller's thread, once for each cookie, not
  ///   under a lock.
  public func removeAll(where condition: (_ cookie: Cookie) -> Bool = { _ in true }) {
    let keys = cookies.filter(condition).map(\.key)
    change { store, _, changes in
      changes = keys.flatMap { store.remove($0, because: .deleted) }
    }
  }

  // MARK: Changes

  /// Removes expired cookies, and returns the result of a closure for the others.
  func read<Value>(at date: Date? = nil, _ body: (inout CookieStore) -> Value) -> Value {
    change(at: date) { store, now, changes in
      changes = store.removeExpired(at: now)
      return body(&store)
    }
  }

  /// Runs a closure with the store under the lock, delivers the changes that it makes to the
  /// observers, and schedules a write.
  ///
  /// - Parameters:
  ///   - date: The current date of a client, for a jar without a clock. `nil` means the system's.
  ///   - body: The closure. It receives the current date, and adds its changes to the last argument.
  /// - Returns: The value of the closure.
  @discardableResult
  func change<Value>(
    at date: Date? = nil,
    _ body: (inout CookieStore, _ now: Date, _ changes: inout [Change]) -> Value
  ) -> Value {
    changeState(at: date) { state, now, changes in
      let value = body(&state.store, now, &changes)
      guard !changes.isEmpty, state.saving != nil else { return (value, nil) }
      return (value, state.saving?.record(changes, at: self.scheduler.now))
    }
  }

  /// Runs a closure with the state under the lock, and delivers the changes that it makes to the
  /// observers.
  ///
  /// - Parameters:
  ///   - date: The current date of a client, for a jar without a clock. `nil` means the system's.
  ///   - body: The closure. It adds its changes to the last argument, and returns a value and the
  ///     delay of the next write, if it is to be scheduled.
  /// - Returns: The value of the closure.
  func changeState<Value>(
    at date: Date? = nil,
    _ body: (inout State, _ now: Date, _ changes: inout [Change]) -> (Value, saveDelay: Duration?)
  ) -> Value {
    let now = wallClock?() ?? date ?? Date()
    let (value, delay, startsDelivery) = state.withLock { state in
      var changes: [Change] = []
      let (value, delay) = body(&state, now, &changes)
      return (value, delay, state.observers.record(changes))
    }
    if startsDelivery { observerQueue.async { self.deliver() } }
    if let delay { scheduleSave(after: delay) }
    return value
  }

}

extension CookieJar.Change {
  /// The cookie that was stored or removed.
  public var cookie: Cookie {
    switch self {
    case .stored(let cookie, _), .removed(let cookie, _): cookie
    }
  }
}

extension CookieJar: CustomStringConvertible, CustomReflectable {
  /// The number of cookies: `CookieJar(3 cookies)`.
  public var description: String { "CookieJar(\(state.withLock { $0.store.count }) cookies)" }

  /// A mirror without the cookies.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Cookie {
  /// Returns the cookie with a date of at most 400 days from now.
  func limited(at now: Date) -> Cookie {
    guard let expires else { return self }
    return copy(of: self) { $0.expires = min(expires, now + SetCookie.maximumAge) }
  }
}
