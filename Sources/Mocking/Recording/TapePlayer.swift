import Foundation
import Networking
import Synchronization

/// Answers requests with what was recorded.
final class TapePlayer: Sendable {
  /// Where each request's answers have got to.
  private struct State {
    var used: [MatchKey: Int] = [:]
  }

  let entries: [HAR.Entry]
  private let file: URL
  private let options: Tape.Options
  private let redactor: Redactor
  /// The positions of a request's answers, in order.
  private let positions: [MatchKey: [Int]]
  private let keys: [MatchKey]
  private let state = Mutex(State())

  init(_ har: HAR, _ file: URL, _ options: Tape.Options) {
    self.file = file
    self.options = options
    redactor = Redactor(options.redaction)
    entries = har.log.entries
    // What others have recorded is not masked yet.
    let recorded = Redactor(options.redaction)
    keys = har.log.entries.map { entry in
      var request = entry.request
      recorded.redact(&request)
      return MatchKey(request, options.matching)
    }
    positions = Dictionary(grouping: keys.indices) { [keys] in keys[$0] }
  }

  /// What was not asked for.
  var unplayed: [HAR.Entry] {
    let used = state.withLock { $0.used }
    return positions.flatMap { key, positions in positions.dropFirst(used[key] ?? 0) }
      .sorted().map { entries[$0] }
  }

  /// The events of the next answer to a request.
  func answer(_ request: HTTPRequest) -> [TransportEvent] {
    var asked = HAR.Request(
      request, bodyLimit: options.matching.contains(.body) ? options.bodyLimit : nil)
    redactor.redact(&asked)
    let key = MatchKey(asked, options.matching)
    guard let positions = positions[key] else {
      return [failure("\(asked.method) \(asked.url) is not in \(name)\(nearest(to: key))")]
    }
    let turn = state.withLock { state -> Int in
      let turn = state.used[key] ?? 0
      state.used[key] = turn + 1
      return turn
    }
    guard turn < positions.count || options.afterLast == .repeats else {
      let times = positions.count == 1 ? "once" : "\(positions.count) times"
      return [
        failure(
          "\(asked.method) \(asked.url) was recorded \(times) in \(name), and all is replayed")
      ]
    }
    let entry = entries[positions[min(turn, positions.count - 1)]]
    return entry.events(to: request)
  }

  private var name: String { file.lastPathComponent }

  private func failure(_ reason: String) -> TransportEvent {
    .failure(TransportFailure(code: .mockFailed, detail: reason))
  }

  private func nearest(to key: MatchKey) -> String {
    let nearest = keys.indices.min { keys[$0].distance(to: key) < keys[$1].distance(to: key) }
    guard let nearest else { return ", which is empty" }
    let entry = entries[nearest].request
    let differing = keys[nearest].differences(from: key).joined(separator: ", ")
    return "; the nearest of \(entries.count) is log.entries[\(nearest)], \(entry.method) "
      + "\(NetworkError.RequestSummary(method: .get, url: entry.url).url), of another \(differing)"
  }
}

extension HAR.Entry {
  /// What a transport would have told of the exchange.
  func events(to request: HTTPRequest) -> [TransportEvent] {
    var events: [TransportEvent] = []
    let sent = request.body.byteCount ?? Int64(max(self.request.bodySize, 0))
    let body = response.content.data ?? Data()
    let received = response.bodySize >= 0 ? response.bodySize : body.count
    let metrics = timings.metrics(bytesSent: Int(sent), bytesReceived: received)
    if let head = response.head {
      if sent > 0 { events.append(.sent(bytes: sent, total: sent)) }
      events.append(.head(head))
      if !body.isEmpty { events.append(.body(body)) }
      guard response.error != nil else { return events + [.end(metrics)] }
    }
    return events + [
      .failure(
        TransportFailure(
          code: HARErrorCode.code(response.error ?? ""), detail: response.errorDetail ?? "",
          metrics: metrics))
    ]
  }
}

/// What of a masked request counts for its being the one asked for.
struct MatchKey: Hashable, Sendable {
  /// What a matcher looks at, and what it has found; in a fixed order.
  let parts: [Part]

  struct Part: Hashable, Sendable {
    let name: String
    let value: String
  }

  init(_ request: HAR.Request, _ matching: Set<Tape.Matcher>) {
    var parts: [Part] = []
    if matching.contains(.method) { parts.append(Part(name: "method", value: request.method)) }
    let (origin, path, query) = Self.split(request.url)
    if matching.contains(.url) { parts.append(Part(name: "origin", value: origin)) }
    if matching.contains(.url) || matching.contains(.path) {
      parts.append(Part(name: "path", value: path))
      let fields = FormURLCoding.fields(query).map { [$0.name, $0.value] }
      let ordered =
        matching.contains(.queryOrder)
        ? fields : fields.sorted { $0.lexicographicallyPrecedes($1) }
      parts.append(Part(name: "query", value: Self.text(ordered)))
    }
    let names = matching.compactMap { matcher -> String? in
      if case .header(let name) = matcher { name.lowercased() } else { nil }
    }
    for name in names.sorted() {
      let values = request.headers.filter { $0.name.lowercased() == name }.map(\.value)
      parts.append(Part(name: "header \(name)", value: Self.text([values])))
    }
    if matching.contains(.body) { parts.append(Part(name: "body", value: Self.body(request))) }
    self.parts = parts
  }

  /// Scheme, host and port in one form; the path decoded, as a mask may be encoded on its way.
  private static func split(_ text: String) -> (origin: String, path: String, query: Substring) {
    let bare = text.prefix { $0 != "#" }
    let question = bare.firstIndex(of: "?") ?? bare.endIndex
    let query = question == bare.endIndex ? "" : bare[bare.index(after: question)...]
    guard let url = URL(string: String(bare[..<question])), let origin = Origin(url) else {
      return ("", String(bare[..<question]), query)
    }
    // Segment by segment, so that an encoded slash stays another thing than a slash.
    let path = url.path(percentEncoded: true)
    let segments = (path.isEmpty ? "/" : path).split(
      separator: "/", omittingEmptySubsequences: false
    )
    .map { FormURLCoding.encode(FormURLCoding.decode($0, false)) }
    return (
      "\(origin.scheme)://\(origin.host):\(origin.port)", segments.joined(separator: "/"), query
    )
  }

  private static func text(_ lists: [[String]]) -> String {
    lists.map { $0.map { $0.debugDescription }.joined(separator: "=") }.joined(separator: "&")
  }

  private static func body(_ request: HAR.Request) -> String {
    guard let body = request.postData else { return "" }
    if body.encoding == "size" { return "of \(request.bodySize) bytes" }
    let content = body.content
    guard body.encoding == nil else { return withoutBoundary(body, decoding: true) }
    let type = MediaType(body.mimeType)
    if type?.description == "application/x-www-form-urlencoded" {
      return text(FormURLCoding.fields(content).map { [$0.name, $0.value] })
    }
    if type?.type == "multipart" { return withoutBoundary(body, decoding: false) }
    if let json = try? JSON(parsing: Data(content.utf8)) { return canonical(json).description }
    return content
  }

  /// Numbers of the same value written alike.
  private static func canonical(_ json: JSON) -> JSON {
    switch json {
    case .double(let value): Int(exactly: value).map { .int($0) } ?? json
    case .array(let values): .array(values.map(canonical))
    case .dictionary(let members): .dictionary(members.mapValues(canonical))
    case .null, .bool, .int, .decimal, .string: json
    }
  }

  /// A form's boundary is another each time.
  private static func withoutBoundary(_ body: HAR.PostData, decoding: Bool) -> String {
    guard let boundary = MediaType(body.mimeType)?.parameters["boundary"], !boundary.isEmpty else {
      return body.content
    }
    guard decoding else { return body.content.replacing(boundary, with: "boundary") }
    guard
      var data = HARBodyCoding.data(
        body.content, encoding: body.encoding, mimeType: body.mimeType)
    else { return body.content }
    let name = Data(boundary.utf8)
    while let range = data.range(of: name) { data.removeSubrange(range) }
    return data.base64EncodedString()
  }

  /// The names of what differs from another.
  func differences(from other: MatchKey) -> [String] {
    zip(parts, other.parts).filter { $0 != $1 }.map { $0.0.name }
  }

  /// How unlike another it is: first by how much differs, then by how late the paths part.
  func distance(to other: MatchKey) -> Int {
    let different = zip(parts, other.parts).reduce(0) { sum, pair in
      guard pair.0 != pair.1 else { return sum }
      // Another path is further off than any number of other things.
      return sum + (pair.0.name == "path" ? 100_000 : 10_000)
    }
    let paths = zip(parts, other.parts).first { $0.0.name == "path" }
    let common = paths.map { zip($0.0.value, $0.1.value).prefix { $0.0 == $0.1 }.count } ?? 0
    return different - min(common, 9_999)
  }
}
