import CatenaSystem
import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

/// Clients whose credentials come from a provider, the seam of modules that sign requests.
@Suite(.gated)
struct CredentialProviderTests {
  /// A provider with the values `Token 1`, `Token 2` and so on, the first one after ``begin()``.
  private final class Provider: CredentialProvider {
    let otherOrigins: [Origin]
    let userSession: UserSession
    let identity: String? = "ada"
    /// The rejected values that were not replaced.
    let rejections = Log<String>()
    private let number = Mutex(0)
    private let first = Promise<Void>.pending(on: .inline)

    init(_ userSession: UserSession = UserSession(), alsoFor origins: [Origin] = []) {
      self.userSession = userSession
      otherOrigins = origins
    }

    func begin() {
      number.withLock { $0 = 1 }
      first.resolver.fulfill()
    }

    var currentValue: String? { number.withLock { $0 > 0 ? "Token \($0)" : nil } }
    func loadIdentity() -> Promise<Void> { .fulfilled(()) }
    func value() -> Promise<String> { first.promise.map { self.currentValue ?? "" } }
    func isRejection(_ response: Response) -> Bool { response.status == 401 }
    func noteRejection(of rejected: String) { rejections.append(rejected) }

    func value(replacing rejected: String) -> Promise<String>? {
      .fulfilled(
        number.withLock { number in
          number += 1
          return "Token \(number)"
        })
    }
  }

  /// A server that rejects the value `Token 1` at `/private`.
  private let transport = FakeTransport { request in
    let isRejected =
      request.url.path == "/private" && request.headers["Authorization"] == "Token 1"
    return .response(isRejected ? 401 : 200)
  }

  private func client(_ provider: Provider) -> Networking<Request> {
    let client = Networking<Request>(transport: transport, configuration: .plain)
    client.callbackContext = .inline
    client.baseURL = .of("https://a.example/")
    client.authenticate(by: provider)
    return client
  }

  private var fields: [String?] { transport.requests.map { $0.headers["Authorization"] } }

  @Test func aRequestWaitsForAValueAndIsSentOnceMoreAfterARejection() async throws {
    let provider = Provider()
    let client = client(provider)
    defer { withExtendedLifetime(client) {} }
    let call = client.request(.get("private"))
    provider.begin()
    #expect(try await call.value.status == 200)
    #expect(fields == ["Token 1", "Token 2"])
    #expect(provider.rejections.entries.isEmpty)
  }

  @Test func theRejectionOfARequestThatCannotBeSentAgainIsReported() async throws {
    let provider = Provider()
    provider.begin()
    let client = client(provider)
    defer { withExtendedLifetime(client) {} }
    let bytes = AsyncStream<Data> { $0.finish() }
    let upload = Request.upload(stream: BodyStream(once: bytes), to: "private")
    #expect(try await client.request(upload).value.status == 401)
    #expect(fields == ["Token 1"])
    #expect(provider.rejections.entries == ["Token 1"])
  }

  @Test func otherOriginsOfTheProviderHaveItsValues() async throws {
    let origin = try #require(Origin(.of("https://b.example/")))
    let provider = Provider(alsoFor: [origin])
    provider.begin()
    let client = client(provider)
    defer { withExtendedLifetime(client) {} }
    for url in ["https://b.example/x", "https://c.example/x"] {
      _ = try await client.request(.get(.url(try #require(URL(string: url))))).value
    }
    #expect(fields == ["Token 1", nil])
  }

  @Test(arguments: [true, false])
  func anotherProviderEndsTheSessionUnlessItHasTheSameUser(isSame: Bool) async {
    let provider = Provider()
    provider.begin()
    let client = client(provider)
    defer { withExtendedLifetime(client) {} }
    client.suspend()
    let call = client.request(.get("x"))
    let other = Provider(isSame ? provider.userSession : UserSession())
    other.begin()
    client.authenticate(by: other)
    client.resume()
    let error = await call.result.failure(as: NetworkError.self)
    #expect(error?.code == (isSame ? nil : .sessionEnded))
    #expect(fields == (isSame ? ["Token 1"] : []))
  }

  // MARK: Credentials of the caller and a session

  #if os(Linux) || os(macOS)
    /// Returns the warnings that a process has written about both kinds of credentials.
    private static func warnings(_ result: ExitTest.Result?) -> [Substring] {
      String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        .split(separator: "\n").filter { $0.contains("authorize(with:)") }
    }

    @Test func aSessionInPlaceOfTheCallersCredentialsIsReportedOnce() async {
      let result = await #expect(
        processExitsWith: .success, observing: [\.standardErrorContent]
      ) {
        for _ in 1...2 {
          let client = Networking<Request>(transport: FakeTransport { _ in .response(200) })
          client.authenticate(username: "ann", password: "secret")
          client.authenticate(by: Provider())
        }
      }
      #expect(Self.warnings(result).count == 1)
      #expect(Self.warnings(result).first?.hasPrefix("warning: ") == true)
    }

    @Test func credentialsOfTheCallerInPlaceOfASessionAreReportedForACopyToo() async {
      let result = await #expect(
        processExitsWith: .success, observing: [\.standardErrorContent]
      ) {
        let client = Networking<Request>(transport: FakeTransport { _ in .response(200) })
        client.baseURL = URL(string: "https://a.example/")
        client.authenticate(by: Provider())
        client.copy().authenticate(username: "ann", password: "secret", scheme: .digest)
      }
      #expect(Self.warnings(result).count == 1)
    }

    @Test func neitherASignOutNorCredentialsOfTheSameKindAreReported() async {
      let result = await #expect(
        processExitsWith: .success, observing: [\.standardErrorContent]
      ) {
        let client = Networking<Request>(transport: FakeTransport { _ in .response(200) })
        client.authenticate(bearerToken: "a")
        client.authenticate(username: "ann", password: "secret", scheme: .digest)
        client.authenticate(authorizationHeader: nil)
        client.authenticate(by: Provider())
        client.authenticate(by: Provider())
        client.authenticate(authorizationHeader: nil)
        client.authenticate(bearerToken: "b")
      }
      #expect(result != nil && Self.warnings(result).isEmpty)
    }
  #endif

  @Test func noRequestIsSentAfterTheEndOfItsProvidersSession() async {
    let provider = Provider()
    provider.begin()
    let client = client(provider)
    defer { withExtendedLifetime(client) {} }
    client.suspend()
    let call = client.request(.get("x"))
    provider.userSession.end()
    client.resume()
    let error = await call.result.failure(as: NetworkError.self)
    #expect(error?.code == .sessionEnded)
    #expect(fields.isEmpty)
  }
}
