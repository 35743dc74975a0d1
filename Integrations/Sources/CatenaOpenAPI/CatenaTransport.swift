import CatenaHTTPTypes
public import Foundation
public import HTTPTypes
public import Networking
public import OpenAPIRuntime
import Promises

/// The transport of a client that swift-openapi-generator has generated, over a client of Catena.
///
/// ```swift
/// let networking = Networking<Request>(mode: .limited(4), retry: .exponential(limit: 3))
/// let client = Client(serverURL: url, transport: CatenaTransport(networking))
/// ```
///
/// - **Pipeline.** Each operation is a call of the client: it waits in the queue, and has the retries, redirects,
///   cookies, cache, credentials, interceptors, monitors and mocks of the client. The credentials of the client are
///   sent to the origin of its own base URL, so a client with credentials has the base URL of the server.
/// - **Operations.** `attributes.operationID` of a request is the identifier of the operation. A `MockProvider<Request>`
///   selects its responses by it.
/// - **Bodies.** A request body of up to 1 MiB, if its size is known, is read into memory, and can be sent again. Any
///   other one is a stream. A response body is in memory, unless the operation is one of the streamed ones.
/// - **Errors.** The error of a call is the `underlyingError` of the `ClientError` of the generated client.
/// - **Cancellation.** Cancelling the task of the operation cancels the call.
public struct CatenaTransport: ClientTransport {
  private let client: Networking<Request>
  private let streamed: Set<String>

  /// Creates a transport.
  ///
  /// - Parameters:
  ///   - client: The client, which may make other requests, too.
  ///   - streamed: The identifiers of the operations whose response bodies arrive while they are read, such as
  ///     server-sent events and large files. Their calls end with the body. A body that is not read keeps its connection.
  public init(_ client: Networking<Request>, streaming streamed: Set<String> = []) {
    self.client = client
    self.streamed = streamed
  }

  /// Performs an operation.
  ///
  /// - Parameters:
  ///   - request: The request, whose path is relative to the URL of the server.
  ///   - body: The body. `nil` sends none.
  ///   - baseURL: The URL of the server.
  ///   - operationID: The identifier of the operation.
  /// - Returns: The response, whatever its status, and its body.
  /// - Throws: The error of the call, such as a `NetworkError`.
  public func send(
    _ request: HTTPTypes.HTTPRequest, body: OpenAPIRuntime.HTTPBody?, baseURL: URL,
    operationID: String
  ) async throws -> (HTTPResponse, OpenAPIRuntime.HTTPBody?) {
    var call = Request(
      HTTPMethod(request.method),
      RequestPath(raw: Self.url(of: request.path ?? "", relativeTo: baseURL)),
      headers: Request(request).headers)
    if let body { call.payload = try await Request.Payload(body, inMemoryUpTo: 1 << 20) }
    call.attributes[OperationIDKey.self] = operationID
    let isStream = streamed.contains(operationID)
    let response = try await (isStream ? client.stream(call) : client.request(call)).value
    // The client has decoded the body, so a middleware must not do so again.
    let head = try HTTPResponse(forwarding: response)
    return (head, OpenAPIRuntime.HTTPBody(of: response, isStream: isStream))
  }

  /// Returns the URL of a path, which is appended to that of the server.
  static func url(of path: String, relativeTo baseURL: URL) -> String {
    let base = baseURL.absoluteString.prefix { $0 != "?" && $0 != "#" }
    return base.hasSuffix("/") && path.hasPrefix("/") ? base.dropLast() + path : base + path
  }
}
