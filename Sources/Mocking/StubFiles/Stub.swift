import Foundation
import Networking
import Synchronization

/// A route of a stub file.
struct Stub: Sendable {
  /// The location of the route in the file.
  let path: JSONValuePath
  let route: Route
  /// The response.
  let mock: Mock
  /// A description of the response, in place of that of the mock.
  var responseSummary: String?

  /// Checks that each required scenario state is an initial state or is set by a route.
  ///
  /// - Parameters:
  ///   - stubs: The stubs to check.
  ///   - others: All stubs of the server, which may be from several files.
  /// - Throws: ``JSONDocumentError`` for the first state that no route can reach.
  static func checkStates(
    of stubs: [Stub], among others: [Stub]
  ) throws(JSONDocumentError) {
    guard stubs.contains(where: { !$0.route.requiredStates.isEmpty }) else { return }
    let next = others.flatMap(\.route.nextStates)
    for stub in stubs {
      for step in stub.route.requiredStates {
        let reachable =
          [step.scenario.initialState] + next.filter { $0.scenario == step.scenario }.map(\.state)
        guard !reachable.contains(step.state) else { continue }
        let hint =
          NameSuggestion.of(step.state, among: reachable).map { "; did you mean \"\($0)\"?" } ?? ""
        throw JSONDocumentError(
          path: stub.path.appending(.member("scenario")).appending(.member("when")),
          text: "no route sets the scenario \"\(step.scenario.name)\" to the state "
            + "\"\(step.state)\"\(hint)")
      }
    }
  }

  /// The summary of the stub.
  var summary: StubFile.Summary {
    var lines = route.pattern.conditions.map(\.description)
    if let limit = route.limit { lines.append("at most \(limit) times") }
    if route.rank != 0 { lines.append("priority \(route.rank)") }
    lines += route.requiredStates.map { "\($0.scenario.name) is \($0.state)" }
    lines += route.nextStates.map { "\($0.scenario.name) becomes \($0.state)" }
    lines += route.assignments.map { "\($0.value == nil ? "removes" : "sets") \($0.name)" }
    return StubFile.Summary(
      method: route.method, path: route.template, response: responseSummary ?? mock.summary,
      conditions: lines)
  }
}

extension Mock {
  /// A short description of the response, such as `200 application/json, delay 0.08 seconds`.
  fileprivate var summary: String {
    var text: String
    switch source {
    case .sequence(let sequence):
      text = sequence.mocks.map(\.summary).joined(separator: ", then ")
      if sequence.end == .fails { text += ", then fails" }
    case .weighted(let choice):
      text = choice.shares.map { share, mock in
        "\((share * 100).rounded() == 0 ? "<1" : "\(Int((share * 100).rounded()))")% \(mock.summary)"
      }
      .joined(separator: " or ")
    default:
      text = "\(status)"
      if let type = headers["Content-Type"] { text += " \(type)" }
    }
    if let delay { text += ", delay \(delay)" }
    if let bodyDelay { text += ", body delay \(bodyDelay)" }
    switch pace {
    case nil: break
    case .throughput(let rate): text += ", \(rate) bytes/s"
    case .dribble(let pieces, let duration): text += ", \(pieces) pieces over \(duration)"
    }
    if let interruption { text += ", \(interruption)" }
    if case .stream(let stream) = body { text += ", \(stream.summary)" }
    if !interimResponses.isEmpty {
      text = interimResponses.map { "\($0.status), " }.joined() + text
    }
    return text
  }
}

extension MockStream {
  /// A short description of the stream, such as `3 items every 1.0 seconds, repeated`.
  fileprivate var summary: String {
    var text = items.count == 1 ? "1 item" : "\(items.count) items"
    if interval > .zero { text += " every \(interval)" }
    switch repetition {
    case .forever: text += ", repeated"
    case .times(let count): if count > 1 { text += ", \(count) times" }
    }
    return text
  }
}

extension Mock.Interruption: CustomStringConvertible {
  /// The fault and its position, such as `reset in the body after 512 bytes`.
  var description: String {
    let name =
      switch fault {
      case .close: "close"
      case .reset: "reset"
      case .stall: "stall"
      case .garbage: "garbage"
      case .malformedChunk: "malformed chunk"
      }
    let place =
      switch stage {
      case .request: "after the request"
      case .head(let count): "in the head after \(count) bytes"
      case .body(let count): "in the body after \(count) bytes"
      case .end: "at the end"
      }
    return chance < 1 ? "\(name) \(place) with a chance of \(chance)" : "\(name) \(place)"
  }
}

/// The routes of a recording.
///
/// Each path replays its recorded responses in the order of the recording.
struct RecordedStubs {
  let routes: [Route]
  let summaries: [StubFile.Summary]

  /// Reads a recording.
  ///
  /// - Throws: ``RecordingError``.
  init(_ file: URL) throws(RecordingError) {
    // Ignores the origin, because the host and the port of the server differ from the recorded
    // ones.
    let tape = try Tape(replaying: file, options: Tape.Options(matching: [.method, .path]))
    var groups: [RequestGroup] = []
    for entry in tape.entries {
      guard let group = RequestGroup(entry) else { continue }
      if let index = groups.firstIndex(where: { $0.hasSameRequest(as: group) }) {
        groups[index].responses += group.responses
      } else {
        groups.append(group)
      }
    }
    summaries = groups.map { group in
      StubFile.Summary(
        method: group.method, path: group.path,
        response: group.responses.joined(separator: ", then "),
        conditions: group.query.map { ["query = \($0)"] } ?? [])
    }
    var seen: Set<String> = []
    routes = groups.filter { seen.insert("\($0.method) \($0.path)").inserted }.map { group in
      Route(group.method, group.path) { request in tape.mock(for: request) }
    }
  }

  /// The recorded responses to requests with the same method, path and query.
  private struct RequestGroup {
    let method: HTTPMethod
    let path: String
    let query: String?
    var responses: [String]

    init?(_ entry: HAR.Entry) {
      guard let components = URLComponents(string: entry.request.url) else { return nil }
      method = HTTPMethod(rawValue: entry.request.method)
      let path = components.percentEncodedPath
      self.path = path.isEmpty ? "/" : path
      query = components.percentEncodedQuery
      let response = entry.response
      responses = [
        response.error ?? "\(response.status)"
          + (response.content.size > 0 ? " \(response.content.mimeType)" : "")
      ]
    }

    func hasSameRequest(as other: RequestGroup) -> Bool {
      method == other.method && path == other.path && query == other.query
    }
  }
}

extension Tape {
  /// Returns the recorded response to a request with this method, path and query.
  ///
  /// For a request without a recorded response it returns a 404 that names the nearest recorded
  /// request.
  func mock(for request: ReceivedRequest) -> Mock {
    guard let url = URL(string: "http://127.0.0.1" + request.target) else {
      return .text("the request target is not a valid URL\n", status: 400)
    }
    // A replayed exchange delivers all of its events before `start` returns.
    let events = Mutex<[TransportEvent]>([])
    _ = start(HTTPRequest(method: request.method, url: url)) { event in
      events.withLock { $0.append(event) }
    }
    return Mock(to: request.method, events.withLock { $0 }) { failure in
      failure.code == .mockFailed
        ? .text("\(failure.detail)\n", status: 404) : .failure(failure.code)
    }
  }
}
