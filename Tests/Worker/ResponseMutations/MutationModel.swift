#if os(Linux) || os(macOS)
  import Foundation
  import Networking
  import TestSupport

  /// The outcomes that a call of a story may have.
  struct Expectation {
    /// The responses that are right, each with a status and a decoded body.
    var responses: [HostileOutcome] = []
    var codes: Set<NetworkError.Code> = []
    /// The reason, for the report of a failure.
    var reason: String

    func accepts(_ outcome: HostileOutcome) -> Bool {
      if case .failure(let code) = outcome { return codes.contains(code) }
      return responses.contains(outcome)
    }

    var description: String {
      let outcomes = responses.map(\.description) + codes.map { "\($0)" }.sorted()
      return "\(outcomes.joined(separator: " or ")) (\(reason))"
    }
  }

  /// A model of a client that performs the calls of a story.
  struct MutationModel {
    let story: MutationStory
    let base: URL

    /// Returns the outcomes of a call.
    func expectation(of call: MutationStory.Call) -> Expectation {
      follow(method: call.method, target: story.target(call.index), visited: [])
    }

    private func follow(method: String, target: String, visited: [String]) -> Expectation {
      let index = story.index(of: target)
      let bytes = index.map { story.responses[$0] } ?? MutationStory.unknown
      let reading = ReadResponse(bytes, to: method)
      var result = outcome(of: reading, method)
      if reading.end == .complete, let next = redirect(reading, method, target) {
        let step = "\(method) \(target)"
        guard !visited.contains(step), visited.count < 25 else {
          return Expectation(codes: [.tooManyRedirects], reason: "a circle")
        }
        let codes = result.codes
        result =
          next.target.map {
            follow(method: next.method, target: $0, visited: visited + [step])
          }
          ?? Expectation(
            codes: [.redirectRefused, .cannotConnect, .invalidURL], reason: "a location")
        result.codes.formUnion(codes)
      }
      if !reading.deviations.isEmpty {
        result.codes.insert(.malformedResponse)
        result.reason += ", tolerated: \(reading.deviations.joined(separator: ", "))"
      }
      return result
    }

    private func outcome(of reading: ReadResponse, _ method: String) -> Expectation {
      switch reading.end {
      case .truncated: return Expectation(codes: codesOfTruncation(reading), reason: "truncated")
      case .malformed(let reason): return Expectation(codes: [.malformedResponse], reason: reason)
      case .complete: return decoded(reading, method)
      }
    }

    /// A coding may be found invalid before the end of its bytes is missed.
    private func codesOfTruncation(_ reading: ReadResponse) -> Set<NetworkError.Code> {
      let isCoded = reading.hasHead && !reading.values("Content-Encoding").isEmpty
      return isCoded ? [.connectionLost, .malformedResponse] : [.connectionLost]
    }

    private func decoded(_ reading: ReadResponse, _ method: String) -> Expectation {
      let codings = reading.values("Content-Encoding").flatMap {
        $0.lowercased().split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
      }.filter { !$0.isEmpty && $0 != "identity" }
      func response(_ body: Data) -> HostileOutcome {
        .response(status: reading.status, body: body)
      }
      guard !codings.isEmpty, !reading.body.isEmpty else {
        return Expectation(responses: [response(reading.body)], reason: "valid")
      }
      let text = Data(MutationStory.text.utf8)
      guard codings == ["gzip"] || codings == ["x-gzip"] else {
        return Expectation(codes: [.malformedResponse], reason: "an unknown coding")
      }
      if reading.body == MutationStory.gzipped {
        return Expectation(responses: [response(text)], reason: "valid")
      }
      // A change of the time, for example, is not seen by a decoder.
      return Expectation(
        responses: [response(text)], codes: [.malformedResponse], reason: "damaged gzip")
    }

    /// Returns the next request, or `nil` if there is none.
    private func redirect(
      _ reading: ReadResponse, _ method: String, _ target: String
    ) -> (method: String, target: String?)? {
      guard [301, 302, 303, 307, 308].contains(reading.status),
        let location = reading.fields.first(where: { $0.name.lowercased() == "location" })
      else { return nil }
      let isGET = reading.status == 303 || method == "POST" && reading.status < 303
      let next = isGET && method != "HEAD" ? "GET" : method
      let text = String(data: location.value, encoding: .utf8) ?? location.value.latin1
      let current = base.absoluteString + target
      guard let url = URL(string: text.isEmpty ? current : text, relativeTo: URL(string: current)),
        Origin(url.absoluteURL) == Origin(base),
        let parts = URLComponents(url: url.absoluteURL, resolvingAgainstBaseURL: true)
      else { return (next, nil) }
      let query = parts.percentEncodedQuery.map { "?\($0)" } ?? ""
      return (next, parts.percentEncodedPath + query)
    }
  }
#endif
