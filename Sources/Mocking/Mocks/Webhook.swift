public import Foundation
public import Networking

/// A request that a backend sends to another server after a response, such as the notification of a
/// payment.
///
/// ```swift
/// Route(.post, "/payments", .status(202).callingBack { request in
///   try Webhook(
///     to: request.json["callbackUrl"].string ?? "", json: ["status": "paid"],
///     after: .seconds(2), signature: .init(secret: "s3cret"), retries: 3)
/// })
/// ```
///
/// The delay counts from the end of the response. The request is sent again after a status of 5xx
/// and after a failure of the connection, with doubled delays. Redirects are not followed.
///
/// A URL often comes from a request. By default, a webhook is therefore sent to this machine only;
/// ``targets-swift.property`` allows other hosts. The ``WebhookSender`` of the backend records each
/// delivery.
public struct Webhook: Sendable {
  /// The hosts to which a webhook may be sent.
  public enum Targets: Sendable, Hashable {
    /// This machine: `localhost`, `127.0.0.0/8` and `[::1]`.
    case loopback
    /// This machine and the hosts with these names or addresses, on any port.
    case hosts(Set<String>)
    /// Any host.
    case any
  }

  /// The method.
  public var method: HTTPMethod
  /// The absolute URL, `http` or `https`.
  public var url: String
  /// The header fields.
  public var headers: HTTPHeaders
  /// The body.
  public var body: Data
  /// The delay after the end of the response.
  public var delay: Duration
  /// The signature.
  ///
  /// `nil` sends none.
  public var signature: Signature?
  /// The maximum number of retries.
  public var retries: Int
  /// The delay before the first retry.
  ///
  /// Each further delay is twice as long as the one before, up to one minute.
  public var backoff = Duration.seconds(1)
  /// The hosts to which the webhook may be sent.
  ///
  /// The default is this machine.
  public var targets = Targets.loopback

  /// Creates a webhook.
  ///
  /// - Parameters:
  ///   - url: The absolute URL. A URL that is malformed or not allowed is not an error here: the
  ///     ``WebhookSender`` records the refused delivery.
  ///   - method: The method.
  ///   - headers: The header fields.
  ///   - body: The body.
  ///   - delay: The delay after the end of the response.
  ///   - signature: The signature. `nil` sends none.
  ///   - retries: The maximum number of retries.
  public init(
    to url: String, method: HTTPMethod = .post, headers: HTTPHeaders = [:], body: Data = Data(),
    after delay: Duration = .zero, signature: Signature? = nil, retries: Int = 0
  ) {
    self.url = url
    self.method = method
    self.headers = headers
    self.body = body
    self.delay = delay
    self.signature = signature
    self.retries = retries
  }

  /// Creates a webhook with a JSON body.
  ///
  /// - Parameters:
  ///   - url: The absolute URL, as in ``init(to:method:headers:body:after:signature:retries:)``.
  ///   - method: The method.
  ///   - headers: The header fields. The content type is `application/json`, unless they set it.
  ///   - json: The body.
  ///   - delay: The delay after the end of the response.
  ///   - signature: The signature. `nil` sends none.
  ///   - retries: The maximum number of retries.
  /// - Throws: `ParameterEncodingError` if the value cannot be encoded.
  public init(
    to url: String, method: HTTPMethod = .post, headers: HTTPHeaders = [:], json: JSON,
    after delay: Duration = .zero, signature: Signature? = nil, retries: Int = 0
  ) throws {
    self.init(
      to: url, method: method,
      headers: (["Content-Type": "application/json"] as HTTPHeaders).merging(headers),
      body: try json.data(), after: delay, signature: signature, retries: retries)
  }

  /// The reason why the webhook must not be sent, or `nil` if it may be sent.
  package var problem: String? {
    let text = url
    // Foundation encodes invalid characters. Such a URL could mean different hosts to different parsers.
    guard let url = URL(string: text), url.absoluteString == text,
      let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
      let host = url.host(percentEncoded: true)?.lowercased(), !host.isEmpty
    else {
      return "the URL is not an absolute http or https URL"
    }
    guard url.user == nil, url.password == nil else { return "the URL contains credentials" }
    switch targets {
    case .any: return nil
    case .hosts(let hosts):
      if hosts.contains(where: { $0.lowercased() == host }) || Self.isLoopback(host) { return nil }
    case .loopback: if Self.isLoopback(host) { return nil }
    }
    return "the host \(host) is not allowed; by default, webhooks are sent to this machine only"
  }

  /// Returns whether a host is this machine, in one of the notations that all parsers agree on.
  private static func isLoopback(_ host: String) -> Bool {
    if ["localhost", "[::1]", "::1"].contains(host) { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { part in UInt8(part).map { String($0) == part } ?? false }
  }
}

extension Webhook: CustomStringConvertible, CustomReflectable {
  /// The method and the URL, with secrets masked.
  public var description: String { "\(method) \(Redactor.standard.maskedURL(url))" }

  /// The members without secrets.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "method": method, "url": Redactor.standard.maskedURL(url), "headers": headers,
        "bodyByteCount": body.count, "delay": delay, "retries": retries,
      ])
  }
}

/// A closure that creates a webhook after a response.
struct WebhookSource: Sendable {
  /// The response that precedes a webhook.
  struct SentResponse: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: Data

    /// The response as a value for templates: `status`, `headers` and `body`.
    var json: JSON {
      .dictionary([
        "status": .int(status),
        "headers": .dictionary(
          Dictionary(headers.map { ($0.name.lowercased(), .string($0.value)) }) { $1 }),
        "body": (try? JSON(parsing: body)) ?? .null,
      ])
    }
  }

  /// Creates the webhook, or returns `nil` to send none.
  let make:
    @Sendable (
      _ request: ReceivedRequest, _ values: TemplateValues, _ response: SentResponse
    ) throws -> Webhook?
}

extension Mock {
  /// Returns a copy after whose response the backend sends a webhook.
  ///
  /// - Parameter webhook: The webhook. Repeated calls add further ones.
  /// - Returns: The mock.
  public func callingBack(_ webhook: Webhook) -> Mock {
    adding(WebhookSource { _, _, _ in webhook })
  }

  /// Returns a copy after whose response the backend sends a webhook that depends on the request.
  ///
  /// - Parameter make: A closure that creates the webhook, or returns `nil` to send none. It runs
  ///   once for each response, after the response, and must not block. If it throws, the failed
  ///   delivery is recorded.
  /// - Returns: The mock.
  public func callingBack(
    _ make: @escaping @Sendable (_ request: ReceivedRequest) throws -> Webhook?
  ) -> Mock {
    adding(WebhookSource { request, _, _ in try make(request) })
  }

  private func adding(_ source: WebhookSource) -> Mock {
    copy(of: self) { $0.webhooks.append(source) }
  }

  /// The response as a webhook sees it.
  var sentResponse: WebhookSource.SentResponse {
    let data: Data = if case .data(let data) = body { data } else { Data() }
    return WebhookSource.SentResponse(status: status, headers: headers, body: data)
  }
}
