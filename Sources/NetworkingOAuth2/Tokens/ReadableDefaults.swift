import CatenaSystem
import Foundation

/// The values of a domain of user defaults, and a file that tells whether the device was unlocked.
struct DefaultsSource: Sendable {
  /// The state of the file.
  enum Marker: Sendable {
    case absent
    /// The device was unlocked since it started.
    case readable
    case unreadable
  }

  /// Returns the value of a name.
  var value: @Sendable (_ name: String) -> Data?
  /// Stores a value, or removes it.
  var setValue: @Sendable (_ value: Data?, _ name: String) throws -> Void
  /// Returns the state of the file.
  var marker: @Sendable () -> Marker = { .absent }
  /// Writes the file, and returns whether it is there.
  var placeMarker: @Sendable () -> Bool = { true }
}

/// A domain of user defaults that is not mistaken for an empty one before the first unlock.
///
/// After a restart of a device, the system starts apps in the background before the device is
/// unlocked. Their user defaults read as empty, without an error, and a write then replaces all
/// stored values. Two signs tell this apart from a new installation:
///
/// - The canary, a value in the domain. If the domain has any value, it can be read.
/// - The marker, a file outside of the domain with the same protection. It is written once a value
///   was found. If it exists and cannot be read, the device has not been unlocked.
///
/// The system may keep the empty domain in memory after the unlock. So a process that has found the
/// marker unreadable trusts only a value until its end. A domain without a value beside a readable
/// marker was deleted, and is empty. A failure to write the marker is ignored: the next call repeats it.
///
/// Source: Quinn, Apple Developer Forums, thread 15685.
final class ReadableDefaults: Sendable {
  /// The domains that could not be read in this process.
  private static let unreadable = Mutex<Set<String>>([])

  private let source: DefaultsSource
  /// The name of the domain, and the start of the names of its values.
  private let domain: String
  private let canary: String
  /// Whether the canary and the marker exist.
  private let isMarked = Atomic(false)

  /// Creates a domain, and examines the marker.
  ///
  /// - Parameters:
  ///   - source: The values.
  ///   - domain: The name of the domain in this process.
  ///   - canary: The name of the canary, which no other value has.
  init(_ source: DefaultsSource, domain: String, canary: String) {
    self.source = source
    self.domain = domain
    self.canary = canary
    // The first other access may be after the unlock, when the system still has the empty domain.
    if source.marker() == .unreadable { Self.unreadable.withLock { _ = $0.insert(domain) } }
  }

  /// Returns a value.
  ///
  /// - Parameter name: The name of the value.
  /// - Returns: The value, or `nil` if there is none.
  /// - Throws: ``OAuth2Error`` with the code `storeFailed` if the domain cannot be read.
  func value(_ name: String) throws -> Data? {
    let value = source.value(name)
    try check(hasValue: value != nil)
    return value
  }

  /// Stores a value, or removes it.
  ///
  /// - Parameters:
  ///   - value: The value. `nil` removes the value.
  ///   - name: The name of the value.
  /// - Throws: ``OAuth2Error`` with the code `storeFailed` if the domain can be neither read nor written.
  func setValue(_ value: Data?, _ name: String) throws {
    try check(hasValue: source.value(name) != nil)
    try source.setValue(value, name)
    if value != nil { mark() }
  }

  private func check(hasValue: Bool) throws {
    if hasValue || source.value(canary) != nil {
      Self.unreadable.withLock { _ = $0.remove(domain) }
      mark()
      return
    }
    let isUnreadable = source.marker() == .unreadable
    let wasUnreadable = Self.unreadable.withLock { domains in
      if isUnreadable { domains.insert(domain) }
      return domains.contains(domain)
    }
    guard !wasUnreadable else {
      throw OAuth2Error(
        .storeFailed, "the user defaults cannot be read before the first unlock of the device")
    }
  }

  /// Writes the canary and the marker once a domain has a value.
  private func mark() {
    guard !isMarked.load(ordering: .relaxed) else { return }
    if source.value(canary) == nil { try? source.setValue(Data([1]), canary) }
    let hasMarker = source.marker() != .absent || source.placeMarker()
    isMarked.store(hasMarker, ordering: .relaxed)
  }
}

extension DefaultsSource {
  /// Creates the values of `UserDefaults`.
  ///
  /// - Parameters:
  ///   - suite: The name of the domain. `nil` uses the standard one.
  ///   - name: The name of the marker.
  init(suite: String?, marker name: String) {
    let storage = Storage(defaults: suite.flatMap(UserDefaults.init(suiteName:)) ?? .standard)
    value = { storage.defaults.data(forKey: $0) }
    setValue = { value, name in
      if let value {
        storage.defaults.set(value, forKey: name)
      } else {
        storage.defaults.removeObject(forKey: name)
      }
      // Apple's systems hand each change to a daemon at once, which outlives this process. The open
      // Foundation writes nothing before this call.
      #if !canImport(Darwin)
        guard storage.defaults.synchronize() else {
          throw OAuth2Error(.storeFailed, "the user defaults cannot be written")
        }
      #endif
    }
    // A Mac starts no apps before its disk is unlocked.
    #if canImport(Darwin) && !os(macOS)
      let folder = ProgramFolder.url("UserDefaults", name, in: ProgramFolder.data).path
      let path = "\(folder)/marker"
      marker = {
        // Files can be seen before they can be read.
        guard FileManager.default.fileExists(atPath: path) else { return .absent }
        return FileManager.default.contents(atPath: path) == nil ? .unreadable : .readable
      }
      placeMarker = {
        let files = FileSystem()
        guard (try? files.createDirectories(folder)) != nil,
          // An empty file has nothing that is protected.
          (try? files.replace(path, with: Data([1]))) != nil
        else { return false }
        let protection = FileProtectionType.completeUntilFirstUserAuthentication
        try? FileManager.default.setAttributes([.protectionKey: protection], ofItemAtPath: path)
        return true
      }
    #endif
  }

  /// A reference to `UserDefaults`, which is safe to use from several threads.
  ///
  /// `@unchecked Sendable` because `UserDefaults` protects its values, but is not marked as `Sendable` on all
  /// platforms.
  private struct Storage: @unchecked Sendable {
    let defaults: UserDefaults
  }
}
