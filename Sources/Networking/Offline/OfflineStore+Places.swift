import Foundation

extension OfflineStore {
  /// Opens the store of a key, in the place that the platform has for the data of programs.
  ///
  /// - Parameters:
  ///   - key: what tells it from other stores of this program, such as an account's number.
  ///   - limits: how much it takes.
  ///   - lifetime: how long a request is kept; nil is until it is sent or removed.
  ///   - keepsSecrets: whether requests with secrets in their query or body are kept, and so written to the
  ///     disk as they are: ``keepsSecrets``.
  ///   - clock: what time it is, for the lifetime.
  ///   - onConflict: what becomes of a new request that is for the same resource as one that is kept;
  ///     nil keeps both.
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/offlineStoreFailed`` when
  ///   there is no folder to be had.
  public convenience init(
    key: String, limits: Limits = Limits(), lifetime: Duration? = .seconds(7 * 24 * 3600),
    keepsSecrets: Bool = false, clock: @escaping @Sendable () -> Date = { Date() },
    onConflict: ConflictHandler? = nil
  ) throws {
    try self.init(
      folder: Self.folder(key: key), limits: limits, lifetime: lifetime,
      keepsSecrets: keepsSecrets, clock: clock, onConflict: onConflict)
  }

  /// Where the store of a key is; the folder need not be there.
  ///
  /// It is `Catena/Offline` and the key below a folder of the program's own, which is called like its
  /// bundle or else like the program: on Linux in `$XDG_DATA_HOME` or `~/.local/share`, on Apple's
  /// platforms in `Application Support`, on tvOS, which has nothing that lasts, among the caches.
  ///
  /// - Parameter key: what tells it from other stores of this program; what cannot stand in the name of
  ///   a file is percent-encoded.
  /// - Returns: the folder.
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/offlineStoreFailed`` when
  ///   the key is empty, or there is no such place.
  public static func folder(key: String) throws -> URL {
    guard !key.isEmpty else { throw NetworkError(.offlineStoreFailed, "the store's key is empty") }
    #if os(tvOS)
      let place = FileManager.SearchPathDirectory.cachesDirectory
    #else
      let place = FileManager.SearchPathDirectory.applicationSupportDirectory
    #endif
    guard let data = FileManager.default.urls(for: place, in: .userDomainMask).first else {
      throw NetworkError(.offlineStoreFailed, "there is no folder for the data of programs")
    }
    let program = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    return [fileName(program), "Catena", "Offline", fileName(key)].reduce(data) {
      $0.appendingPathComponent($1, isDirectory: true)
    }
  }

  /// The key of the clients of a type of endpoints: its name, with its module's.
  ///
  /// - Parameter type: the name as `String(reflecting:)` gives it.
  /// - Returns: the key, which is the same in every run.
  static func key(ofType type: String) -> String {
    // A private type's name has where it lies in memory, which is another in each run.
    type.replacing(/\(unknown context at [^)]*\)\./, with: "")
  }

  private static func fileName(_ text: String) -> String {
    let name = text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    return name.hasPrefix(".") ? "%2E" + name.dropFirst() : name
  }

  private static let plain = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")
}
