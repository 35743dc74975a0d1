import Foundation
import NetworkingInterceptors
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

/// The typed attributes of requests: values, identity, and the places where they are visible.
@Suite(.gated)
struct RequestAttributesTests {
  private enum Weight: RequestAttributeKey {
    static let defaultValue = 1
  }

  private enum Note: RequestAttributeKey {
    static let defaultValue: String? = "none"
  }

  private let request = Request.get("x", .attribute(TenantKey.self, "s3cret"))

  private func client(_ handler: @escaping FakeTransport.Handler) -> Networking<Request> {
    let client = Networking<Request>(
      transport: FakeTransport(handler), configuration: .plain)
    client.baseURL = .of("https://a.example/")
    client.callbackContext = .inline
    return client
  }

  @Test func anAttributeThatIsNotSetHasItsDefaultValue() {
    var attributes = RequestAttributes()
    #expect(attributes.isEmpty && attributes[Weight.self] == 1 && attributes[Note.self] == "none")
    attributes[Weight.self] = 2
    #expect(attributes[Note.self] == "none")
    attributes[Note.self] = nil
    #expect(!attributes.isEmpty && attributes[Weight.self] == 2 && attributes[Note.self] == nil)
    #expect(attributes[TenantKey.self] == nil)
    attributes[Weight.self] += 1
    #expect(attributes[Weight.self] == 3)
  }

  @Test func descriptionsHaveNoValues() {
    #expect("\(RequestAttributes())" == "[]")
    #expect("\(request.with(.attribute(Weight.self, 2)).attributes)" == "[TenantKey, Weight]")
    let built = try? RequestBuilder(baseURL: BaseURL(host: "h")).build(request)
    for value in [request, request.attributes, built as Any, NetworkError.RequestSummary(request)]
      as [Any]
    {
      var text = ""
      dump(value, to: &text)
      #expect(text.contains("TenantKey") && !text.contains("s3cret"), "\(text)")
      #expect(!"\(value)".contains("s3cret") && !String(reflecting: value).contains("s3cret"))
    }
  }

  @Test func attributesAreNeitherComparedNorEncoded() throws {
    #expect(request == .get("x"))
    #expect(request.hashValue == Request.get("x").hashValue)
    let builder = try RequestBuilder(baseURL: BaseURL(host: "h"))
    #expect(try builder.build(request) == builder.build(.get("x")))
    let decoded = try JSONDecoder().decode(Request.self, from: JSONEncoder().encode(request))
    #expect(decoded.attributes.isEmpty)
  }

  @Test func theOptionsOfARequestAreNeitherComparedNorShown() throws {
    let plain = try RequestBuilder(baseURL: BaseURL(host: "h")).build(.get("x"))
    var request = plain
    request.sendsCredentials = false
    request.options.withholdsClientCertificate = true
    #expect(request == plain && request.hashValue == plain.hashValue)
    #expect(request.attributes.isEmpty && String(reflecting: request) == String(reflecting: plain))
  }

  @Test func aRequestOfAHookKeepsTheOptionsThatItDoesNotSet() throws {
    var original = try RequestBuilder(baseURL: BaseURL(host: "h")).build(.get("x"))
    original.sendsCredentials = false
    original.options.withholdsClientCertificate = true
    let new = original.replaced(by: HTTPRequest(url: original.url))
    #expect(!new.sendsCredentials && new.options.withholdsClientCertificate)
    var explicit = HTTPRequest(url: original.url)
    explicit.sendsCredentials = true
    #expect(original.replaced(by: explicit).sendsCredentials)
  }

  @Test func aRequestKeepsItsAttributesWhenItIsBuilt() throws {
    let builder = try RequestBuilder(baseURL: BaseURL(host: "h"))
    let built = try builder.build(request.with(.attribute(Weight.self, 5)))
    #expect(built.attributes[TenantKey.self] == "s3cret" && built.attributes[Weight.self] == 5)
    #expect(try builder.build(.get("x")).attributes.isEmpty)
  }

  @Test func allPartsOfACallSeeTheAttributes() async throws {
    let seen = Log<String?>()
    let client = client { request in
      seen.append(request.attributes[TenantKey.self])
      switch request.url.path {
      case "/x": return .response(302, ["Location": "/y"])
      default: return .response(404)
      }
    }
    client.preProcessRequest = { request in
      seen.append(request.attributes[TenantKey.self])
      return HTTPRequest(url: request.url)
    }
    client.interceptors = [
      RequestAdapter { request in
        seen.append(request.attributes[TenantKey.self])
        return request
      }
    ]
    let monitor = RecordingMonitor()
    client.addMonitor(monitor)
    let promise = client.request(request).validate()
    let error = try #require(await promise.result.failure(as: NetworkError.self))
    #expect(error.request?.attributes[TenantKey.self] == "s3cret")
    #expect(seen.entries == Array(repeating: "s3cret", count: 4))
    for event in await monitor.events(ofCalls: 1) {
      #expect(event.request?.attributes[TenantKey.self] == "s3cret")
    }
  }
}
