import Foundation
import Networking
import Synchronization

/// A route of a file of stubs.
struct Stub: Sendable {
  /// Where it stands in its file.
  let path: JSONValuePath
  let route: Route
  /// What it answers.
  let mock: Mock

  /// Finds states that stubs wait for in vain.
  ///
  /// - Throws: ``JSONProblem``, for the first.
  static func checkStates(of stubs: [Stub]) throws(JSONDocumentError) {
    let next = stubs.flatMap(\.route.nextStates)
    for stub in stubs {
      for step in stub.route.requiredStates {
        let known =
          [step.scenario.initialState] + next.filter { $0.scenario == step.scenario }.map(\.state)
        guard !known.contains(step.state) else { continue }
        let hint =
          NameSuggestion.of(step.state, among: known).map { "; did you mean \"\($0)\"?" } ?? ""
        throw JSONDocumentError(
          path: stub.path.appending(.member("scenario")).appending(.member("when")),
          text: "no route leads the scenario \"\(step.scenario.name)\" to the state "
            + "\"\(step.state)\"\(hint)")
      }
    }
  }
}

extension Stub {
  /// The stub in a line of a table.
  var summary: StubFile.Summary {
    var lines = route.pattern.conditions.map(\.description)
    if let limit = route.limit { lines.append("at most \(limit) times") }
    if route.rank != 0 { lines.append("priority \(route.rank)") }
    lines += route.requiredStates.map { "\($0.scenario.name) is \($0.state)" }
    lines += route.nextStates.map { "\($0.scenario.name) becomes \($0.state)" }
    return StubFile.Summary(
      method: route.method, path: route.template, answer: mock.summary, conditions: lines)
  }
}

extension Mock {
  /// What it answers, in a few words.
  fileprivate var summary: String {
    var text: String
    switch source {
    case .sequence(let sequence):
      text = sequence.mocks.map(\.summary).joined(separator: ", then ")
      if sequence.end == .fails { text += ", then no more" }
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
    return text
  }
}

extension Mock.Interruption: CustomStringConvertible {
  /// As a table of routes has it, `reset in the body after 512 bytes`.
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
    return "\(name) \(place)"
  }
}

/// What a recording lays down: for each of its paths what was answered, in turn.
struct RecordedStubs {
  let routes: [Route]
  let summaries: [StubFile.Summary]

  /// - Throws: ``RecordingError``.
  init(_ file: URL) throws(RecordingError) {
    // The port, and perhaps the host, are others now.
    let tape = try Tape(replaying: file, options: Tape.Options(matching: [.method, .path]))
    var groups: [Group] = []
    for entry in tape.entries {
      guard let group = Group(entry) else { continue }
      if let index = groups.firstIndex(where: { $0.isSame(as: group) }) {
        groups[index].answers += group.answers
      } else {
        groups.append(group)
      }
    }
    summaries = groups.map { group in
      StubFile.Summary(
        method: group.method, path: group.path, answer: group.answers.joined(separator: ", then "),
        conditions: group.query.map { ["query = \($0)"] } ?? [])
    }
    var seen: Set<String> = []
    routes = groups.filter { seen.insert("\($0.method) \($0.path)").inserted }.map { group in
      Route(group.method, group.path) { request in tape.mock(for: request) }
    }
  }

  /// The exchanges of one request.
  private struct Group {
    let method: HTTPMethod
    let path: String
    let query: String?
    var answers: [String]

    init?(_ entry: HAR.Entry) {
      guard let components = URLComponents(string: entry.request.url) else { return nil }
      method = HTTPMethod(rawValue: entry.request.method)
      let path = components.percentEncodedPath
      self.path = path.isEmpty ? "/" : path
      query = components.percentEncodedQuery
      let response = entry.response
      answers = [
        response.error ?? "\(response.status)"
          + (response.content.size > 0 ? " \(response.content.mimeType)" : "")
      ]
    }

    func isSame(as other: Group) -> Bool {
      method == other.method && path == other.path && query == other.query
    }
  }
}

extension Tape {
  /// What was recorded in answer to a request, by its method, path and query; a 404 that names the
  /// nearest one where it was not.
  func mock(for request: ReceivedRequest) -> Mock {
    guard let url = URL(string: "http://127.0.0.1" + request.target) else {
      return .text("the target is no URL\n", status: 400)
    }
    // What is replayed comes before `start` returns.
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
