public import Promises

extension Promise where Value == Response {
  /// Rejects responses without a success status or with a media type that the request does not
  /// accept.
  ///
  /// The status must be from 200 to 299. If the request has an `Accept` header field and the
  /// response has a body and a valid `Content-Type`, that type must match one of the accepted
  /// types.
  ///
  /// - Parameters:
  ///   - file: The source file of the call, for diagnostics.
  ///   - line: The source line of the call, for diagnostics.
  /// - Returns: A promise of the same response. It is rejected with a ``NetworkError`` with the
  ///   code `unacceptableStatus` or `unacceptableContentType`, which contains the response.
  public func validate(file: StaticString = #fileID, line: UInt = #line) -> NetworkPromise {
    map(file: file, line: line) { response in
      try StatusValidator(statuses: 200..<300).validate(response)
      if let accept = response.request.headers["Accept"],
        let type = response.headers["Content-Type"], !type.isOnlyType(in: accept),
        MediaType(type) != nil
      {
        try ContentTypeValidator(ranges: MediaType.list(accept)).validate(response)
      }
      return response
    }
  }

  /// Rejects responses whose status is not in a set.
  ///
  /// - Parameters:
  ///   - statusCodes: The accepted statuses, such as a range or an array.
  ///   - file: The source file of the call, for diagnostics.
  ///   - line: The source line of the call, for diagnostics.
  /// - Returns: A promise of the same response. It is rejected with a ``NetworkError`` with the
  ///   code `unacceptableStatus`, which contains the response.
  public func validate(
    statusCodes: some Sequence<Int> & Sendable,
    file: StaticString = #fileID, line: UInt = #line
  ) -> NetworkPromise {
    validate(using: StatusValidator(statuses: statusCodes), file: file, line: line)
  }

  /// Rejects responses whose media type is not in a list.
  ///
  /// A response without a body is accepted. A response with a body but without a content type is
  /// accepted only if the list contains `*/*`.
  ///
  /// The parameters of an accepted type are compared with those of the response, as in
  /// ``MediaType/matches(_:)``. Other parameters of the response are ignored: `application/json`
  /// accepts `application/json; charset=utf-8`, and vice versa.
  ///
  /// - Parameters:
  ///   - contentTypes: The accepted media types or ranges, such as `application/json`, `text/*` or
  ///     `text/plain; charset=utf-8`. A string that is not a media type matches nothing.
  ///   - file: The source file of the call, for diagnostics.
  ///   - line: The source line of the call, for diagnostics.
  /// - Returns: A promise of the same response. It is rejected with a ``NetworkError`` with the
  ///   code `unacceptableContentType` or `missingContentType`, which contains the response.
  public func validate(
    contentTypes: [String], file: StaticString = #fileID, line: UInt = #line
  ) -> NetworkPromise {
    let validator = ContentTypeValidator(ranges: contentTypes.compactMap(MediaType.init(_:)))
    return map(file: file, line: line) { response in
      try validator.validate(response)
      return response
    }
  }

  /// Rejects responses that a custom validator rejects.
  ///
  /// - Parameters:
  ///   - validator: The validator. It runs on the thread that settles the promise.
  ///   - file: The source file of the call, for diagnostics.
  ///   - line: The source line of the call, for diagnostics.
  /// - Returns: A promise of the same response. It is rejected with the validator's error.
  public func validate(
    using validator: some ResponseValidating, file: StaticString = #fileID, line: UInt = #line
  ) -> NetworkPromise {
    map(file: file, line: line) { response in
      try validator.validate(response)
      response.statusCheck?.pass()
      return response
    }
  }
}

/// A type that accepts or rejects responses.
public protocol ResponseValidating: Sendable {
  /// Validates a response.
  ///
  /// This method runs on the thread that settles the promise. It must not block.
  ///
  /// - Parameter response: The complete response.
  /// - Throws: Any error, to reject the response. The promise is rejected with this error.
  func validate(_ response: Response) throws
}

/// A validator that accepts a set of statuses.
struct StatusValidator<Statuses: Sequence<Int> & Sendable>: ResponseValidating {
  let statuses: Statuses

  func validate(_ response: Response) throws {
    guard statuses.contains(response.status) else {
      throw NetworkError(.unacceptableStatus(response.status), response)
    }
  }
}

/// A validator that accepts a list of media types and ranges.
struct ContentTypeValidator: ResponseValidating {
  let ranges: [MediaType]

  func validate(_ response: Response) throws {
    if case .memory(let data) = response.content, data.isEmpty { return }
    // These statuses have no body. The check above covers bodies in memory only.
    if response.status == 204 || response.status == 205 { return }
    guard let type = response.contentType else {
      guard !ranges.contains(where: { $0.type == "*" }) else { return }
      throw NetworkError(.missingContentType, response)
    }
    guard ranges.contains(where: { type.matches($0) }) else {
      var error = NetworkError(.unacceptableContentType("\(type)"), response)
      error.reason = "the request accepts \(ranges.map(\.description).joined(separator: ", "))"
      throw error
    }
  }
}

extension String {
  /// Whether this media type is equal to the value of an `Accept` header field with a single type.
  ///
  /// This is the fast path of `validate()`. Most responses have the only type that the request
  /// accepts, and then neither value needs to be parsed.
  fileprivate func isOnlyType(in accept: String) -> Bool {
    self == accept
      && utf8.allBytesSatisfy {
        $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "*")
      }
  }
}
