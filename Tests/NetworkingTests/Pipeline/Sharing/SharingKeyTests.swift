import Foundation
import Promises
import TestSupport
import Testing

@testable import Networking

struct SharingKeyTests {
  private static let url = URL.of("https://a.example/x?token=hush")
  private static let transport = FakeTransport { _ in [] }

  private static func key(
    _ method: HTTPMethod = .get, _ url: URL = url, _ headers: HTTPHeaders = ["Accept": "a/b"],
    body: HTTPBody = .none, credentials: String? = nil, isIntercepted: Bool = true,
    retry: RetryPolicy? = nil, to destination: BodyDestination.Kind = .memory,
    source: SelectedTransport.Source = .client
  ) -> SharingKey? {
    SharingKey(
      Exchange(
        HTTPRequest(method: method, url: url, headers: headers, body: body),
        credentials: credentials.flatMap { value in
          Origin(url).map { .init(value: value, origin: $0) }
        },
        isIntercepted: isIntercepted, retry: retry, destination: BodyDestination(kind: destination),
        source: source, over: transport))
  }

  @Test func theSameRequestHasTheSameKeyWhateverTracesIt() {
    #expect(Self.key() == Self.key(.get, Self.url, ["accept": "a/b"]))
    let traced: HTTPHeaders = [
      "traceparent": "00-1-2-01", "Accept": "a/b", "Tracestate": "a=b", "x-request-id": "7",
      "X-Correlation-ID": "8",
    ]
    #expect(Self.key() == Self.key(.get, Self.url, traced))
    #expect(Self.key()?.hashValue == Self.key(.get, Self.url, traced)?.hashValue)
  }

  @Test func whateverMayVaryTheAnswerVariesTheKey() {
    let scope = {
      TransportScope(providers: [], passesUnmatched: true, name: "a scope")
    }
    let keys = [
      Self.key(), Self.key(.head), Self.key(.get, .of("https://a.example/y")),
      Self.key(.get, Self.url, ["Accept": "c/d"]),
      Self.key(.get, Self.url, ["Accept": "a/b", "Range": "bytes=0-1"]),
      Self.key(.get, Self.url, ["Accept": "a/b", "Authorization": "Bearer 1"]),
      Self.key(.get, Self.url, ["Accept": "a/b", "Authorization": "Bearer 2"]),
      Self.key(.get, Self.url, ["Accept": "a/b", "Cookie": "a=1"]),
      Self.key(credentials: "Bearer 1"), Self.key(credentials: "Bearer 2"),
      Self.key(isIntercepted: false), Self.key(retry: .never), Self.key(source: .provider),
      Self.key(source: .scope(scope())), Self.key(source: .scope(scope())),
    ]
    #expect(Set(keys).count == keys.count)
  }

  @Test func whatHasABodyOrGoesElsewhereOrIsNotSafeHasNone() {
    let file = FileTarget(url: URL(fileURLWithPath: "/x"), replaces: true)
    let keys = [
      Self.key(.post), Self.key(.put), Self.key(.delete), Self.key(.options),
      Self.key(body: .data(Data())), Self.key(to: .stream), Self.key(to: .file(file)),
    ]
    #expect(keys.allSatisfy { $0 == nil })
  }

  @Test func noSecretOfItIsEverShown() throws {
    let key = try #require(
      Self.key(.get, Self.url, ["Cookie": "hush", "X": "hush"], credentials: "Bearer hush"))
    var dumped = ""
    dump(key, to: &dumped)
    for text in ["\(key)", String(reflecting: key), dumped, "\([key: 1])"] {
      #expect(text.contains("GET https://a.example/x") && !text.contains("hush"))
    }
  }
}
