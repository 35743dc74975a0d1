/// Decides whether a response is one to go on with.
public protocol ResponseValidating: Sendable {
  /// Looks at a response.
  ///
  /// It runs on the thread that settles the promise, and must not block.
  ///
  /// - Parameter response: the response, whole.
  /// - Throws: any error, to refuse it; the promise is rejected with that.
  func validate(_ response: Response) throws
}

/// Accepts certain statuses.
struct StatusValidator<Statuses: Sequence<Int> & Sendable>: ResponseValidating {
  private let statuses: Statuses

  init(_ statuses: Statuses) {
    self.statuses = statuses
  }

  func validate(_ response: Response) throws {
    guard statuses.contains(response.status) else {
      throw NetworkError(.unacceptableStatus(response.status), response)
    }
  }
}

/// Accepts certain media types.
struct ContentTypeValidator: ResponseValidating {
  private let ranges: [MediaType]

  init(_ ranges: [MediaType]) {
    self.ranges = ranges
  }

  func validate(_ response: Response) throws {
    if case .memory(let data) = response.content, data.isEmpty { return }
    // These have none, wherever a body was to go.
    if response.status == 204 || response.status == 205 { return }
    guard let type = response.contentType else {
      guard !ranges.contains(where: { $0.type == "*" }) else { return }
      throw NetworkError(.missingContentType, response)
    }
    guard ranges.contains(where: { type.matches($0) }) else {
      throw NetworkError(.unacceptableContentType("\(type)"), response)
    }
  }
}
