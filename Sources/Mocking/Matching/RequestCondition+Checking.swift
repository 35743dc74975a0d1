import Networking

extension RequestCondition {
  /// Whether a request meets it.
  func isMet(by request: ReceivedRequest) -> Bool {
    switch kind {
    case .query(let name, let value): value.fits(request.query.values(for: name))
    case .header(let name, let value): value.fits(request.headers.values(for: name))
    case .form(let name, let value): value.fits(request.form.values(for: name))
    case .text(let value): value.fits(request.texts)
    case .json(let value, let isWhole):
      request.json.map { isWhole ? $0 == value : $0.contains(value) } ?? false
    case .satisfying(_, let isSatisfied): isSatisfied(request)
    }
  }

  /// What a request lacks, each thing for itself; empty when it meets the condition.
  func differences(from request: ReceivedRequest) -> [RequestDifference] {
    guard !isMet(by: request) else { return [] }
    func differs(_ actual: String) -> [RequestDifference] {
      [RequestDifference(aspect: aspect, expected: expectation, actual: actual)]
    }
    switch kind {
    case .query(let name, _):
      return differs(ReportText.values(request.query.values(for: name), of: name))
    case .header(let name, _):
      return differs(ReportText.values(request.headers.values(for: name), of: name))
    case .satisfying: return differs("not so")
    case .form, .text, .json:
      if request.body.isEmpty, request.bodyByteCount > 0 {
        return differs("\(request.bodyByteCount) bytes, which were not kept")
      }
      if case .form(let name, _) = kind {
        return differs(ReportText.values(request.form.values(for: name), of: name))
      }
      guard case .json(let value, let isWhole) = kind else {
        return differs(request.body.isEmpty ? "none" : ReportText.body(request.text))
      }
      guard let actual = request.json else {
        return differs(
          request.body.isEmpty ? "no body" : "no JSON: \(ReportText.body(request.text))")
      }
      return value.differences(from: actual, isWhole: isWhole)
    }
  }
}

extension ReceivedRequest {
  /// The body as a form's fields.
  fileprivate var form: RequestQuery { RequestQuery(Substring(text)) }

  /// The body as JSON; nil when it is none.
  fileprivate var json: JSON? { body.isEmpty ? nil : try? JSON(parsing: body) }

  /// The body as values for a pattern: none when it is empty.
  fileprivate var texts: [String] { body.isEmpty ? [] : [text] }
}
