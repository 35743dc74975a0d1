import Foundation
import Networking
import Synchronization

/// A player that replays recorded responses.
final class TapePlayer: Sendable {
  private struct State {
    /// The number of requests for each key.
    var requestCounts: [MatchKey: Int] = [:]
  }

  /// The recorded exchanges.
  let entries: [HAR.Entry]
  private let file: URL
  private let options: Tape.Options
  private let redactor: RecordingRedactor
  /// The indices in ``entries`` of the exchanges for each key, in ascending order.
  private let indices: [MatchKey: [Int]]
  /// The key of each exchange in ``entries``.
  private let keys: [MatchKey]
  private let state = Mutex(State())

  init(_ har: HAR, _ file: URL, _ options: Tape.Options) {
    self.file = file
    self.options = options
    redactor = RecordingRedactor(options.redaction, placeholders: nil)
    entries = har.log.entries
    // Masks the recording, because one of another program may not be masked. This redactor is
    // separate, so that secrets in the recording do not affect the masking of the replayed
    // requests.
    let recordingRedactor = RecordingRedactor(options.redaction, placeholders: nil)
    keys = har.log.entries.map { entry in
      var request = entry.request
      recordingRedactor.redact(&request)
      request.generalizePlaceholders()
      return MatchKey(request, options.matching)
    }
    indices = Dictionary(grouping: keys.indices) { [keys] in keys[$0] }
  }

  /// The exchanges that have not been replayed, in the order of the recording.
  var unplayed: [HAR.Entry] {
    let counts = state.withLock { $0.requestCounts }
    return indices.flatMap { key, indices in indices.dropFirst(counts[key] ?? 0) }
      .sorted().map { entries[$0] }
  }

  /// Returns the events of the next recorded response to a request.
  ///
  /// - Parameter request: The request, without a stream body.
  /// - Returns: The events. If the request was not recorded, or if all its responses have been
  ///   replayed and must not be repeated, the only event is a failure with the code `mockFailed`.
  func events(for request: HTTPRequest) -> [TransportEvent] {
    var harRequest = HAR.Request(
      request, bodyLimit: options.matching.contains(.body) ? options.bodyLimit : nil)
    redactor.redact(&harRequest)
    harRequest.generalizePlaceholders()
    let key = MatchKey(harRequest, options.matching)
    guard let indices = indices[key] else {
      return [
        failure(
          "\(harRequest.method) \(harRequest.url) is not in \(fileName)\(closestMatch(to: key))")
      ]
    }
    let number = state.withLock { state -> Int in
      let number = state.requestCounts[key] ?? 0
      state.requestCounts[key] = number + 1
      return number
    }
    guard number < indices.count || options.afterLast == .repeats else {
      let times = indices.count == 1 ? "once" : "\(indices.count) times"
      return [
        failure(
          "\(harRequest.method) \(harRequest.url) was recorded \(times) in \(fileName), and every "
            + "recorded response has been replayed")
      ]
    }
    let entry = entries[indices[min(number, indices.count - 1)]]
    return entry.events(to: request)
  }

  private var fileName: String { file.lastPathComponent }

  private func failure(_ reason: String) -> TransportEvent {
    .failure(TransportFailure(code: .mockFailed, detail: reason))
  }

  /// Returns the part of an error message that contains the most similar recorded request and the
  /// differing parts.
  private func closestMatch(to key: MatchKey) -> String {
    let closest = keys.indices.min { keys[$0].distance(to: key) < keys[$1].distance(to: key) }
    guard let closest else { return ", which is empty" }
    let request = entries[closest].request
    let url = NetworkError.RequestSummary(method: .get, url: request.url).url
    let differing = keys[closest].differences(from: key).joined(separator: ", ")
    return "; the closest of its \(entries.count) entries is log.entries[\(closest)], "
      + "\(request.method) \(url), with a different \(differing)"
  }
}

extension HAR.Request {
  /// Replaces all placeholders by `***`, which is the mask of the secrets in a replayed request.
  fileprivate mutating func generalizePlaceholders() {
    replaceTexts { text, _ in RecordingPlaceholder.generalized(text) }
  }
}

extension HAR.Entry {
  /// Returns the events that a transport reports for this exchange.
  ///
  /// - Parameter request: The replayed request. Its body size is reported as the number of sent
  ///   bytes, or the recorded size if it is unknown.
  /// - Returns: The events.
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

/// The parts of a masked request that must be equal to those of a recorded request.
struct MatchKey: Hashable, Sendable {
  /// A compared part of a request.
  struct Part: Hashable, Sendable {
    /// The name of the part in error messages, such as `path` or `header accept`.
    let name: String
    /// The value in a canonical form.
    let value: String
  }

  /// The parts in a fixed order.
  ///
  /// Keys with the same matchers have the same part names.
  let parts: [Part]

  /// Creates the key of a request.
  ///
  /// - Parameters:
  ///   - request: The masked request.
  ///   - matching: The matchers, which select the parts.
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
      parts.append(Part(name: "query", value: Self.joined(ordered)))
    }
    let names = matching.compactMap { matcher -> String? in
      if case .header(let name) = matcher { name.lowercased() } else { nil }
    }
    for name in names.sorted() {
      let values = request.headers.filter { $0.name.lowercased() == name }.map(\.value)
      parts.append(Part(name: "header \(name)", value: Self.joined([values])))
    }
    if matching.contains(.body) {
      parts.append(Part(name: "body", value: Self.canonicalBody(of: request)))
    }
    self.parts = parts
  }

  /// Splits a URL into its normalized origin, its path with normalized percent-encoding, and its
  /// query.
  ///
  /// The path is normalized because a mask in the path may be percent-encoded.
  private static func split(_ text: String) -> (origin: String, path: String, query: Substring) {
    let bare = text.prefix { $0 != "#" }
    let question = bare.firstIndex(of: "?") ?? bare.endIndex
    let query = question == bare.endIndex ? "" : bare[bare.index(after: question)...]
    guard let url = URL(string: String(bare[..<question])), let origin = Origin(url) else {
      return ("", String(bare[..<question]), query)
    }
    // Normalizes each segment, so that an encoded slash remains distinct from a separator.
    let path = url.path(percentEncoded: true)
    let segments = (path.isEmpty ? "/" : path).split(
      separator: "/", omittingEmptySubsequences: false
    )
    .map { FormURLCoding.encode(FormURLCoding.decode($0, false)) }
    return (
      "\(origin.scheme)://\(origin.host):\(origin.port)", segments.joined(separator: "/"), query
    )
  }

  /// Returns lists as an unambiguous text in which the elements are quoted.
  private static func joined(_ lists: [[String]]) -> String {
    lists.map { $0.map { $0.debugDescription }.joined(separator: "=") }.joined(separator: "&")
  }

  /// Returns the body in a canonical form.
  ///
  /// The form is equal for equal JSON values, for equal form fields, and for multipart bodies that
  /// differ only in their boundary.
  private static func canonicalBody(of request: HAR.Request) -> String {
    guard let body = request.postData else { return "" }
    if body.encoding == "size" { return "of \(request.bodySize) bytes" }
    let content = body.content
    guard body.encoding == nil else { return withoutBoundary(body, decoding: true) }
    let type = MediaType(body.mimeType)
    if type?.description == "application/x-www-form-urlencoded" {
      return joined(FormURLCoding.fields(content).map { [$0.name, $0.value] })
    }
    if type?.type == "multipart" { return withoutBoundary(body, decoding: false) }
    if let json = try? JSON(parsing: Data(content.utf8)) { return canonical(json).description }
    return content
  }

  /// Returns JSON in which integral floating-point numbers are integers: `1.0` becomes `1`.
  private static func canonical(_ json: JSON) -> JSON {
    switch json {
    case .double(let value): Int(exactly: value).map { canonical(.int($0)) } ?? json
    // A masked number of the recording equals the masked number of a request.
    case .int(let value): RecordingPlaceholder.isPlaceholder(value) ? .int(0) : json
    case .array(let values): .array(values.map(canonical))
    case .dictionary(let members): .dictionary(members.mapValues(canonical))
    case .null, .bool, .decimal, .string: json
    }
  }

  /// Returns a multipart body without its boundary, which is different in each request.
  ///
  /// - Parameters:
  ///   - body: The body.
  ///   - decoding: Whether the body is recorded in an encoding, and must be decoded first.
  /// - Returns: The body as text, or in base64 if it was decoded.
  private static func withoutBoundary(_ body: HAR.PostData, decoding: Bool) -> String {
    guard let boundary = MediaType(body.mimeType)?.parameters["boundary"], !boundary.isEmpty else {
      return body.content
    }
    guard decoding else { return body.content.replacing(boundary, with: "boundary") }
    guard
      var data = HARBodyCoding.decode(
        body.content, encoding: body.encoding, mimeType: body.mimeType)
    else { return body.content }
    let name = Data(boundary.utf8)
    while let range = data.range(of: name) { data.removeSubrange(range) }
    return data.base64EncodedString()
  }

  /// Returns the names of the parts that differ from another key.
  func differences(from other: MatchKey) -> [String] {
    zip(parts, other.parts).filter { $0 != $1 }.map { $0.0.name }
  }

  /// Returns the distance to another key.
  ///
  /// The distance depends on the number of different parts. For an equal number, it depends on the
  /// length of the common prefix of the paths.
  func distance(to other: MatchKey) -> Int {
    let different = zip(parts, other.parts).reduce(0) { sum, pair in
      guard pair.0 != pair.1 else { return sum }
      // A different path outweighs up to nine other different parts.
      return sum + (pair.0.name == "path" ? 100_000 : 10_000)
    }
    let paths = zip(parts, other.parts).first { $0.0.name == "path" }
    let common = paths.map { zip($0.0.value, $0.1.value).prefix { $0.0 == $0.1 }.count } ?? 0
    return different - min(common, 9_999)
  }
}
