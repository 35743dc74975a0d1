import Promises

extension Promise where Value == Response {
  /// Lets only answers pass that say the request succeeded, in a type that was asked for.
  ///
  /// The status has to be 200 to 299. Where the request named media types in `Accept`, and there is a
  /// body that names its own, that has to be one of them.
  ///
  /// - Parameters:
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  /// - Returns: a promise of the same response, rejected with a ``NetworkError`` of the code
  ///   `unacceptableStatus` or `unacceptableContentType` that carries the response.
  public func validate(file: StaticString = #fileID, line: UInt = #line) -> NetworkPromise {
    map(file: file, line: line) { response in
      try StatusValidator(200..<300).validate(response)
      if let accept = response.request.headers["Accept"],
        let type = response.headers["Content-Type"], !type.isJust(accept), MediaType(type) != nil
      {
        try ContentTypeValidator(MediaType.list(accept)).validate(response)
      }
      return response
    }
  }

  /// Lets only answers of certain statuses pass.
  ///
  /// - Parameters:
  ///   - statusCodes: the statuses, as a range or a list.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  /// - Returns: a promise of the same response, rejected with a ``NetworkError`` of the code
  ///   `unacceptableStatus` that carries the response.
  public func validate(
    statusCodes: some Sequence<Int> & Sendable,
    file: StaticString = #fileID, line: UInt = #line
  ) -> NetworkPromise {
    validate(using: StatusValidator(statusCodes), file: file, line: line)
  }

  /// Lets only answers of certain media types pass.
  ///
  /// An answer without a body passes. One with a body and no content type passes only where `*/*` is
  /// among the types.
  ///
  /// - Parameters:
  ///   - contentTypes: media types or ranges, `application/json`, `text/*`, `text/plain; charset=utf-8`;
  ///     a text that is none matches nothing.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  /// - Returns: a promise of the same response, rejected with a ``NetworkError`` of the code
  ///   `unacceptableContentType` or `missingContentType` that carries the response.
  public func validate(
    contentTypes: [String], file: StaticString = #fileID, line: UInt = #line
  ) -> NetworkPromise {
    validate(
      using: ContentTypeValidator(contentTypes.compactMap(MediaType.init(_:))), file: file,
      line: line)
  }

  /// Lets only answers pass that a validator of your own accepts.
  ///
  /// - Parameters:
  ///   - validator: looks at the response, on the thread that settles the promise.
  ///   - file: where the new promise was made, for diagnostics.
  ///   - line: where the new promise was made, for diagnostics.
  /// - Returns: a promise of the same response, rejected with what `validator` throws.
  public func validate(
    using validator: some ResponseValidating, file: StaticString = #fileID, line: UInt = #line
  ) -> NetworkPromise {
    map(file: file, line: line) { response in
      try validator.validate(response)
      return response
    }
  }
}

extension String {
  /// Whether this is the one media type that an `Accept` names, letter for letter: most answers are of
  /// the type that was asked for, and need not be taken apart to see it.
  fileprivate func isJust(_ accept: String) -> Bool {
    self == accept
      && utf8.allBytesSatisfy {
        $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "*")
      }
  }
}

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
