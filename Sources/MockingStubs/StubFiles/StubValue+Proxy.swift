import Foundation
import Mocking
import MockingDocuments
import MockingRecordings
import MockingResources
import MockingTemplates
import Networking

/// The other server of a route that forwards requests, in a stub file.
struct StubProxy {
  let origin: URL
  var changes = ForwardingChanges()
  /// The delays, pace, fault and header fields of the responses.
  let mock: Mock

  /// The transport of all routes of stub files that forward requests.
  private static let transport = PlatformTransport.make()

  /// Returns the route.
  func route(_ method: HTTPMethod?, _ template: String) -> Route {
    var changes = changes
    changes.needsWholeResponse = mock.dependsOnBody || changes.response.dependsOnBody
    return Route.forwarding(to: origin, over: Self.transport, method, template, changes)
      .withDefaults(mock)
  }
}

extension StubValue {
  private static let timingKeys = ["delay", "bodyDelay", "bytesPerSecond", "dribble", "fault"]

  /// Parses the other server of a route that forwards requests.
  ///
  /// - Parameters:
  ///   - folder: The folder of the stub file.
  ///   - route: The object of the route.
  ///   - template: The path of the route.
  ///   - mock: The delays, pace, fault and header fields beside the proxy.
  /// - Returns: The other server with the changes.
  /// - Throws: ``JSONDocumentError``.
  func proxy(
    in folder: URL, of route: StubObject, at template: String, _ mock: Mock
  ) throws(JSONDocumentError) -> StubProxy {
    guard context.allowsProxies else {
      throw JSONDocumentError(
        path: path, refersToName: true,
        text: "only a route of a stub file forwards requests to another server")
    }
    let others =
      ["status", "let", "changes", "sequence", "afterLast", "oneOf", "interim", "trailers"]
      + Self.bodyKeys
    for name in others {
      if let other = route[name] { throw other.conflict(with: "proxy") }
    }
    if let headers = route.headersWithTemplates { throw headers.templatesInProxy }
    if case .string = json { return StubProxy(origin: try proxyOrigin(), mock: mock) }
    let object = try object(
      ["to", "credentials", "removePrefix", "request", "response"],
      "a server, such as \"https://api.example.com\" or {\"to\": \"https://api.example.com\"}")
    var proxy = StubProxy(
      origin: try object.required("to", "such as \"https://api.example.com\"").proxyOrigin(),
      mock: mock)
    if let flag = object["credentials"] {
      guard let value = flag.json.bool else { throw flag.expected("true or false") }
      proxy.changes.forwardsCredentials = value
    }
    if let prefix = object["removePrefix"] {
      let text = try prefix.string("the beginning of a path, such as \"/api\"")
      guard text.hasPrefix("/"), !text.hasSuffix("/"), !text.contains("?") else {
        throw prefix.expected("the beginning of a path, such as \"/api\"")
      }
      proxy.changes.removedPrefix = text
      if !Self.mayBegin(template, with: text) {
        prefix.warn("nothing is removed, because the path \(template) does not begin with \(text)")
      }
    }
    if let request = try object["request"]?.object(
      ["headers", "json", "delay", "fault"],
      "changes, such as {\"headers\": {\"X-Tenant\": \"test\"}}")
    {
      proxy.changes.requestFields = try request.changedFields()
      proxy.changes.changeRequest = try request.changedMembers()
      proxy.changes.requestDelay = try request["delay"]?.duration() ?? .zero
      proxy.changes.requestFault = try request["fault"]?.interruption()
    }
    if let response = try object["response"]?.object(
      ["status", "headers", "json"] + Self.timingKeys,
      "changes, such as {\"json\": {\"price\": 0}}")
    {
      proxy.changes.status = try response["status"]?.int(200...599, "a status from 200 to 599")
      proxy.changes.responseFields = try response.changedFields()
      proxy.changes.changeResponse = try response.changedMembers()
      let timing = StubObject(
        path: response.path, members: response.members.filter { Self.timingKeys.contains($0.key) },
        context: context)
      proxy.changes.response = try timing.response(in: folder)
    }
    return proxy
  }

  /// Returns whether a path of a template may begin with other segments.
  private static func mayBegin(_ template: String, with prefix: String) -> Bool {
    let segments = (try? PathTemplate(template).segments) ?? []
    for (index, part) in prefix.dropFirst().split(separator: "/").enumerated() {
      guard index < segments.count else { return false }
      switch segments[index] {
      case .literal(let literal): if literal != part { return false }
      case .variable: break
      case .rest: return true
      }
    }
    return true
  }

  /// Parses the URL of a server, which has no path and is no template.
  private func proxyOrigin() throws(JSONDocumentError) -> URL {
    let expectation = "a server without a path, such as \"https://api.example.com\""
    let text = try string(expectation)
    guard let url = URL(reference: text), ["http", "https"].contains(url.scheme?.lowercased()),
      url.host?.isEmpty == false, ["", "/"].contains(url.path), url.query == nil,
      url.fragment == nil, url.user == nil, url.password == nil
    else { throw expected(expectation) }
    return url
  }

  fileprivate var templatesInProxy: JSONDocumentError {
    JSONDocumentError(
      path: path, text: "the changes of a proxy cannot have templates; found \(json.description)")
  }
}

extension StubObject {
  /// Parses header fields to set, and those to remove, which are `null`.
  fileprivate func changedFields() throws(JSONDocumentError) -> [ForwardingChanges.Field] {
    guard let value = self["headers"] else { return [] }
    guard !Template.isTemplate(value.json) else { throw value.templatesInProxy }
    var fields: [ForwardingChanges.Field] = []
    for (name, field) in try value.members("an object of header fields") {
      guard field.json != .null else {
        fields.append((name, []))
        continue
      }
      var headers = HTTPHeaders()
      let single = StubValue(json: [name: field.json], path: value.path, context: context)
      try single.addHeaders(to: &headers)
      fields.append((name, headers.values(for: name)))
    }
    return fields
  }

  /// Parses the members of a JSON body to change, as a merge patch.
  ///
  /// Of an array, each element is changed. Values that are not objects are kept.
  fileprivate func changedMembers() throws(JSONDocumentError) -> (@Sendable (JSON) -> JSON)? {
    guard let value = self["json"] else { return nil }
    guard !Template.isTemplate(value.json) else { throw value.templatesInProxy }
    let patch = value.json
    guard case .dictionary = patch else {
      throw value.expected("an object of members, such as {\"price\": 0}")
    }
    return { json in
      func changed(_ value: JSON) -> JSON { value.dictionary == nil ? value : value.merging(patch) }
      return json.array.map { .array($0.map(changed)) } ?? changed(json)
    }
  }
}
