package import Foundation

/// The exclusive use of something on disk for a time, such as that of a request, across threads and
/// processes.
///
/// The system ends an app that it suspends while the app has a lock on a file of a shared folder. So the
/// file of a lease is locked only while it is read or changed, and the owner is written in it.
///
/// - **Renewal.** The lease ends after ``lifetime``, and is renewed in the background before. So another
///   process can take over the lease of a process that is suspended.
/// - **End.** A lease whose process has died, in the same system and container, is free at once, and so is a
///   released one of this process. The file is removed when the lease is released, if that is possible.
/// - **Suspension.** On iOS, tvOS, watchOS and visionOS the system gives an app with a lease time to end its
///   work. After that the lease is given up, and continues if nobody has taken it over.
package final class FileLease: Sendable {
  /// The error of a change after another process has taken over the lease.
  package struct Lost: Error {}

  private enum State {
    case held(until: Int64)
    case released
  }

  /// The time after which others can take a lease that has not been renewed.
  package static let lifetime = Duration.seconds(30)
  /// The time for which a lock of the file is awaited, which others hold only while they change files.
  private static let patience = Duration.seconds(5)

  fileprivate let owner = UUID().uuidString
  private let file: OpenFile
  private let wallClock: @Sendable () -> Date
  private let state: Mutex<State>

  /// Takes a lease, or returns `nil` if it is held.
  ///
  /// - Parameters:
  ///   - path: The path of the file, which is created if necessary.
  ///   - wallClock: The source of the time.
  /// - Throws: ``FileError`` if the file cannot be opened, locked or written.
  package init?(
    taking path: String, wallClock: @escaping @Sendable () -> Date = { Date() }
  ) throws(FileError) {
    // Without a lock, so that a waiting process is rarely suspended with one, nor delays the owner.
    if let found = try OpenFile.existing(path),
      try LeaseRecord(of: found)?.isHeld(at: LeaseRecord.milliseconds(wallClock())) == true
    {
      return nil
    }
    // The others change files in this time, or take the lease, too.
    guard let file = try FileLock.open(path, waitingAtMost: Self.patience, isTemporary: true) else {
      return nil
    }
    let now = LeaseRecord.milliseconds(wallClock())
    guard try LeaseRecord(of: file)?.isHeld(at: now) != true else {
      file.unlock()
      return nil
    }
    let end = now + LeaseRecord.lifetime
    state = Mutex(.held(until: end))
    self.file = file
    self.wallClock = wallClock
    defer { self.file.unlock() }
    try LeaseRecord(owner: owner, end: end).write(to: self.file)
    LeaseKeeper.shared.add(self)
  }

  deinit {
    release()
  }

  /// Runs a change of files while nobody else can take the lease, and renews the lease if necessary.
  ///
  /// - Parameter body: The change. It must not wait for a network, nor use the lease.
  /// - Returns: The result of the change.
  /// - Throws: ``Lost`` if another process has taken over the lease; ``FileError`` if its file cannot be
  ///   locked or written; the error of the change.
  package func change<Value: Sendable>(_ body: () throws -> Value) throws -> Value {
    try state.withLock { state in
      guard case .held(let end) = state else { throw Lost() }
      return try withOwnFile {
        let now = LeaseRecord.milliseconds(wallClock())
        // An end that is too far away is that of a clock that has been set back.
        if !(LeaseRecord.lifetime * 2 / 3...LeaseRecord.lifetime).contains(end - now) {
          let newEnd = now + LeaseRecord.lifetime
          try LeaseRecord(owner: owner, end: newEnd).write(to: file)
          state = .held(until: newEnd)
          if end == 0 { LeaseKeeper.shared.add(self) }
        }
        return try body()
      }
    }
  }

  /// Runs a change while the file is locked, if it is still that of this lease.
  ///
  /// - Throws: ``Lost`` if another process has taken over the lease; ``FileError`` if its file cannot be
  ///   locked or read; the error of the change.
  private func withOwnFile<Value>(_ body: () throws -> Value) throws -> Value {
    guard try file.lock(waitingAtMost: Self.patience) else {
      throw FileError(file.path, "is locked by another process", number: nil)
    }
    defer { file.unlock() }
    guard try file.isNamed, try LeaseRecord(of: file)?.owner == owner else { throw Lost() }
    return try body()
  }

  /// Renews the lease, unless it is lost.
  ///
  /// - Throws: The errors of ``change(_:)``.
  package func renew() throws { try change {} }

  /// Lets others take the lease from now on.
  ///
  /// It continues with the next ``change(_:)``, if nobody has taken it.
  package func giveUp() {
    state.withLock { state in
      guard case .held = state else { return }
      try? withOwnFile {
        try? LeaseRecord(owner: owner, end: 0).write(to: file)
        state = .held(until: 0)
      }
    }
  }

  /// Ends the lease, and removes its file unless another process has taken it over.
  ///
  /// Repeated calls are no-ops. If the file cannot be removed, other processes can take the lease after
  /// ``lifetime``.
  package func release() {
    let isFirst = state.withLock { state in
      guard case .held = state else { return false }
      state = .released
      return true
    }
    guard isFirst else { return }
    LeaseKeeper.shared.remove(self)
    _ = try? withOwnFile { unlink(file.path) }
  }
}

/// The content of the file of a lease: the owner, the end in milliseconds since 1970, and the process.
///
/// All records are padded to the same length, so that a record replaces another one.
private struct LeaseRecord {
  static let lifetime = Int64(FileLease.lifetime / .milliseconds(1))
  private static let length = 160

  let owner: String
  let end: Int64
  var process = LeaseProcess.current

  static func milliseconds(_ time: Date) -> Int64 {
    Int64(max(-4e18, min(time.timeIntervalSince1970 * 1_000, 4e18)))
  }

  init(owner: String, end: Int64) { (self.owner, self.end) = (owner, end) }

  /// Reads the record in a file, or returns `nil` if it has none.
  init?(of file: borrowing OpenFile) throws(FileError) {
    let text = String(decoding: try file.read(Self.length, at: 0), as: UTF8.self)
    let parts = text.split(separator: " ")
    guard parts.count >= 4, let end = Int64(parts[1]), let number = Int32(parts[2]) else {
      return nil
    }
    (owner, self.end) = (String(parts[0]), end)
    process = LeaseProcess(number: number, system: String(parts[3]))
  }

  func write(to file: borrowing OpenFile) throws(FileError) {
    let text = "\(owner) \(end) \(process.number) \(process.system) "
    let padding = String(repeating: " ", count: max(0, Self.length - text.utf8.count))
    try file.write(Data((text + padding).utf8.prefix(Self.length)), at: 0)
  }

  /// Returns whether the lease is in use.
  ///
  /// An end further away than a lifetime is that of a clock that has been set back since.
  func isHeld(at now: Int64) -> Bool {
    guard end > now, end <= now + Self.lifetime else { return false }
    return process == .current ? LeaseKeeper.shared.holds(owner) : !process.hasEnded
  }
}

/// A process in a system or container.
private struct LeaseProcess: Equatable {
  static let current = LeaseProcess(number: getpid(), system: systemName())

  let number: Int32
  /// The start of the system and the container, whose processes have numbers of their own.
  let system: String

  /// Whether the process is one of this system and does not run any more.
  var hasEnded: Bool {
    system == Self.current.system && number > 0 && kill(number, 0) != 0 && errno == ESRCH
  }

  private static func systemName() -> String {
    #if canImport(Darwin)
      var bytes = [CChar](repeating: 0, count: 64)
      var count = bytes.count - 1
      guard sysctlbyname("kern.bootsessionuuid", &bytes, &count, nil, 0) == 0 else {
        return "unknown-\(getpid())"
      }
      return String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    #else
      let files = FileManager.default
      // Files of `/proc` have the length 0.
      guard let start = try? OpenFile("/proc/sys/kernel/random/boot_id").read(64),
        let container = try? files.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")
      else { return "unknown-\(getpid())" }
      let text = String(decoding: start.prefix { $0 > 0x20 }, as: UTF8.self)
      return "\(text)/\(container)"
    #endif
  }
}

/// Renews the leases of this process, and gives them up before the system suspends it.
private final class LeaseKeeper: Sendable {
  private struct Weak {
    weak var lease: FileLease?
  }

  private struct State {
    /// The leases, by owner.
    var leases: [String: Weak] = [:]
    var activity: ExpiringActivity?
    /// The number of activities that have ended.
    var expiryCount = 0
    var isRenewing = false
  }

  static let shared = LeaseKeeper()

  private let state = Mutex(State())

  private var leases: [FileLease] { state.withLock { $0.leases.values.compactMap(\.lease) } }

  /// Returns whether an owner has a lease that has not been released.
  func holds(_ owner: String) -> Bool { state.withLock { $0.leases[owner] != nil } }

  /// Adds a lease, also one that has been given up and continues.
  func add(_ lease: FileLease) {
    let (mustSchedule, hasActivity, expiryCount) = state.withLock { state in
      state.leases[lease.owner] = Weak(lease: lease)
      defer { state.isRenewing = true }
      return (!state.isRenewing, state.activity != nil, state.expiryCount)
    }
    if mustSchedule { scheduleRenewal() }
    guard !hasActivity else { return }
    // Not under the lock, because the system may call the closure at once.
    let activity = ExpiringActivity("Requests that use shared files") { self.giveUp() }
    state.withLock { state in
      if !state.leases.isEmpty, state.expiryCount == expiryCount { state.activity = activity }
    }
  }

  private func giveUp() {
    state.withLock { state in
      state.activity = nil
      state.expiryCount += 1
    }
    for lease in leases { lease.giveUp() }
  }

  func remove(_ lease: FileLease) {
    state.withLock { state in
      state.leases[lease.owner] = nil
      if state.leases.isEmpty { state.activity = nil }
    }
  }

  private func scheduleRenewal() {
    let interval = FileLease.lifetime / 3 / .milliseconds(1)
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(Int(interval)))
    {
      // An error is met again by the next change.
      for lease in self.leases { try? lease.renew() }
      let isNeeded = self.state.withLock { state in
        state.isRenewing = !state.leases.isEmpty
        return state.isRenewing
      }
      if isNeeded { self.scheduleRenewal() }
    }
  }
}
