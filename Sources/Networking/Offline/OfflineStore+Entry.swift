import Foundation

extension OfflineStore {
  /// A request that is kept, as it was when it was looked at.
  public struct Entry: Sendable, Hashable, Identifiable {
    /// Its place in the order of the store: later ones have greater numbers.
    public let number: Int
    /// What tells a server that a request sent twice is one; the same each time it is sent.
    public let idempotencyKey: UUID
    /// The queue whose order it is part of.
    public let queue: String
    /// What to send, without credentials; files of its payload are the store's copies, which go with
    /// the entry.
    public let request: Request
    /// What the request's path is relative to, or nil when that is absolute.
    public let baseURL: URL?
    /// The names of the header fields that carried credentials, and were left out.
    public let withheldHeaders: [String]
    /// When it was accepted.
    public let created: Date
    /// From when on it is sent no more; nil is never.
    ///
    /// A replay moves it, with ``created``, when the store's clock cannot have been right when it was accepted.
    public let expires: Date?
    /// How many replays have tried to send it, and left it.
    public let attempts: Int

    /// The same as ``idempotencyKey``.
    public var id: UUID { idempotencyKey }

    /// The key that goes out with it: that which it was first sent with, also when that is no UUID.
    var sentKey: String {
      request.headers[OfflineStage.keyField] ?? idempotencyKey.uuidString
    }

    var name: EntryName { EntryName(number: number, key: idempotencyKey) }
  }

  /// An entry of its record, its payload's files being where they are now.
  func entry(_ record: EntryRecord) -> Entry {
    let name = EntryName(number: record.number, key: record.key)
    return Entry(
      number: record.number, idempotencyKey: record.key, queue: record.queue,
      request: record.request.replacingFiles { position, _ in files.fileURL(name, position) },
      baseURL: record.baseURL, withheldHeaders: record.withheld, created: record.created,
      expires: record.expires, attempts: record.attempts)
  }
}
