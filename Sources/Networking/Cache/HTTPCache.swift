import CatenaSystem
public import Foundation
import Promises

/// A private cache of responses, in memory, on disk, or both.
///
/// A client with a cache sends fewer requests: a fresh response is not requested again, and for a
/// stale one the client asks the server whether it has changed. The rules are those of RFC 9111.
///
/// ```swift
/// var configuration = NetworkingConfiguration()
/// configuration.caching.storage = .cache(HTTPCache(folder: HTTPCache.folder(named: "account-7")))
/// let networking = Networking<BoardsAPI>(configuration: configuration)
/// ```
///
/// - **Contents.** Responses to GET requests are stored, with the fields that the server sent, except
///   `Set-Cookie` and the fields of the connection. A URL has up to 16 responses, for different
///   values of the fields in `Vary` and for different credentials. Partial responses (206) and
///   responses to other methods are not stored.
/// - **Secrets.** Credentials, cookies and other fields of requests are stored as SHA-256 digests only,
///   and a response on disk has the digest of its URL as its name. The file contains the URL without
///   secrets, and the response. Only its owner can read it.
/// - **Crashes.** A response is on disk completely or not at all. Every file has a checksum. A file
///   that has been changed or truncated is never served, nor is one of another user, except on a disk on
///   which all files have the same owner. It is removed, and the request is sent.
/// - **Processes.** Several processes may use one folder at the same time. A response that is in the
///   memory of one process is not removed from it when another process removes it.
/// - **Memory.** On Apple platforms the responses in memory are evicted when the system reports memory
///   pressure. Those on disk stay.
/// - **Failures.** A full disk or a missing permission never fails a request. The response is then not
///   stored.
///
/// It does not use `URLCache`, because that stores nothing on Linux, works with `URLSession` only,
/// does not implement the directives of RFC 5861, and can be neither listed nor cleared by origin.
///
/// Clients with different cookie jars, client certificates or policies of ``ServerTrust`` for the host have
/// responses of their own, and so has a request with a `Cookie` field of the caller. Policies are compared by
/// their contents, also between processes. A policy with a rule (`evaluate`) has no contents to compare, so
/// its responses are those of the same ``TLSOptions``. Use separate caches for the users of a program that have one
/// jar in turn, because the cookies of a jar are compared only if the response varies on them.
///
/// Source: RFC 9111.
public final class HTTPCache: Sendable {
  /// The limits of a store.
  ///
  /// The least recently used responses are evicted, in memory at once and on disk in the background.
  /// A response of more than an eighth of the bytes is not stored.
  public struct Limits: Sendable, Hashable {
    /// The maximum number of bytes.
    public var bytes: Int
    /// The maximum number of URLs.
    public var entries: Int

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - bytes: The maximum number of bytes.
    ///   - entries: The maximum number of URLs.
    public init(bytes: Int, entries: Int) {
      self.bytes = max(bytes, 0)
      self.entries = max(entries, 0)
    }

    /// 16 MiB and 2,000 URLs.
    public static let memory = Limits(bytes: 16 << 20, entries: 2_000)
    /// 256 MiB and 100,000 URLs.
    public static let disk = Limits(bytes: 256 << 20, entries: 100_000)
  }

  let memory: MemoryCacheStore?
  let diskStore: DiskCacheStore?
  /// Whether responses of servers on this machine are stored on disk.
  private let storesLoopback: Bool
  private let invalidations = Mutex(ChangeLog())

  /// Creates a cache in memory.
  ///
  /// - Parameter memory: The limits.
  public convenience init(memory: Limits = .memory) { self.init(memory: memory, disk: nil) }

  /// Creates a cache on disk, with the responses that were used last in memory as well.
  ///
  /// The folder is created when the first response is stored. Opening does not read the folder.
  ///
  /// - Parameters:
  ///   - folder: The folder. It must not be used for anything else.
  ///   - disk: The limits on disk.
  ///   - memory: The limits in memory. `nil` reads every response from disk.
  public convenience init(folder: URL, disk: Limits = .disk, memory: Limits? = .memory) {
    self.init(memory: memory, disk: (folder, disk))
  }

  /// Creates a cache.
  ///
  /// - Parameters:
  ///   - memory: The limits in memory. `nil` stores nothing in memory.
  ///   - disk: The folder and the limits on disk. `nil` stores nothing on disk.
  ///   - storesLoopback: Whether responses of servers on this machine are stored on disk.
  ///   - beforeOperation: A closure that is called before each step that changes the disk.
  package init(
    memory: Limits?, disk: (folder: URL, limits: Limits)?, storesLoopback: Bool = true,
    beforeOperation: @escaping @Sendable (_ step: String) -> Void = { _ in }
  ) {
    self.memory = memory.map(MemoryCacheStore.init)
    diskStore = disk.map {
      DiskCacheStore($0.folder, $0.limits, FileSystem(beforeOperation: beforeOperation))
    }
    self.storesLoopback = storesLoopback
  }

  /// The cache of all clients with ``SessionConfiguration/default``, in memory and on disk.
  ///
  /// Its folder is `folder(named: "Shared")`. Responses of servers on this machine are in memory only,
  /// because another server may have the same port later.
  public static let shared = HTTPCache(
    memory: .memory, disk: (folder(named: "Shared"), .disk), storesLoopback: false)

  /// Returns a folder for a cache of this program.
  ///
  /// It is `Catena/HTTPCache/<name>` in the program's folder for caches, which is named after the
  /// bundle identifier or else the process. That folder is in `$XDG_CACHE_HOME` or `~/.cache` on
  /// Linux, and in `Library/Caches` on Apple's platforms. The folder need not exist.
  ///
  /// - Parameter name: The name. Characters that are not allowed in file names are percent-encoded.
  /// - Returns: The folder.
  public static func folder(named name: String) -> URL {
    ProgramFolder.url("HTTPCache", name, in: ProgramFolder.caches)
  }

  // MARK: Responses

  /// Returns the store on disk for a URL, or `nil` if its responses are not stored on disk.
  func disk(for key: CacheKey) -> DiskCacheStore? {
    guard let diskStore else { return nil }
    if storesLoopback { return diskStore }
    let isLoopback = URL(string: key.text).flatMap { Origin($0) }?.isLoopback ?? true
    return isLoopback ? nil : diskStore
  }

  /// Removes all responses of a URL, and prevents responses to earlier requests from being stored.
  func invalidate(_ key: CacheKey, awaitedBy scheduler: any Scheduler) {
    invalidations.withLock { $0.add(key) }
    CachedURL(cache: self, key: key, scheduler: scheduler).remove { _ in true }
  }

  /// Prevents responses to all earlier requests from being stored.
  func invalidateEverything() { invalidations.withLock { $0.addAll() } }

  /// The number of invalidations so far.
  var invalidationCount: Int { invalidations.withLock { $0.count } }

  func wasInvalidated(_ key: CacheKey, since start: Int) -> Bool {
    invalidations.withLock { $0.contains(key, since: start) }
  }
}

extension HTTPCache: BrieflyDescribed {}
