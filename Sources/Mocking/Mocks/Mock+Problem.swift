import Foundation
import Networking

extension Mock {
  /// Returns a response with a problem document, like the errors of a ``Resource``.
  ///
  /// ```swift
  /// Route(.post, "/login", .problem(401, "the password is wrong"))
  /// // {"type":"about:blank","title":"Unauthorized","status":401,"detail":"the password is wrong"}
  /// ```
  ///
  /// Source: RFC 9457.
  ///
  /// - Parameters:
  ///   - status: The status code. Its standard reason is the title of the problem.
  ///   - detail: A description of this occurrence of the problem.
  /// - Returns: The mock, of the type `application/problem+json`.
  public static func problem(_ status: Int, _ detail: String) -> Mock {
    problem(status, detail, members: [:])
  }

  /// Returns a response with a problem document that has further members.
  static func problem(_ status: Int, _ detail: String, members: [String: JSON]) -> Mock {
    let title = ReasonPhrase.of(status)
    let standard: [String: JSON] = [
      "type": "about:blank", "title": .string(title.isEmpty ? "Error" : title),
      "status": .int(status), "detail": .string(detail),
    ]
    let document = JSON.dictionary(members.merging(standard) { _, standard in standard })
    let order = ["type", "title", "status", "detail"]
    let text = try? document.data { order.firstIndex(of: $0) ?? order.count }
    return .data(text ?? Data(), contentType: "application/problem+json", status: status)
  }
}

/// The reason phrases of statuses.
///
/// Source: RFC 9110 section 15 and the IANA registry of HTTP status codes.
enum ReasonPhrase {
  /// Returns the phrase, or an empty string for a status without one.
  static func of(_ status: Int) -> String { phrases[status] ?? "" }

  private static let phrases: [Int: String] = [
    100: "Continue", 101: "Switching Protocols", 102: "Processing", 103: "Early Hints",
    200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information",
    204: "No Content", 205: "Reset Content", 206: "Partial Content", 207: "Multi-Status",
    300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other",
    304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect",
    400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden",
    404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
    407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
    411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
    414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable",
    417: "Expectation Failed", 418: "I'm a teapot", 421: "Misdirected Request",
    422: "Unprocessable Content", 423: "Locked", 425: "Too Early", 426: "Upgrade Required",
    428: "Precondition Required", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
    451: "Unavailable For Legal Reasons",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
    503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
    507: "Insufficient Storage",
    511: "Network Authentication Required",
  ]
}
