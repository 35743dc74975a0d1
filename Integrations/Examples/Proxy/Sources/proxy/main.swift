import CatenaHTTPTypes
import CatenaServiceLifecycle
import Foundation
import Hummingbird

import struct Networking.BodyStream
import class Networking.Networking
import struct Networking.NetworkingConfiguration

/// A reverse proxy: `swift run proxy http://127.0.0.1:8080 8081`.
let upstream = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080"
let port = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 8081

var configuration = NetworkingConfiguration()
configuration.redirects = .refuse  // the browser follows them, and has the cookies
configuration.cookies = .none
configuration.caching.storage = .none
let client = Networking<ClientRequest>(baseURL: URL(string: upstream), configuration: configuration)

let proxy = CallbackResponder<BasicRequestContext> { request, _ in
  var head = request.head
  head.authority = nil
  head.headerFields[.acceptEncoding] = nil  // the client decodes the codings that it asks for
  let length = head.headerFields[.contentLength].flatMap { Int64($0) }
  let hasBody = length ?? 0 > 0 || head.headerFields[.transferEncoding] != nil
  let body = BodyStream(length: length, once: request.body.map { Data($0.readableBytesView) })
  let call = ClientRequest(head, payload: hasBody ? .stream(body) : nil)
  guard let response = try? await client.stream(call).value else {
    return Response(status: .badGateway)
  }
  let forwarded = try HTTPResponse(forwarding: response)
  return Response(
    status: forwarded.status, headers: forwarded.headerFields,
    body: ResponseBody(asyncSequence: response.bytes.map { ByteBuffer(bytes: $0) }))
}

// SIGTERM ends the server first, and then the client, when all its calls have ended.
let app = Application(
  responder: proxy, configuration: .init(address: .hostname("127.0.0.1", port: port)),
  services: [ClientService(client)])
try await app.runService()
