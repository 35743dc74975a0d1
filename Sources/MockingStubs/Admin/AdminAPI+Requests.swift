import CatenaSystem
import Foundation
import Mocking
import MockingDocuments
import MockingRecordings
import MockingResources
import Networking
import NetworkingTracing

extension AdminAPI {
  static let requestOperations = [
    AdminOperation(
      .get, "requests", query: ["limit", "after", "method", "path", "status", "unmatched"]
    ) { try $0.listRequests($1) },
    AdminOperation(.delete, "requests") { admin, _ in
      admin.backend.journal.reset()
      return .noContent
    },
    AdminOperation(.post, "requests/count", body: .required) { try $0.countRequests($1) },
    AdminOperation(.get, "requests/{id}") { admin, call in
      .json(try admin.request(call).record(admin.backend))
    },
    AdminOperation(.get, "requests/{id}/curl") { admin, call in
      .text(admin.curlCommand(try admin.request(call).entry.request) + "\n")
    },
    AdminOperation(.post, "requests/{id}/stub", query: ["add"]) { try $0.makeStub($1) },
    AdminOperation(.post, "verifications", body: .required) { try $0.verify($1) },
    AdminOperation(.get, "webhooks") { admin, _ in
      .json(["webhooks": .array(admin.backend.webhooks.deliveries.map { $0.record(admin.backend) })]
      )
    },
    AdminOperation(.get, "har") { admin, _ in try admin.archive() },
    AdminOperation(.get, "events") { try $0.followEvents($1) },
  ]

  // MARK: Reading

  private func listRequests(_ call: AdminCall) throws -> ReservedPathResponse {
    let limit = try call.number("limit", 1...500) ?? 100
    let after = try call.number("after", 0...Int.max) ?? 0
    let method = call.text("method")?.uppercased()
    let path = call.text("path")
    let status = try call.number("status", 100...999)
    let isUnmatched = try call.flag("unmatched")
    // One more than the limit shows whether there is another page.
    let details = backend.journal.details(after: after, limit: limit + 1) { entry in
      if let method, entry.request.method.rawValue != method { return false }
      if let path, !entry.request.path.text.contains(path),
        !RequestPattern(nil, path).matches(entry.request)
      {
        return false
      }
      if let isUnmatched, (entry.route == nil) != isUnmatched { return false }
      guard let status else { return true }
      if case .response(status)? = entry.outcome { return true }
      return false
    }
    let page = details.prefix(limit)
    return .json([
      "requests": .array(page.map { $0.summary(backend) }),
      "next": details.count > limit ? .int(page[limit - 1].entry.number) : .null,
    ])
  }

  private func request(_ call: AdminCall) throws(AdminProblem) -> JournalDetail {
    guard let number = call.number(ofPath: "id"), let detail = backend.journal.detail(number) else {
      throw AdminProblem.missing("request", call["id"])
    }
    return detail
  }

  /// Returns a curl command for a request, with secrets masked.
  private func curlCommand(_ request: ReceivedRequest) -> String {
    let origin = access.url.absoluteString
    let target = request.target.hasPrefix("/") ? origin + request.target : request.target
    var headers = request.headers.endToEnd
    for name in ["Host", "Content-Length", "Content-Encoding", "Expect"] { headers.remove(name) }
    let body = request.decodedBody.prefix(1 << 20)
    return HTTPRequest(
      method: request.method, url: URL(reference: target) ?? access.url, headers: headers,
      body: body.isEmpty ? .none : .data(Data(body))
    ).curlCommand()
  }

  // MARK: Verifying

  private func countRequests(_ call: AdminCall) throws -> ReservedPathResponse {
    let pattern = try call.object(
      StubObject.patternKeys, "a pattern, such as {\"method\": \"GET\", \"path\": \"/boards\"}"
    ).requestPattern()
    let result = backend.journal.requests(matching: pattern)
    return .json([
      "count": .int(result.matching.count),
      "requests": .array(result.matching.suffix(1_000).map { .int($0.number) }),
      "undecided": .int(result.undecidedCount),
    ])
  }

  private func verify(_ call: AdminCall) throws -> ReservedPathResponse {
    let object = try call.object(
      StubVerification.keys,
      "a pattern with a number, such as {\"path\": \"/boards\", \"times\": 2}")
    let verification = try StubVerification(object)
    let result = verification.result(in: backend.journal)
    var nearMisses: [JSON] = []
    if let nearest = result.nearest {
      nearMisses = [
        [
          "request": .int(nearest.entry.number),
          "conditions": .array(nearest.differences.prefix(20).map(\.record)),
        ]
      ]
    }
    return .json([
      "passed": .bool(result.failure == nil), "count": .int(result.matching.count),
      "undecided": .int(result.undecidedCount),
      "message": .string(result.failure ?? "received \(verification)"),
      "nearMisses": .array(nearMisses),
    ])
  }

  // MARK: Stubs of requests

  private func makeStub(_ call: AdminCall) throws -> ReservedPathResponse {
    let isAdded = try call.flag("add") ?? false
    let definition = AdminMask.json(try request(call).definition)
    guard isAdded else { return .json(["definition": definition, "stub": .null]) }
    let value = StubValue(json: definition, path: JSONValuePath())
    let stubs: [Stub]
    do throws(JSONDocumentError) {
      stubs = try parse(value, in: ResourceStore(), text: Data())
    } catch {
      throw AdminProblem(409, "no stub can be made of the request: \(error.text)")
    }
    let id = try add(stubs.map(\.route))[0]
    let record = backend.routes[id].map { self.record($0) } ?? .null
    var response = ReservedPathResponse.json(
      ["definition": definition, "stub": record], status: 201)
    response.mock.headers["Location"] = Self.location(of: id)
    return response
  }

  // MARK: Exporting

  /// The maximum number of requests in an archive.
  private static let archiveLimit = 10_000

  private func archive() throws -> ReservedPathResponse {
    let journal = backend.journal
    let first = max(journal.count - Self.archiveLimit, 0)
    let entries = journal.details(after: first, limit: Self.archiveLimit).map { detail in
      detail.archived(at: backend, origin: access.url.absoluteString)
    }
    let creator = HAR.Creator(name: options.name, version: options.version)
    var response = ReservedPathResponse.json(HAR(redacting: entries, by: creator).json)
    response.mock.headers["Content-Disposition"] = "attachment; filename=\"requests.har\""
    return response
  }

  // MARK: Events

  /// Returns a stream of events, or the events so far for a client that does not accept streams.
  private func followEvents(_ call: AdminCall) throws -> ReservedPathResponse {
    let id = call.request.headers["Last-Event-ID"]
    let accepted = call.request.headers.values(for: "Accept").flatMap { $0.split(separator: ",") }
    let isLive = accepted.contains { $0.lowercased().contains("text/event-stream") }
    let headers: HTTPHeaders = ["Content-Type": "text/event-stream"]
    if isLive, call.request.method == .get {
      guard let pipe = events.open(after: id) else {
        var problem = AdminProblem(
          503, "there are at most \(AdminEvents.maximumReaders) streams of events")
        problem.headers["Retry-After"] = "5"
        throw problem
      }
      return ReservedPathResponse(mock: .relaying(pipe, headers: headers))
    }
    return ReservedPathResponse(
      mock: Mock(headers: headers, body: .data(events.events(after: id))))
  }
}

extension JournalDetail {
  /// The definition of a stub that responds to the request as it was responded to, or with an empty
  /// object if there was no successful response.
  fileprivate var definition: JSON {
    let request = entry.request
    var members: [String: JSON] = [
      "method": .string(request.method.rawValue),
      "path": .string(PathTemplate.escaping(request.path.text)), "template": false,
    ]
    if !request.method.rawValue.isToken
      || request.method.rawValue != request.method.rawValue.uppercased()
    {
      members["method"] = nil
    }
    var query: [String: JSON] = [:]
    for item in request.query.items where query.count < 50 {
      let isSecret = Redactor.standard.isSecret(name: item.name, value: item.value)
      query[item.name] = isSecret ? true : .string(item.value)
    }
    if !query.isEmpty { members["when"] = ["query": .dictionary(query)] }
    guard let response = exchange?.response, let status = response.status, entry.route != nil,
      (200...599).contains(status)
    else {
      members["json"] = [:]
      return .dictionary(members)
    }
    members["status"] = .int(status)
    let kept = ["Content-Type", "Location", "ETag", "Last-Modified", "Link", "Retry-After"]
    var headers: [String: JSON] = [:]
    for name in kept { headers[name] = response.headers[name].map { .string($0) } }
    if response.body.count < response.bodyByteCount, response.bodyByteCount > 65_536 {
      members["comment"] = "Only the beginning of the body was kept."
    }
    if let json = try? JSON(parsing: response.body),
      response.headers["Content-Type"]?.contains("json") == true
    {
      members["json"] = json
    } else if let text = String(validUTF8: response.body) {
      if !text.isEmpty { members["text"] = .string(text) }
    } else {
      members["base64"] = .string(response.body.base64EncodedString())
    }
    if !headers.isEmpty { members["headers"] = .dictionary(headers) }
    return .dictionary(members)
  }

  /// Returns the exchange for an archive, without masking secrets.
  fileprivate func archived(at backend: AdminBackend, origin: String) -> HAR.Entry {
    let request = entry.request
    let isPath = request.target.hasPrefix("/")
    var recorded = HAR.Request(
      method: request.method.rawValue, url: isPath ? origin + request.target : request.target,
      httpVersion: "HTTP/\(request.version)",
      headers: request.headers.map { HAR.Field(name: $0.name, value: $0.value) },
      bodySize: request.bodyByteCount)
    if !request.body.isEmpty { recorded.set(request.body) }
    let response = exchange?.response
    var answer = HAR.Response(
      status: response?.status ?? 0, statusText: ReasonPhrase.of(response?.status ?? 0),
      headers: (response?.headers ?? [:]).map { HAR.Field(name: $0.name, value: $0.value) },
      bodySize: response?.bodyByteCount ?? -1)
    answer.content.mimeType = response?.headers["Content-Type"] ?? "x-unknown"
    if let body = response?.body { answer.content.set(body) }
    func milliseconds(_ start: Duration?, _ end: Duration?) -> Double {
      guard let start, let end else { return 0 }
      return ((end - start) / .microseconds(1)).rounded() / 1_000
    }
    let times = exchange
    return HAR.Entry(
      startedDateTime: HAR.Entry.timestamp(backend.date(of: request.time)), request: recorded,
      response: answer,
      timings: HAR.Timings(
        wait: milliseconds(request.time, times?.delayedUntil),
        receive: max(milliseconds(times?.delayedUntil, times?.endedAt), 0)))
  }
}
