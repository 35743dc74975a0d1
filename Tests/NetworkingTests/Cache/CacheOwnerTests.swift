import CatenaSystem
import Foundation
import Mocking
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingOAuth2

/// A user, or what else decides about the response of a server, and a client that has it.
private struct CacheOwner: Sendable {
  let name: String
  var headers: HTTPHeaders = [:]
  var cookies = CookiePolicy.none
  var tls = TLSOptions()
  var route = ""
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
    owners.append(CacheOwner(name: "a socket", route: " socket /run/a"))
    for (name, trust) in try ServerTrust.different {
      owners.append(CacheOwner(name: name, tls: try TLSOptions(trust: trust)))
    }
    owners.append(
      CacheOwner(name: "TLS 1.3", tls: try TLSOptions(minimumVersion: .v1_3)))
    return owners
  }

  /// A server of tokens.
  private static let login = FakeTransport { _ in
    .response(
      200, ["Content-Type": "application/json"],
      #"{"access_token": "\#(UUID().uuidString)", "token_type": "Bearer", "expires_in": 3600}"#)
  }
}

extension ServerTrust {
  /// Trusts of which each accepts other servers of the tests than the others, and than the default.
  fileprivate static var different: [(name: String, trust: ServerTrust)] {
    get throws {
      let keys = ["A", "B"].map { PublicKeyPin("sha256/\(String(repeating: $0, count: 43))=") }
      let certificate = TLSSource.pem(TestCertificate.pem)
      let common: [(name: String, policy: Policy)] = [
        ("any certificate", .insecure), ("a rule", .evaluate { _, _ in true }),
        ("another rule", .evaluate { _, _ in false }),
        ("an authority", .authorities(certificate)),
        ("an authority and the system", .authorities(certificate, besidesSystem: true)),
        ("a certificate", .pinnedCertificates(certificate)),
        ("a certificate of the chain", .pinnedCertificates(certificate, in: .chain)),
        ("a key", .pinnedKeys([keys[0]])), ("another key", .pinnedKeys([keys[1]])),
        ("two keys", .pinnedKeys(keys)),
        ("one and the other key", .pinnedKeys([keys[0]]).pinnedKeys([keys[1]])),
        ("a key for a time", .pinnedKeys([keys[0]], until: "2027-06-01")),
        ("any certificate with a key", .insecure.pinnedKeys([keys[0]])),
      ]
      #if os(Linux)
        let fixture = try TrustFixture.shared.get()
        let policies =
          common + [
            ("another authority", fixture.policy),
            ("two authorities", .authorities(certificate, fixture.root.source)),
            ("a status", .system.revocation(stapled: .ifPresent)),
            ("a status that is required", .system.revocation(stapled: .required)),
            ("versions", .system.versions(.v1_2, through: .v1_2)),
          ]
      #else
        let policies = common
      #endif
      return policies.map { ($0.name, ServerTrust([(hosts: "cache.test", policy: $0.policy)])) }
        + [("no policy", ServerTrust(others: nil))]
    }
  }
}

/// A transport with TLS settings that it does not use.
private struct TrustingTransport: TransportTraits {
  let base: FakeTransport
  let tls: TLSOptions
  var route = ""

  func connectionOwner(for url: URL) -> String { tls.compiled.connectionOwner(for: url) + route }

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportHandle {
    base.start(request, receive)
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
      let client = Networking.caching(
        in: cache, over: TrustingTransport(base: transport, tls: owner.tls, route: owner.route),
        baseURL: .of("https://cache.test")
      ) { $0.cookies = owner.cookies }
      try await owner.authenticate(client)
      clients.append(client)
    }
    func get(_ index: Int, _ path: String) async throws -> Response {
      let request = Request.get(RequestPath(raw: path), .headers(owners[index].headers))
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

  // MARK: Trust

  private static let fresh = FakeTransport { _ in
    .response(200, ["Cache-Control": "max-age=86400"], "fresh")
  }

  /// Requests a URL with a new cache of the same folder, as another process does.
  private func source(
    of url: String, _ tls: TLSOptions,
    during body: @escaping @Sendable (TLSConfigurable) -> Void = { _ in }
  ) async throws -> Response.Source {
    let cache = HTTPCache(folder: folder.url("cache"))
    let transport = TLSConfigurable(tls, body)
    let client = Networking.caching(in: cache, over: transport)
    let response = try await client.request(.get(RequestPath(raw: url))).value
    await cache.flush()
    return response.source
  }

  /// A transport whose TLS settings a test replaces while a request is under way.
  private final class TLSConfigurable: TransportTraits {
    private let tls: Mutex<TLSOptions>
    private let onStart: @Sendable (TLSConfigurable) -> Void

    init(_ tls: TLSOptions, _ onStart: @escaping @Sendable (TLSConfigurable) -> Void) {
      self.tls = Mutex(tls)
      self.onStart = onStart
    }

    func connectionOwner(for url: URL) -> String {
      tls.withLock { $0 }.compiled.connectionOwner(for: url)
    }

    var replaceTLS: (@Sendable (TLSOptions) -> Void)? { { self.setTLS($0) } }

    func setTLS(_ new: TLSOptions) { tls.withLock { $0 = new } }

    func start(
      _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
    ) -> any TransportHandle {
      onStart(self)
      return CacheOwnerTests.fresh.start(request, receive)
    }
  }

  /// The same policy in other words: in another order, as another file, with a report besides.
  @Test func theSamePolicyHasTheSameResponsesInTheNextRunOfTheProgram() async throws {
    let keys = ["A", "B"].map { PublicKeyPin("sha256/\(String(repeating: $0, count: 43))=") }
    let file = try folder.file("certificate.der", TestCertificate.der)
    let certificate = TLSSource.pem(TestCertificate.pem)
    let equal: [[ServerTrust.Policy]] = [
      [.system, .system.pinnedKeys([keys[0]], mode: .reported { _ in })],
      [.pinnedKeys(keys), .pinnedKeys(keys.reversed())],
      [
        .authorities(certificate), .authorities(.file(file)),
        .authorities(certificate, .file(file)),
      ],
      [.pinnedCertificates(certificate), .pinnedCertificates(.file(file))], [.insecure, .insecure],
    ]
    for (number, policies) in equal.enumerated() {
      var sources: [Response.Source] = []
      for policy in policies {
        let tls = try TLSOptions(trust: ["cache.test": policy])
        sources.append(try await source(of: "https://cache.test/\(number)", tls))
      }
      #expect(
        sources == [.network] + Array(repeating: .cache, count: policies.count - 1), "\(number)")
    }
  }

  @Test func thePolicyOfAnotherHostAndThatOfTLSAloneDoNotMatter() async throws {
    let one = try TLSOptions(trust: ["other.test": .insecure])
    #expect(try await source(of: "https://cache.test/", TLSOptions()) == .network)
    #expect(try await source(of: "https://cache.test/", one) == .cache)
    let all = try TLSOptions(trust: .all(.insecure))
    #expect(try await source(of: "http://cache.test/", TLSOptions()) == .network)
    #expect(try await source(of: "http://cache.test/", all) == .cache)
  }

  @Test func aResponseIsNotStoredForTheSettingsThatReplaceItsOwn() async throws {
    let (old, new) = (TLSOptions(), try TLSOptions(trust: .all(.insecure)))
    let url = "https://cache.test/"
    #expect(try await source(of: url, old) { $0.setTLS(new) } == .network)
    #expect(try await source(of: url, new) == .network)
    #expect(try await source(of: url, new) == .cache)
    #expect(try await source(of: url, old) == .network)
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
  ///
  /// With an unknown coding there is one form only: the bytes as received, with the field.
  @Test(arguments: [
    ("gzip", true), ("utf-8", false), ("none", false), ("aws-chunked", false),
    ("gzip, utf-8", false), ("utf-8, gzip", false),
  ])
  func noBodyIsDeliveredInTheFormOfAnotherRequest(_ coding: String, _ isKnown: Bool) async throws {
    let server = try MockServer {
      Route(.get, "/{path*}") { _ in
        .data(Self.coded, contentType: "text/plain").header("Content-Encoding", coding)
          .header("Cache-Control", "max-age=86400")
      }
    }
    var configuration = NetworkingConfiguration.plain
    configuration.caching.storage = .cache(HTTPCache())
    let client = Networking<Request>(
      sessionConfiguration: .ephemeral, configuration: configuration)
    client.callbackContext = .inline
    client.baseURL = server.url
    for first in Delivery.allCases {
      for second in Delivery.allCases {
        for delivery in [first, second, first, second] {
          var request = Request.get(RequestPath(raw: "/\(first)-\(second)"))
          if delivery.isCoded { request = request.with(.headers(["Accept-Encoding": "identity"])) }
          let body: Data
          switch delivery {
          case .decoded, .coded:
            let response = try await client.request(request).value
            body = response.data
            #expect(response.headers["Content-Encoding"] == coding)
          case .decodedFile, .codedFile:
            let file = folder.url(UUID().uuidString)
            _ = try await client.download(request, to: file).value
            body = try Data(contentsOf: file)
          }
          #expect(
            body == (delivery.isCoded || !isKnown ? Self.coded : Data("hello".utf8)),
            "\(delivery) of \(first) and \(second) in \(coding)")
        }
      }
    }
  }
}
