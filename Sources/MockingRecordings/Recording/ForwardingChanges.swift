package import Foundation
package import Mocking
package import Networking
import Promises

/// The changes of the requests and the responses of a route that forwards them to another server.
///
/// Credentials are not forwarded, unless ``forwardsCredentials`` is set: header fields and members of the
/// query whose names are those of secrets, such as `Authorization`, `Cookie` and `api_key`. A request that
/// has already been forwarded to the same server is refused with a 508; the field `Via` tells. This response
/// and those for failures, such as a 502, are not changed.
///
/// Source: RFC 9110 section 7.6.3; RFC 5842 section 7.2.
package struct ForwardingChanges: Sendable {
  /// A change of a header field: its values, or none to remove it.
  package typealias Field = (name: String, values: [String])

  /// Whether the credentials of the client are forwarded.
  package var forwardsCredentials = false
  /// The beginning of the path that the other server does not have.
  ///
  /// The paths of its `Location` and its cookies get it.
  package var removedPrefix = ""
  /// The header fields of the request that are set or removed.
  package var requestFields: [Field] = []
  /// Returns the new JSON body of the request.
  ///
  /// `nil` forwards the body while it is received.
  package var changeRequest: (@Sendable (JSON) -> JSON)?
  /// The time before the request is forwarded.
  package var requestDelay = Duration.zero
  /// The fault in place of the forwarding.
  package var requestFault: Mock.Interruption?
  /// The status of the response.
  ///
  /// `nil` keeps that of the other server.
  package var status: Int?
  /// The header fields of the response that are set or removed.
  package var responseFields: [Field] = []
  /// Returns the new JSON body of the response.
  package var changeResponse: (@Sendable (JSON) -> JSON)?
  /// The delays, pace, fault and header fields of the response.
  package var response = Mock()
  /// Whether the whole response is received before it is sent, up to 8 MiB.
  package var needsWholeResponse = false
  /// The random values for the chance of ``requestFault``.
  let values = TemplateValues(seed: 0)

  /// Creates changes that keep everything but credentials.
  package init() {}
}

extension Route {
  /// Returns a route that forwards requests to another server with changes.
  ///
  /// - Parameters:
  ///   - origin: The other server. Its path and query are ignored.
  ///   - transport: The transport for the exchanges.
  ///   - method: The method. `nil` matches all methods.
  ///   - template: The path template of the requests.
  ///   - changes: The changes.
  /// - Returns: The route.
  package static func forwarding(
    to origin: URL, over transport: some Transport, _ method: HTTPMethod?, _ template: String,
    _ changes: ForwardingChanges
  ) -> Route {
    let forwarder = Forwarder(origin: origin, transport: transport, changes: changes)
    let route = Route(forwardingTo: origin, method, template) { forwarder.respond(to: $0) }
    // A body that is changed is parsed before, and not forwarded while it is received.
    return changes.changeRequest == nil ? route : route.preparing { _ = $0.parsedJSON }
  }
}

extension ForwardingChanges {
  /// Changes a request before it is forwarded.
  func apply(to request: inout HTTPRequest, from received: ReceivedRequest) {
    for (name, values) in requestFields { request.headers.replace(name, values) }
    guard let changeRequest, let json = received.parsedJSON, case .data = request.body,
      let data = try? changeRequest(json).data()
    else { return }
    request.body = .data(data)
    request.headers.remove("Content-Encoding")
  }

  /// Returns a response of the other server with the changes.
  ///
  /// Its paths have the prefix that the other server does not have.
  func applied(to origin: Mock) -> Mock {
    var mock = origin.inheriting(response)
    mock.status = status ?? origin.status
    if !removedPrefix.isEmpty { mock.headers.addPrefix(removedPrefix) }
    for (name, values) in responseFields { mock.headers.replace(name, values) }
    if let changeResponse, case .data(let data) = mock.body, mock.headers.isJSON,
      let json = try? JSON(parsing: data), let changed = try? changeResponse(json).data()
    {
      mock.body = .data(changed)
    }
    return mock
  }

  /// Returns the header fields of a request without its credentials.
  func allowed(_ headers: HTTPHeaders) -> HTTPHeaders {
    guard !forwardsCredentials else { return headers }
    return HTTPHeaders(headers.fields.filter { !Redactor.standard.isSecret(name: $0.name) })
  }

  /// Returns the query of a request without its credentials.
  func allowed(_ query: Substring) -> String {
    guard !forwardsCredentials else { return String(query) }
    return query.split(separator: "&", omittingEmptySubsequences: false).filter { item in
      let name = item.prefix { $0 != "=" }
      return !Redactor.standard.isSecret(name: name.removingPercentEncoding ?? String(name))
    }.joined(separator: "&")
  }
}

extension HTTPHeaders {
  fileprivate mutating func replace(_ name: String, _ values: [String]) {
    remove(name)
    for value in values { add(value, for: name) }
  }

  /// Adds a prefix to the path in `Location` and to those of cookies.
  fileprivate mutating func addPrefix(_ prefix: String) {
    if let path = self["Location"], path.hasPrefix("/"), !path.hasPrefix("//") {
      self["Location"] = prefix + path
    }
    changeCookieAttribute("path") { value in
      value.hasPrefix("/") ? prefix + (value == "/" ? "" : value) : value
    }
  }

  /// Whether the body is JSON by its content type.
  fileprivate var isJSON: Bool {
    guard let type = self["Content-Type"].flatMap(MediaType.init(_:)) else { return false }
    return type.subtype == "json" || type.subtype.hasSuffix("+json")
  }
}
