import CatenaSystem
package import Foundation
package import Mocking
package import Networking

/// The routes of a recording.
///
/// Each path replays its recorded responses in the order of the recording.
package struct RecordedRoutes {
  /// The responses to requests with one method, path and query, for a list.
  package struct Summary {
    /// The method.
    ///
    /// `nil` matches all methods.
    package let method: HTTPMethod?
    /// The path template.
    package let path: String
    /// Short descriptions of the responses.
    package let responses: String
    /// The query, if there is one.
    package let query: String?
  }

  /// The routes, in the order of the recording.
  package let routes: [Route]
  /// The summaries, in the order of the recording.
  package let summaries: [Summary]
  /// The entries that cannot be replayed.
  package let warnings: [ArchiveWarning]

  /// Reads a recording.
  ///
  /// - Parameters:
  ///   - file: The location of the archive.
  ///   - options: The options of the tape. The origin of requests is always ignored, because the host
  ///     and the port of the server differ from the recorded ones.
  /// - Throws: `RecordingError`.
  package init(_ file: URL, options: Tape.Options) throws(RecordingError) {
    var options = options
    options.matching = options.matching.ignoringOrigin
    let matching = options.matching
    let player = TapePlayer(try HAR(contentsOf: file), file, options)
    warnings = player.warnings
    var rows = RecordedRows()
    for entry in player.entries { rows.add(entry, RecordedPath(entry.request, matching)) }
    summaries = rows.summaries
    let compared = Set(player.requestsComparedByBody.map { RecordedPath($0, matching) })
    routes = rows.paths.map { path in
      let route = Route(path.method, path.template) { request in player.mock(for: request) }
        .replaying(player)
      return compared.contains(path) ? route : route.discardingBody()
    }
  }
}

/// The method and the path template by which a recorded request is routed.
private struct RecordedPath: Hashable {
  let method: HTTPMethod?
  let template: String

  init(_ request: HAR.Request, _ matching: Tape.Matching) {
    method = matching.contains(.method) ? HTTPMethod(rawValue: request.method) : nil
    template = matching.contains(.path) ? Self.template(of: request.url) : "/{path*}"
  }

  /// Returns a template in which the segments with masked values are variables.
  private static func template(of url: String) -> String {
    let path = URL(reference: url)?.path(percentEncoded: true) ?? ""
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    let parts = segments.enumerated().map { index, segment -> String in
      // Characters such as the asterisk have a meaning in templates.
      let text = PathTemplate.escaping("/" + segment).dropFirst()
      guard let decoded = PercentEncoding.decode(text) else { return "{value\(index)}" }
      return decoded.contains(Redactor.mask) ? "{value\(index)}" : String(text)
    }
    return "/" + parts.joined(separator: "/")
  }
}

/// The summaries of a recording, one for each method, path and query.
private struct RecordedRows {
  /// The responses to equal requests, of which the first ones are listed.
  private struct Row {
    let path: RecordedPath
    let query: String?
    var responses: [String] = []
    var count = 0
  }

  private struct Key: Hashable {
    let path: RecordedPath
    let query: String?
  }

  /// The paths, each once, in the order of the recording.
  private(set) var paths: [RecordedPath] = []
  private var known: Set<RecordedPath> = []
  private var rows: [Row] = []
  private var indices: [Key: Int] = [:]
  /// The maximum number of responses in a summary.
  private static let limit = 20

  mutating func add(_ entry: HAR.Entry, _ path: RecordedPath) {
    if known.insert(path).inserted { paths.append(path) }
    let bare = entry.request.url.prefix { $0 != "#" }
    let query = bare.firstIndex(of: "?").map { String(bare[bare.index(after: $0)...]) }
    let key = Key(path: path, query: query)
    let index = indices[key] ?? rows.count
    if index == rows.count {
      indices[key] = index
      rows.append(Row(path: path, query: query))
    }
    rows[index].count += 1
    guard rows[index].count <= Self.limit else { return }
    let response = entry.response
    let type = response.content.size > 0 ? " \(response.content.mimeType)" : ""
    rows[index].responses.append(
      entry.unknownFailure
        ?? (response.failureCode == nil ? "\(response.status)\(type)" : response.error ?? ""))
  }

  var summaries: [RecordedRoutes.Summary] {
    rows.map { row in
      let more = row.count > Self.limit ? ", and \(row.count - Self.limit) more" : ""
      return RecordedRoutes.Summary(
        method: row.path.method, path: row.path.template,
        responses: row.responses.joined(separator: ", then ") + more, query: row.query)
    }
  }
}

extension TapePlayer {
  /// Returns the recorded response to a request.
  ///
  /// For a request that was not recorded it returns a 404 that names the nearest recorded request. A
  /// request with the method `HEAD` receives the head of the response to `GET` if only this was
  /// recorded. A redirect within the recorded origin becomes relative, and cookies lose their domain, so
  /// that the client sends its next request with its cookies to this backend.
  func mock(for request: ReceivedRequest) -> Mock {
    var recorded = HAR.Request(
      method: request.method.rawValue, url: "http://127.0.0.1" + request.target,
      headers: request.headers.map { HAR.Field(name: $0.name, value: $0.value) })
    if needsBody, !request.body.isEmpty { recorded.set(request.body) }
    var playback = play(recorded)
    if case .unmatched = playback, request.method == .head {
      recorded.method = "GET"
      if case .entry(let entry) = play(recorded) { playback = .entry(entry) }
    }
    switch playback {
    case .entry(let entry):
      let events = entry.events(to: request.method, request.headers)
      var mock = Mock(
        replaying: events, to: request.method, recordedAt: URL(reference: entry.request.url))
      for coding in entry.response.remainingCodings {
        mock.headers.add(coding, for: "Content-Encoding")
      }
      return mock
    case .unmatched(let reason): return .text("\(reason)\n", status: 404)
    case .unplayable(let reason): return .text("\(reason)\n", status: 502)
    }
  }
}

extension PathTemplate {
  /// Returns a template that matches only the given path.
  ///
  /// - Parameter path: The path, percent-encoded, such as that of a recorded request.
  /// - Returns: The path, with the characters encoded that have a meaning in templates.
  package static func escaping(_ path: String) -> String {
    var escaped = ""
    for character in path {
      switch character {
      case "*": escaped += "%2A"
      case "{": escaped += "%7B"
      case "}": escaped += "%7D"
      case "[": escaped += "%5B"
      case "]": escaped += "%5D"
      case "<": escaped += "%3C"
      case ":" where escaped.hasSuffix("/"): escaped += "%3A"
      default: escaped.append(character)
      }
    }
    return escaped
  }
}
