import Foundation

extension OfflineStore {
  /// What has to be known of an entry to accept another, and never changes.
  struct Summary: Sendable {
    /// Why it cannot be read now; nothing else is known of it then.
    var problem: (any Error)?
    var queue = ""
    /// The URL without its query; nil for what is no entry.
    var resource: String?
    var byteCount: Int64 = 0
    /// Nil for what is no entry.
    ///
    /// It may have been begun anew since, which makes no difference to what is over.
    var lifespan: Lifespan?
  }

  /// The summaries of entries, read from the disk only where they are not known yet.
  func summaries(of names: [EntryName]) -> [EntryName: Summary] {
    let known = summaries.withLock { $0 }
    var present: [EntryName: Summary] = [:]
    for name in names {
      if let summary = known[name] ?? summary(of: name) { present[name] = summary }
    }
    // What cannot be read now may well be later.
    let lasting = present.filter { $0.value.problem == nil }
    summaries.withLock { $0 = lasting }
    return present
  }

  private func summary(of name: EntryName) -> Summary? {
    do {
      guard let record = try files.read(name) else { return nil }
      return Summary(
        queue: record.queue, resource: try? Self.resource(record.request, record.baseURL),
        byteCount: record.files.reduce(Int64(try record.encoded().count)) { $0 + $1.byteCount },
        lifespan: record.lifespan)
    } catch is Corruption {
      return Summary()
    } catch {
      return Summary(problem: error)
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
