import CatenaSystem
import Foundation
import Mocking
import MockingResources
import Networking

/// A printer of the requests of a server and their responses, with secrets masked.
struct ExchangeLog: Sendable {
  private let output: Options.Output
  private let writesJSON: Bool
  private let console: Console
  private let cors: CORSPolicy

  init(_ options: Options, _ console: Console) {
    output = options.output
    writesJSON = options.writesJSON
    cors = options.crossOriginAccess.policy
    self.console = console
  }

  /// Prints an exchange.
  ///
  /// The text is made on the queue of the console, not on the thread of the server.
  func add(_ exchange: ServedExchange) {
    guard output != .quiet else { return }
    let date = Date()
    console.lines { [output, writesJSON, cors] in
      let blockedOrigin = exchange.blockedOrigin(by: cors)
      if writesJSON {
        var object = exchange.object(at: date, isVerbose: output == .verbose)
        if let blockedOrigin { object["blockedOrigin"] = .string(blockedOrigin) }
        if let warning = exchange.responseHeaders["Contract-Warning"] {
          object["contractWarning"] = .string(warning)
        }
        if let problem = exchange.responseHeaders["Contract-Problem"] {
          object["contractProblem"] = .string(problem)
        }
        if let violation = exchange.contractViolation {
          object["contractViolation"] = .string(violation)
        }
        return Console.text(of: object)
      }
      let hint = blockedOrigin.map { "  not readable by pages of \($0), see --cors" }
      let warning = exchange.responseHeaders["Contract-Warning"].map { "  warning: \($0)" }
      let violation = exchange.contractViolation.map { "  violation: \($0)" }
      let problem = exchange.responseHeaders["Contract-Problem"].map { "  problem: \($0)" }
      let notes = [hint, warning, violation, problem].compactMap(\.self).joined()
      let line = exchange.line(at: date) + notes
      return output == .verbose ? ([line] + exchange.details).joined(separator: "\n") : line
    }
  }
}

/// A warning that the pages of another site have no cookie of the isolation of clients.
///
/// Browsers drop such a cookie, so that each request is a new client. The warning is printed once.
final class CookieWarning: Sendable {
  private let console: Console
  private let isPrinted = Atomic(false)

  init(_ console: Console) {
    self.console = console
  }

  /// Checks a request that a page may have sent.
  ///
  /// - Parameters:
  ///   - exchange: The exchange.
  ///   - isolation: The isolation of the resources. Evaluated only until the warning is printed.
  func check(_ exchange: ServedExchange, _ isolation: @autoclosure () -> ResourceStore.Isolation?) {
    guard !isPrinted.load(ordering: .relaxed), case .cookie(let cookie)? = isolation(),
      let site = exchange.otherSite(without: cookie),
      !isPrinted.exchange(true, ordering: .relaxed)
    else { return }
    console.warn(
      "a request of \(site.page) without the cookie \(cookie) of \"isolation\" is from another site "
        + "than \(site.host): browsers drop the cookie, so each request is a new client; open the "
        + "page and the server with the same host name, or use "
        + "\"isolation\": {\"header\": \"X-Client\"}")
  }
}

extension ServedExchange {
  /// Returns the page of another site and the host of the server, or `nil` if the request is not
  /// from another site, has the cookie, or does not receive it.
  fileprivate func otherSite(without cookie: String) -> (page: String, host: String)? {
    guard let request, request.cookies[cookie] == nil,
      request.headers["Sec-Fetch-Mode"] != "navigate",
      responseHeaders.values(for: "Set-Cookie").contains(where: { $0.hasPrefix("\(cookie)=") })
    else { return nil }
    let origin = request.headers["Origin"]
    let host = request.headers["Host"] ?? ""
    let isOther =
      if let site = request.headers["Sec-Fetch-Site"] { site == "cross-site" } else {
        origin.flatMap { URL(reference: $0)?.host }
          .map { $0 != URL(reference: "http://\(host)")?.host }
          ?? false
      }
    guard isOther else { return nil }
    let page = origin.map { "a page of \($0)" } ?? "a page"
    return (Self.printable(page), Self.printable(host))
  }

  /// Returns the beginning of a text of a request, without control characters.
  private static func printable(_ text: String) -> String {
    let scalars = text.unicodeScalars.lazy.filter { $0.value >= 0x20 && $0.value != 0x7F }
    return String(scalars.prefix(100).map { Character($0) })
  }

  private var maskedTarget: String? { request.map { Redactor.standard.maskedURL($0.target) } }

  /// The reasons of a refusal whose body, an example of a contract, does not have them.
  fileprivate var contractViolation: String? {
    let reasons = responseHeaders.values(for: "Contract-Violation")
    let more = reasons.count > 3 ? ["\(reasons.count - 3) more"] : []
    return reasons.isEmpty ? nil : (reasons.prefix(3) + more).joined(separator: "; ")
  }

  /// The duration in tenths of milliseconds.
  private var tenths: Int { Int(duration / .microseconds(100)) }

  /// Returns the origin of the page that sent the request and cannot read the response, or `nil`.
  fileprivate func blockedOrigin(by cors: CORSPolicy) -> String? {
    guard cors != .off, let request, let origin = request.headers["Origin"], !cors.allows(origin),
      !responseHeaders.contains("Access-Control-Allow-Origin"),
      origin != "\(request.scheme)://\(request.headers["Host"] ?? "")"
    else { return nil }
    return String(origin.prefix(100))
  }

  /// Returns a line with the time, method, target, status, body size and duration.
  fileprivate func line(at date: Date) -> String {
    var line =
      "\(date.clockTime)  \((request?.method.rawValue ?? "?").rightPadded(to: 7)) "
      + "\((maskedTarget ?? "(malformed)").rightPadded(to: 32)) "
      + "\(status.map(String.init) ?? "---") "
      + "\("\(bodyByteCount)".leftPadded(to: 9)) B "
      + "\("\(tenths / 10).\(tenths % 10)".leftPadded(to: 8)) ms"
    if route?.origin != nil { line += "  forwarded" }
    if ending != .complete { line += "  \(ending)" }
    return line
  }

  /// The heads and bodies of the request and the response, as indented lines.
  fileprivate var details: [String] {
    var lines: [String] = []
    if let request {
      lines.append("  > \(request.method) \(maskedTarget ?? "") HTTP/\(request.version)")
      lines += request.headers.maskedLines.map { "  > \($0)" }
      lines += request.body.displayedLines(
        of: request.bodyByteCount, request.headers
      ).map { "  > \($0)" }
    }
    lines.append("  < \(status.map(String.init) ?? "no response")")
    lines += responseHeaders.maskedLines.map { "  < \($0)" }
    let length = max(responseBody.count, bodyByteCount)
    lines += responseBody.displayedLines(of: length, responseHeaders).map { "  < \($0)" }
    return lines
  }

  /// Returns the exchange as a JSON object.
  fileprivate func object(at date: Date, isVerbose: Bool) -> [String: JSON] {
    var object: [String: JSON] = [
      "event": "request", "time": .string(date.logTime),
      "method": request.map { .string($0.method.rawValue) } ?? .null,
      "target": maskedTarget.map { .string($0) } ?? .null,
      "status": status.map { .int($0) } ?? .null, "bytes": .int(bodyByteCount),
      "milliseconds": .double(Double(tenths) / 10), "ending": .string(ending.rawValue),
      "route": route.map { .string($0.path) } ?? .null,
      "proxy": route?.origin.map { .string("\($0)") } ?? .null,
    ]
    guard isVerbose else { return object }
    object["response"] = [
      "headers": responseHeaders.maskedObject,
      "body": .string(
        responseBody.displayedLines(of: responseBody.count, responseHeaders)
          .joined(separator: "\n")),
    ]
    guard let request else { return object }
    object["request"] = [
      "headers": request.headers.maskedObject,
      "body": .string(
        request.body.displayedLines(of: request.bodyByteCount, request.headers)
          .joined(separator: "\n")),
    ]
    return object
  }
}

extension HTTPHeaders {
  /// The fields, with secret values masked.
  fileprivate var maskedLines: [String] {
    map { "\($0.name): \(Redactor.standard.maskedFieldValue($0.value, name: $0.name))" }
  }

  /// The fields in order, with secret values masked, each as an object with a name and a value.
  fileprivate var maskedObject: JSON {
    .array(
      map {
        [
          "name": .string($0.name),
          "value": .string(Redactor.standard.maskedFieldValue($0.value, name: $0.name)),
        ]
      })
  }
}

extension Data {
  /// The maximum number of characters of a displayed body.
  private static let displayedLength = 4_096

  /// Returns the body as lines of text, with secrets masked, or a line with its size.
  ///
  /// - Parameters:
  ///   - byteCount: The size of the whole body, of which this is the beginning.
  ///   - headers: The header fields of the message.
  /// - Returns: The lines, none for an empty body.
  fileprivate func displayedLines(of byteCount: Int, _ headers: HTTPHeaders) -> [String] {
    guard byteCount > 0 else { return [] }
    let type = headers["Content-Type"]
    guard !headers.contains("Content-Encoding"),
      let text = Redactor.standard.maskedBody(self, contentType: type)
    else {
      return ["(\(byteCount) bytes\(type.map { " of \($0)" } ?? ""))"]
    }
    let isTruncated = text.count > Self.displayedLength || count < byteCount
    return [String(text.prefix(Self.displayedLength)) + (isTruncated ? " ..." : "")]
  }
}

extension Date {
  private static let calendar = Calendar.current

  /// The time in ISO 8601, with a fraction of the second.
  var logTime: String {
    ISO8601Format(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  /// The local time of day, such as `09:05:30`.
  var clockTime: String {
    let now = Self.calendar.dateComponents([.hour, .minute, .second], from: self)
    return [now.hour, now.minute, now.second]
      .map { "\($0 ?? 0)".leftPadded(to: 2, with: "0") }.joined(separator: ":")
  }
}
