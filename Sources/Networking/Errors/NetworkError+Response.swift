extension NetworkError {
  /// What a transport's failure is to the one who asked.
  ///
  /// - Parameters:
  ///   - failure: what the transport says.
  ///   - request: what was asked for.
  ///   - response: what had come until then, or nil.
  init(_ failure: TransportFailure, of request: HTTPRequest, response: Response? = nil) {
    self.init(
      failure.code, failure.detail.isEmpty ? nil : failure.detail,
      request: RequestSummary(request), response: response?.head, body: response?.data,
      underlying: failure.underlying, attempts: 1)
  }

  /// What is wrong with a response that came whole.
  ///
  /// - Parameters:
  ///   - code: what kind of failure it is.
  ///   - response: the response, which the error carries.
  ///   - reason: what is wrong in particular, or nil.
  ///   - underlying: what caused it, or nil.
  init(
    _ code: Code, _ response: Response, _ reason: String? = nil, underlying: (any Error)? = nil
  ) {
    self.init(
      code, reason, request: RequestSummary(response.request), response: response.head,
      body: response.data, underlying: underlying, attempts: max(1, response.attempts.count),
      history: response.attempts)
  }
}
