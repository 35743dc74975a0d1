import Foundation

extension OfflineStore {
  /// What is kept, in order, those that have expired included.
  ///
  /// What cannot be read is left out; a replay reports it, and sets it aside when it is no entry.
  ///
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/offlineStoreFailed`` when
  ///   the folder cannot be read.
  public var entries: [Entry] {
    get throws {
      try files.list().names.compactMap { name in (try? files.read(name)).map(entry) }
    }
  }

  /// How many entries there are, those that cannot be read included; no more than their names are read.
  ///
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/offlineStoreFailed`` when
  ///   the folder cannot be read.
  public var count: Int {
    get throws { try files.list().names.count }
  }

  /// The idempotency keys of the entries; no more than their names are read.
  var keys: [UUID] {
    get throws { try files.list().names.map(\.key) }
  }

  /// What replays have found that was no entry, and have set aside.
  ///
  /// They are files and folders, for people to look at. They stay until ``emptyQuarantine()``, and count for no limit.
  ///
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/offlineStoreFailed`` when
  ///   the folder cannot be read.
  public var quarantined: [URL] {
    get throws { try files.quarantined() }
  }

  /// Removes an entry, so that it is not sent; one that is being sent goes on its way.
  ///
  /// - Parameter entry: the entry.
  /// - Returns: false when it had gone before.
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/offlineStoreFailed``.
  @discardableResult
  public func remove(_ entry: Entry) throws -> Bool {
    try files.locked { _ in try files.remove(entry.name) }
  }

  /// Removes all entries, so that they are not sent; those that are being sent go on their way.
  ///
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/offlineStoreFailed``; those
  ///   that could be removed are.
  public func removeAll() throws {
    try files.locked { _ in
      for name in try files.list().names { try files.remove(name) }
    }
  }

  /// Removes all that was set aside.
  ///
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/offlineStoreFailed``; what
  ///   could be removed is.
  public func emptyQuarantine() throws {
    try files.locked { _ in try files.emptyQuarantine() }
  }
}
