import Foundation

extension OfflineStore {
  /// What has to be known of an entry to accept another, and never changes.
  struct Summary: Sendable {
    let queue: String
    /// The URL without its query; nil for what is no entry.
    let resource: String?
    let byteCount: Int64
    let expires: Date?
  }

  /// The summaries of entries, read from the disk only where they are not known yet.
  func summaries(of names: [EntryName]) throws -> [EntryName: Summary] {
    let known = summaries.withLock { $0 }
    var present: [EntryName: Summary] = [:]
    for name in names {
      if let summary = try known[name] ?? summary(of: name) { present[name] = summary }
    }
    summaries.withLock { [present] in $0 = present }
    return present
  }

  private func summary(of name: EntryName) throws -> Summary? {
    do {
      guard let record = try files.read(name) else { return nil }
      return Summary(
        queue: record.queue, resource: try? Self.resource(record.request, record.baseURL),
        byteCount: record.files.reduce(Int64(try record.encoded().count)) { $0 + $1.byteCount },
        expires: record.expires)
    } catch is Corruption {
      return Summary(queue: "", resource: nil, byteCount: 0, expires: nil)
    }
  }

  /// What a request is for: its URL without the query.
  ///
  /// - Throws: ``NetworkError`` when it has no proper URL.
  static func resource(_ request: Request, _ baseURL: URL?) throws -> String {
    let base = try baseURL.map { try BaseURL($0) }
    let url = try BaseURL.resolve(request.path, against: base, query: "").absoluteString
    return String(url.prefix { $0 != "?" })
  }
}
