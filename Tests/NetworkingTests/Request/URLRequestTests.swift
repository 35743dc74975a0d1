import Foundation
import Networking
import NetworkingValues
import TestGate
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.gated)
struct URLRequestTests {
  private let url = URL.of("https://api.example.com/v1/boards?page=2")

  @Test func aRequestOfFoundationIsSent() async throws {
    let backend = FakeTransport { _ in .response(200) }
    let client = Networking<Request>(transport: backend, configuration: .plain)
    var urlRequest = URLRequest(url: url)
    urlRequest.httpMethod = "PUT"
    urlRequest.setValue("text/csv", forHTTPHeaderField: "Content-Type")
    urlRequest.setValue("acme", forHTTPHeaderField: "X-Tenant")
    urlRequest.httpBody = Data("a,b".utf8)
    _ = try await client.request(Request(urlRequest)).value
    let sent = try #require(backend.requests.first)
    #expect(sent.method == .put && sent.url == url && sent.body == .data(Data("a,b".utf8)))
    #expect(sent.headers["Content-Type"] == "text/csv" && sent.headers["X-Tenant"] == "acme")
  }

  @Test func aRequestOfFoundationWithoutAURLOrAMethodIsAnErrorOrAGet() async throws {
    let client = Networking<Request>(
      transport: FakeTransport { _ in .response(200) }, configuration: .plain)
    client.baseURL = url
    #expect(Request(URLRequest(url: url)).method == .get)
    var urlRequest = URLRequest(url: url)
    urlRequest.url = nil
    let result = await client.request(Request(urlRequest)).result
    #expect(result.failure(as: NetworkError.self)?.code == .invalidURL)
  }

  @Test func theRequestOfFoundationHasAllPartsInMemory() {
    var request = HTTPRequest(
      method: .post, url: url, headers: ["Accept": "a/b", "X-Two": "1"], body: .data(Data([1])))
    request.headers.add("2", for: "x-two")
    let urlRequest = request.urlRequest
    #expect(urlRequest.httpMethod == "POST" && urlRequest.url == url)
    #expect(urlRequest.httpBody == Data([1]))
    #expect(urlRequest.value(forHTTPHeaderField: "Accept") == "a/b")
    #expect(urlRequest.value(forHTTPHeaderField: "X-Two") == "1, 2")
    request.body = .file(URL(fileURLWithPath: "/tmp/a"))
    #expect(request.urlRequest.httpBody == nil)
  }

  @Test func changesOfARequestOfFoundationApply() throws {
    let request = HTTPRequest(
      method: .post, url: url, headers: ["Accept": "a/b", "X-Old": "1", "Via": "2"],
      body: .data(Data([1])), idleTimeout: .seconds(9))
    let changed = request.modifyingURLRequest { urlRequest in
      urlRequest.httpMethod = "PATCH"
      urlRequest.url = URL(string: "https://other.example.com/")
      urlRequest.setValue("c/d", forHTTPHeaderField: "accept")
      urlRequest.setValue(nil, forHTTPHeaderField: "X-Old")
      urlRequest.setValue("s", forHTTPHeaderField: "X-Signature")
      urlRequest.httpBody = nil
    }
    #expect(changed.method == .patch && changed.url.host() == "other.example.com")
    #expect(changed.headers == ["Accept": "c/d", "Via": "2", "X-Signature": "s"])
    #expect(changed.body == .none && changed.idleTimeout == .seconds(9))
    #expect(throws: TestError("sign")) {
      try request.modifyingURLRequest { _ in throw TestError("sign") }
    }
  }

  @Test func aRequestOfFoundationWithoutChangesKeepsFieldsFilesAndAttributes() {
    var request = HTTPRequest(
      url: url, headers: ["B": "1", "A": "2"], body: .file(URL(fileURLWithPath: "/tmp/a")))
    request.headers.add("3", for: "b")
    request.attributes[TenantKey.self] = "acme"
    let changed = request.modifyingURLRequest { _ in }
    #expect(changed.headers.fields == request.headers.fields && changed.body == request.body)
    #expect(changed.attributes[TenantKey.self] == "acme")
    let replaced = request.modifyingURLRequest { $0.httpBody = Data([2]) }
    #expect(replaced.body == .data(Data([2])))
  }
}
