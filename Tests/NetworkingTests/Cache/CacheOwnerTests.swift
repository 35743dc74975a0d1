import Foundation
import Mocking
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

/// A user, or what else decides about the response of a server, and a client that has it.
private struct CacheOwner: Sendable {
  let name: String
  var headers: HTTPHeaders = [:]
  var cookies = CookiePolicy.none
  var authenticate: @Sendable (Networking<Request>) async throws -> Void = { _ in }

  /// All owners, whose clients share a cache.
  ///
  /// The folder is for files of cookies.
  static func all(in folder: TemporaryFolder) throws -> [CacheOwner] {
    var owners = [
      CacheOwner(name: "nobody"), CacheOwner(name: "the shared jar", cookies: .jar(.shared)),
      CacheOwner(name: "coded", headers: ["Accept-Encoding": "identity"]),
      CacheOwner(name: "a key", headers: ["X-Api-Key": "one"]),
      CacheOwner(name: "another key", headers: ["X-Api-Key": "two"]),
      CacheOwner(name: "a cookie", headers: ["Cookie": "user=ann"]),
      CacheOwner(name: "another cookie", headers: ["Cookie": "user=bob"]),
      CacheOwner(name: "a token", headers: ["Authorization": "Bearer one"]),
    ]
    for user in ["ann", "bob"] {
      let jars = [CookieJar(), try CookieJar(file: folder.url(user))]
      for (jar, name) in zip(jars, ["jar", "file"]) {
        try jar.set(Cookie("user", user, domain: "cache.test"))
        owners.append(CacheOwner(name: "the \(name) of \(user)", cookies: .jar(jar)))
      }
    }
    for (user, password) in [("ann", "right"), ("ann", "guess"), ("bob", "right")] {
      for scheme in [PasswordScheme.basic, .digest] {
        owners.append(
          CacheOwner(
            name: "\(user) with \(password) by \(scheme)",
            headers: scheme == .digest ? ["Challenge": "digest"] : [:]
          ) { $0.authenticate(username: user, password: password, scheme: scheme) })
      }
    }
    for (realm, secret, account) in [
      ("one", "s", ""), ("two", "s", ""), ("one", "t", ""), ("one", "s", "b"),
    ] {
      let client = OAuth2Client(
        id: "app", secret: secret, tokenURL: URL(string: "https://login.test/\(realm)/token"))
      for level in TokenLevel.allCases {
        let session = OAuth2Session(
          client, store: .memory, account: account, transport: Self.login)
        let name = "the \(level) of \(account) at \(realm) with \(secret)"
        owners.append(
          CacheOwner(name: name) { networking in
            if level == .user {
              _ = try await session.signIn(.password(username: "ann", password: "p")).value
            } else {
              _ = try await session.token(.client).value
            }
            networking.authorize(with: session, level)
          })
      }
    }
    return owners
  }

  /// A server of tokens.
  private static let login = FakeTransport { _ in
    .response(
      200, ["Content-Type": "application/json"],
      #"{"access_token": "\#(UUID().uuidString)", "token_type": "Bearer", "expires_in": 3600}"#)
  }
}

/// A stored response is only for requests whose answer would be the same.
@Suite(.gated)
struct CacheOwnerTests {
  enum Store: CaseIterable {
    case memory
    case disk
    case both
  }

  private let folder = TemporaryFolder(in: TemporaryFolder.memory)

  /// Of each two owners, the second one gets no response of the first one, and both get their own again.
  @Test(arguments: Store.allCases)
  func noOwnerGetsTheResponseOfAnother(store: Store) async throws {
    let cache = HTTPCache(
      memory: store == .disk ? nil : .memory,
      disk: store == .memory ? nil : (folder.url("cache"), .disk))
    let number = Counter()
    let transport = FakeTransport { request in
      if request.headers.contains("Challenge"), !request.headers.contains("Authorization") {
        return .response(401, ["WWW-Authenticate": #"Digest realm="r", nonce="n", qop="auth""#])
      }
      number.add()
      return .response(200, ["Cache-Control": "max-age=86400"], "\(number.value)")
    }
    let owners = try CacheOwner.all(in: folder)
    var clients: [Networking<Request>] = []
    for owner in owners {
      let client = Networking.caching(in: cache, over: transport) { $0.cookies = owner.cookies }
      try await owner.authenticate(client)
      clients.append(client)
    }
    func get(_ index: Int, _ path: String) async throws -> Response {
      let request = Request.get(RequestPath(raw: path)).adding(headers: owners[index].headers)
      return try await clients[index].request(request).value
    }
    var cells = 0
    for first in owners.indices {
      for second in owners.indices where second != first {
        let path = "/\(first)-\(second)"
        let pair = "\(owners[first].name), then \(owners[second].name)"
        let responses = [try await get(first, path), try await get(second, path)]
        #expect(responses.map(\.source) == [.network, .network], "\(pair)")
        let again = [try await get(first, path), try await get(second, path)]
        #expect(again.map(\.source) == [.cache, .cache], "\(pair)")
        #expect(again.map(\.data) == responses.map(\.data), "\(pair)")
        cells += 1
      }
    }
    #expect(cells == owners.count * (owners.count - 1))
  }

  #if os(Linux)
    @Test func noClientGetsTheResponseToACertificateOfAnother() async throws {
      let fixture = try TrustFixture.shared.get()
      let number = Counter()
      let server = try MockServer(
        tls: MockTLS(
          fixture.leaf, clientCertificates: .required, clientAuthorities: [fixture.root])
      ) {
        Route(.get, "/") { _ in
          number.add()
          return .text("\(number.value)").header("Cache-Control", "max-age=86400")
        }
      }
      let cache = HTTPCache()
      for _ in 0..<2 {
        let identity = try fixture.root.clientCertificate().identity
        var configuration = NetworkingConfiguration.plain
        configuration.caching.storage = .cache(cache)
        let session = try SessionConfiguration.ephemeral.trusting(.all(fixture.policy))
          .identifying(as: identity, to: "127.0.0.1")
        let client = Networking<Request>(
          sessionConfiguration: session, configuration: configuration)
        client.callbackContext = .inline
        let url = RequestPath(raw: server.url.absoluteString + "/")
        #expect(try await client.request(.get(url)).value.source == .network)
        #expect(try await client.request(.get(url)).value.source == .cache)
      }
      #expect(number.value == 2)
    }
  #endif

  /// The text "hello" in the coding gzip.
  private static let coded =
    Data(
      base64Encoded: "H4sIAAAAAAAC/8tIzcnJBwCGphA2BQAAAA==") ?? Data()

  private enum Delivery: CaseIterable {
    case decoded
    case coded
    case decodedFile
    case codedFile

    var isCoded: Bool { self == .coded || self == .codedFile }
  }

  /// A body that one request gets in its coding is no response to one that decodes, and the reverse.
  @Test func noBodyIsDeliveredInTheFormOfAnotherRequest() async throws {
    let server = try MockServer {
      Route(.get, "/{path*}") { _ in
        .data(Self.coded, contentType: "text/plain").header("Content-Encoding", "gzip")
          .header("Cache-Control", "max-age=86400")
      }
    }
    var configuration = NetworkingConfiguration.plain
    configuration.caching.storage = .cache(HTTPCache())
    let client = Networking<Request>(
      sessionConfiguration: .ephemeral, configuration: configuration)
    client.callbackContext = .inline
    client.setBaseURL(server.url)
    for first in Delivery.allCases {
      for second in Delivery.allCases {
        for delivery in [first, second, first, second] {
          var request = Request.get(RequestPath(raw: "/\(first)-\(second)"))
          if delivery.isCoded { request = request.adding(headers: ["Accept-Encoding": "identity"]) }
          let body: Data
          switch delivery {
          case .decoded, .coded: body = try await client.request(request).value.data
          case .decodedFile, .codedFile:
            let file = folder.url(UUID().uuidString)
            _ = try await client.download(request, to: file).value
            body = try Data(contentsOf: file)
          }
          #expect(
            body == (delivery.isCoded ? Self.coded : Data("hello".utf8)),
            "\(delivery) of \(first) and \(second)")
        }
      }
    }
  }
}
