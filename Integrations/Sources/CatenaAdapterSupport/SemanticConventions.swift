import Foundation
package import Networking

extension NetworkError.Code {
  /// The value of the attribute `error.type`, such as `connectionLost` or `timedOut.call`.
  ///
  /// It has no text of a server, so that there are few different values.
  package var errorType: String {
    if case .timedOut(let phase) = self { return "timedOut.\(phase)" }
    return String("\(self)".prefix { $0 != "(" })
  }
}

extension NetworkEvent.Failure {
  /// The value of the attribute `error.type`.
  package var errorType: String { code?.errorType ?? "_OTHER" }
}

extension NetworkError.RequestSummary {
  /// The origin of the URL, or `nil` if it is a path.
  package var origin: Origin? { URL(string: url).flatMap { Origin($0) } }
}

extension HTTPMethod {
  /// The value of the attribute `http.request.method`, of which there are few.
  ///
  /// Source: OpenTelemetry semantic conventions, "Semantic conventions for HTTP spans".
  package var knownName: String {
    let known: Set<HTTPMethod> = [
      .get, .head, .post, .put, .patch, .delete, .options, .trace, HTTPMethod(rawValue: "CONNECT"),
    ]
    return known.contains(self) ? rawValue : "_OTHER"
  }
}
