import Foundation
import Networking

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
