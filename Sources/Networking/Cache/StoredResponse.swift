import Foundation

/// A response in a cache.
struct StoredResponse: Sendable {
  /// The status and the fields, without those that are not stored.
  let head: HTTPResponseHead
  /// The time at which the request was sent, or at which the last validation was sent.
  let requestTime: Date
  /// The time at which the response, or its last validation, was received.
  let responseTime: Date
  /// The requests that the response is for.
  var selector: CacheSelector
  private(set) var body: StoredBody
  /// A random number of the body, which updates of the fields keep.
  let bodyID: UInt64
  /// The properties that the rules of the cache read, parsed once.
  let rules: Rules

  init(
    _ head: HTTPResponseHead, requestTime: Date, responseTime: Date, for selector: CacheSelector,
    body: StoredBody, bodyID: UInt64 = .random(in: 0 ... .max)
  ) {
    self.head = head
    self.requestTime = requestTime
    self.responseTime = responseTime
    self.selector = selector
    self.body = body
    self.bodyID = bodyID
    rules = Rules(head, requestTime: requestTime, responseTime: responseTime)
  }

  /// The approximate number of bytes in memory or on disk.
  var byteCount: Int {
    head.headers.fields.reduce(256 + body.count) { $0 + $1.name.utf8.count + $1.value.utf8.count }
  }

  /// Returns the response with its body in another place.
  func with(_ body: StoredBody) -> StoredResponse { copy(of: self) { $0.body = body } }
}

extension StoredResponse {
  /// The freshness, the age and the validators of a stored response.
  ///
  /// Source: RFC 9111 section 4.2.
  struct Rules: Sendable, Equatable {
    let directives: CacheControl
    let status: Int
    /// The lifetime that the server has declared, in seconds.
    ///
    /// `nil` if it has declared none.
    let declaredLifetime: Double?
    /// The lifetime derived from `Last-Modified`, in seconds.
    ///
    /// `nil` if it cannot be derived.
    let heuristicLifetime: Double?
    /// The age at the time of the response, in seconds.
    let initialAge: Double
    let responseTime: Date
    let etag: String?
    let lastModified: String?

    init(_ head: HTTPResponseHead, requestTime: Date, responseTime: Date) {
      let headers = head.headers
      directives = CacheControl(headers)
      status = head.status
      self.responseTime = responseTime
      etag = headers.values(for: "ETag").first.flatMap { $0.isEmpty ? nil : $0 }
      lastModified = headers.values(for: "Last-Modified").first
      func date(_ name: String) -> Date? {
        headers.values(for: name).first.flatMap { HTTPDate.parse($0, now: responseTime) }
      }
      let sent = date("Date") ?? responseTime
      if let maxAge = directives.maxAge {
        declaredLifetime = Double(maxAge)
      } else if headers.contains("Expires") {
        // An invalid date, such as 0, is in the past.
        declaredLifetime = max(0, date("Expires")?.timeIntervalSince(sent) ?? 0)
      } else {
        declaredLifetime = nil
      }
      if declaredLifetime == nil, let modified = date("Last-Modified"), modified < sent,
        Self.heuristicStatuses.contains(head.status) || directives.isPublic
      {
        heuristicLifetime = min(sent.timeIntervalSince(modified) / 10, Self.longestHeuristic)
      } else {
        heuristicLifetime = nil
      }
      let apparent = max(0, responseTime.timeIntervalSince(sent))
      let delay = max(0, responseTime.timeIntervalSince(requestTime))
      let reported = headers.values(for: "Age").first.flatMap { value in
        let first = value.split(separator: ",").first.map(String.init)
        return CacheControl.seconds(first?.trimmingCharacters(in: .whitespaces))
      }
      initialAge = max(apparent, Double(reported ?? 0) + delay)
    }

    /// The limit of a lifetime that is derived from `Last-Modified`: a week.
    private static let longestHeuristic = 7.0 * 24 * 3_600

    /// The statuses that can be stored without a declared lifetime.
    ///
    /// 206 is missing, because partial responses are not stored.
    ///
    /// Source: RFC 9110 section 15.1.
    static let heuristicStatuses: Set<Int> = [
      200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501,
    ]

    /// Returns the age at a time, in seconds.
    ///
    /// Source: RFC 9111 section 4.2.3.
    func age(at now: Date) -> Double {
      let resident = now.timeIntervalSince(responseTime)
      // The clock has been set back by more than a correction, so the age is unknown.
      if resident < -60 { return .greatestFiniteMagnitude }
      return initialAge + max(0, resident)
    }

    /// Returns the lifetime in seconds.
    ///
    /// - Parameter fallback: The caller's lifetime for servers that declare none.
    /// - Returns: The lifetime.
    func lifetime(or fallback: Double?) -> Double {
      declaredLifetime ?? fallback ?? heuristicLifetime ?? 0
    }

    /// Whether a conditional request can validate the response.
    var hasValidator: Bool { etag != nil || lastModified != nil }
  }
}

/// The body of a stored response.
enum StoredBody: Sendable {
  case data(Data)
  case file(StoredBodyFile)

  var count: Int {
    switch self {
    case .data(let data): data.count
    case .file(let file): Int(clamping: file.byteCount)
    }
  }

  var file: StoredBodyFile? { if case .file(let file) = self { file } else { nil } }
}

/// A file with the body of a stored response.
struct StoredBodyFile: Sendable, Hashable {
  let path: String
  let byteCount: Int64
  /// The ``Checksum`` of the contents.
  let checksum: String
}

/// The properties of the requests that a stored response is for.
///
/// It has digests, so that no secret of a request is stored.
struct CacheSelector: Sendable, Hashable {
  /// A field that the response varies on.
  struct Field: Sendable, Hashable {
    /// The name in lower case.
    let name: String
    /// The digest of the value, or `nil` if the request had no such field.
    let digest: String?
  }

  /// The digest of the credentials and what else decides for which requests of a URL the response is,
  /// empty for the usual request without credentials.
  var credentials = ""
  /// The fields in the `Vary` field of the response, sorted by name.
  var fields: [Field] = []
}

/// All stored responses of one URL.
struct CacheRecord: Sendable {
  /// The limit for the responses of a URL, for different fields or credentials of a request.
  static let maximumCount = 16

  let key: CacheKey
  /// The responses, unordered.
  private(set) var responses: [StoredResponse]
  /// The body file of a response that was not added because the record has a later one.
  private(set) var refusedFile: StoredBodyFile?

  init(_ key: CacheKey, _ responses: [StoredResponse] = []) {
    self.key = key
    self.responses = responses
  }

  var byteCount: Int { responses.reduce(key.text.utf8.count) { $0 + $1.byteCount } }

  /// Returns whether a response is still stored, and has not been validated since.
  func contains(_ response: StoredResponse) -> Bool {
    responses.contains { $0.bodyID == response.bodyID && $0.responseTime == response.responseTime }
  }

  /// Adds a response, which replaces that for the same requests, unless that one is the response to
  /// a later request.
  mutating func insert(_ response: StoredResponse) {
    let earlier = responses.first { $0.selector == response.selector }
    if let earlier, earlier.requestTime > response.requestTime {
      return refusedFile = response.body.file
    }
    remove(response.selector)
    if responses.count >= Self.maximumCount { removeOldest() }
    responses.append(response)
  }

  /// Removes the response for certain requests.
  mutating func remove(_ selector: CacheSelector) { remove { $0.selector == selector } }

  /// Removes the responses that match a condition.
  mutating func remove(where matches: (StoredResponse) -> Bool) {
    responses.removeAll(where: matches)
  }

  /// Removes the responses that were received first until the limit is met.
  mutating func evict(downTo limit: Int) {
    while byteCount > limit, !responses.isEmpty { removeOldest() }
  }

  private mutating func removeOldest() {
    let oldest = responses.indices.min { responses[$0].responseTime < responses[$1].responseTime }
    if let oldest { responses.remove(at: oldest) }
  }

  /// The files with bodies.
  var files: Set<StoredBodyFile> { Set(responses.compactMap(\.body.file)) }
}
