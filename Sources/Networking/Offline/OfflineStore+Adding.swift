import Foundation

extension OfflineStore {
  /// Keeps a request.
  ///
  /// It is accepted when this returns, and from then on nothing but ``replay(concurrency:scheduler:progress:_:)``,
  /// its expiry, a conflict and ``remove(_:)`` take it away. Files of its payload are copied, so that
  /// they may go. A request with a key that is kept already is not kept twice.
  ///
  /// When the store is full, entries that have expired make room first. A request with a field that goes by a secret's
  /// name is refused, unless the store ``storesSecrets``.
  ///
  /// - Parameters:
  ///   - request: what to keep; with the header fields of its endpoint, if it has such.
  ///   - baseURL: what its path is relative to; nil when that is absolute.
  ///   - queue: whose order it joins.
  ///   - idempotencyKey: what tells a server that a request sent twice is one; that which the request
  ///     was sent with before, if it was.
  /// - Returns: the entry: the new one, or the kept one in whose favour it was dropped.
  /// - Throws: ``NetworkError`` of the code `invalidURL` when there is no proper URL, `encodingFailed`
  ///   when a parameter cannot be written or the body is a stream, `offlineStoreFull` when one of ``limits`` is reached,
  ///   `offlineStoreRefused` when a field goes by a secret's name, which the error has, without its value,
  ///   `offlineStoreFailed` when the disk is full or fails, or a file of the payload cannot be read;
  ///   nothing of the request is kept then.
  @discardableResult
  public func add(
    _ request: Request, baseURL: URL? = nil, in queue: String = "", idempotencyKey: UUID = UUID()
  ) throws -> Entry {
    do {
      if !storesSecrets, let name = request.secretField {
        throw NetworkError(.offlineStoreRefused, Self.refusal(naming: name))
      }
      let candidate = Candidate(
        request: request, baseURL: baseURL, queue: queue, key: idempotencyKey,
        resource: try Self.resource(request, baseURL))
      while true {
        // The user's closures run without the lock; the lock's holder looks whether it still holds.
        let decision = try decide(on: candidate)
        let now = clock()
        if let entry = try files.withExclusiveLock({ try add(candidate, decision, at: now, $0) }) {
          return entry
        }
      }
    } catch var error as NetworkError {
      error.request = error.request ?? NetworkError.RequestSummary(request)
      throw error
    } catch {
      throw NetworkError(
        .encodingFailed, request: NetworkError.RequestSummary(request), underlying: error)
    }
  }

  private static func refusal(naming field: String) -> String {
    let name = NetworkError.singleLine(String(field.prefix(80)))
    return "its field \"\(name)\" goes by a secret's name, and the store keeps no secrets"
  }

  private struct Candidate {
    let request: Request
    let baseURL: URL?
    let queue: String
    let key: UUID
    let resource: String
  }

  private struct Decision {
    /// The entries that were asked about.
    var asked: [EntryName] = []
    var replaced: Set<EntryName> = []
    var droppedFor: Entry?
  }

  private func decide(on candidate: Candidate) throws -> Decision {
    var decision = Decision()
    guard let onConflict else { return decision }
    for name in conflicts(candidate, summaries(of: try files.list().names)) {
      // What cannot be read was asked about, too: under the lock it is found as it was found here.
      decision.asked.append(name)
      guard let record = try? files.read(name) else { continue }
      let entry = entry(record)
      switch onConflict(entry, candidate.request) {
      case .keepBoth: break
      case .replace: decision.replaced.insert(name)
      case .drop: decision.droppedFor = entry
      }
    }
    return decision
  }

  private func conflicts(
    _ candidate: Candidate, _ summaries: [EntryName: Summary]
  ) -> [EntryName] {
    guard onConflict != nil else { return [] }
    return summaries.filter {
      $0.value.queue == candidate.queue && $0.value.resource == candidate.resource
        && $0.key.key != candidate.key
    }
    .keys.sorted()
  }

  /// Does as was decided, or returns nil when the conflicts are others by now.
  private func add(
    _ candidate: Candidate, _ decision: Decision, at now: Date, _ lock: borrowing FileLock
  ) throws -> Entry? {
    let names = try files.list().names
    if let same = names.first(where: { $0.key == candidate.key }),
      let record = try? files.read(same)
    {
      return entry(record)
    }
    var summaries = summaries(of: names)
    guard conflicts(candidate, summaries) == decision.asked else { return nil }
    if let kept = decision.droppedFor { return kept }
    for name in decision.replaced { summaries[name] = nil }
    if summaries.count >= limits.entries { try removeExpired(&summaries, at: now) }
    guard summaries.count < limits.entries else {
      throw NetworkError(
        .offlineStoreFull, "there are \(limits.entries) entries, and no more are allowed")
    }
    let number = max(lock.number, names.last?.number ?? 0) + 1
    guard number <= EntryName.maximumNumber else {
      throw NetworkError(.offlineStoreFailed, "the store's numbers are used up")
    }
    let name = EntryName(number: number, key: candidate.key)
    try lock.writeNumber(number)
    let (request, withheld) = candidate.request.withoutCredentials()
    func add() throws -> (record: EntryRecord, byteCount: Int64)? {
      let room = summaries.values.reduce(limits.bytes) { $0 - $1.byteCount }
      return try files.add(name, copying: request.files, limit: room) { copies in
        EntryRecord(
          number: number, key: candidate.key, queue: candidate.queue, baseURL: candidate.baseURL,
          request: request.replacingFiles { _, _ in URL(fileURLWithPath: "/") },
          withheld: withheld, created: now,
          expires: lifetime.map { now.addingTimeInterval($0 / .seconds(1)) }, attempts: 0,
          files: copies)
      }
    }
    var added = try add()
    if added == nil, try removeExpired(&summaries, at: now) { added = try add() }
    guard let added else {
      throw NetworkError(.offlineStoreFull, "it would be more than \(limits.bytes) bytes")
    }
    self.summaries.withLock { [added] in
      $0[name] = Summary(
        queue: candidate.queue, resource: candidate.resource, byteCount: added.byteCount,
        lifespan: added.record.lifespan)
    }
    // After the new one: a process that dies between the two has both, and nothing is lost.
    for name in decision.replaced { _ = try? files.remove(name) }
    return entry(added.record)
  }

  /// Removes what has expired, to make room.
  ///
  /// - Returns: whether there was anything.
  @discardableResult
  private func removeExpired(
    _ summaries: inout [EntryName: Summary], at now: Date
  ) throws -> Bool {
    let expired = summaries.filter { $0.value.lifespan?.isExpired(at: now) ?? false }.keys
    for name in expired {
      try files.remove(name)
      summaries[name] = nil
    }
    return !expired.isEmpty
  }
}

extension Request {
  /// The name of a secret field in the query, in JSON, or in a form, or `nil` if there is none.
  ///
  /// ``Redactor/standard`` decides which names are secret. Header fields, free text, and other
  /// bodies are not searched.
  var secretField: String? {
    Self.secretField(inURL: path.text) ?? parameters.flatMap(Self.secretField(in:))
      ?? secretFieldInPayload
  }

  private var secretFieldInPayload: String? {
    switch payload {
    case .data(let data):
      var type = headers["Content-Type"]
      if type == nil, case .custom(let custom) = contentType { type = custom }
      return Self.secretField(in: data, type)
    case .multipart(let form):
      for part in form.parts {
        if Redactor.standard.isSecret(name: part.name) { return part.name }
        if case .data(let data) = part.content, part.contentType != nil,
          let name = Self.secretField(in: data, part.contentType)
        {
          return name
        }
      }
      return nil
    case .file, .stream, nil: return nil
    }
  }

  private static func secretField(in data: Data, _ contentType: String?) -> String? {
    let type = contentType.flatMap(MediaType.init(_:)).map {
      "\($0.type)/\($0.subtype)".lowercased()
    }
    switch type {
    case "application/x-www-form-urlencoded":
      return secretField(inURL: "?" + String(decoding: data, as: UTF8.self))
    case .some(let type) where type.hasSuffix("/json") || type.hasSuffix("+json"):
      if let json = try? JSON(parsing: data) { return secretField(in: Parameters(json)) }
      // Lines of JSON, or invalid JSON.
      var found: String?
      _ = Redactor.standard.maskedText(String(decoding: data, as: UTF8.self)) { name, _ in
        recordName(name, &found)
      }
      return found
    // Bytes of an unknown type may be JSON.
    case nil, "application/octet-stream":
      return (try? JSON(parsing: data)).flatMap { secretField(in: Parameters($0)) }
    default: return nil
    }
  }

  private static func secretField(in parameters: Parameters) -> String? {
    switch parameters {
    case .array(let values): return values.lazy.compactMap(secretField(in:)).first
    case .dictionary(let members):
      for member in members {
        if member.value != .null, Redactor.standard.isSecret(name: member.name) {
          return member.name
        }
        if let name = secretField(in: member.value) { return name }
      }
      return nil
    case .null, .bool, .int, .decimal, .double, .string, .data: return nil
    }
  }

  private static func secretField(inURL url: String) -> String? {
    var found: String?
    _ = Redactor.standard.maskedURL(url) { name, _ in recordName(name, &found) }
    return found
  }

  /// Records the first secret name that ``Redactor`` finds, and masks nothing.
  private static func recordName(_ name: String, _ found: inout String?) -> String? {
    if found == nil, Redactor.standard.isSecret(name: name) {
      found = name.removingPercentEncoding ?? name
    }
    return nil
  }
}
