import Foundation
import NetworkingTracing
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

/// The format of queries and forms that applies to a request.
@Suite(.gated)
struct FormatPrecedenceTests {
  private enum RailsAPI: RequestConvertible {
    case find(QueryFormat?)
    static let queryFormat = QueryFormat.rails
    var request: Request {
      switch self {
      case .find(let format): .get("find", parameters: ["a": [[["b": 1]]]], .queryFormat(format))
      }
    }
  }

  private struct Plain: TypedEndpoint {
    typealias ResponseType = EmptyResponse
    var baseURL: URL?
    var request: Request { .get("plain", parameters: ["t": ["x"], "on": true]) }
  }

  private enum PHPAPI: RequestConvertible {
    case list
    static let queryFormat = QueryFormat.php
    static let baseURL: URL? = URL(string: "https://php.example/")
    var request: Request { .get("list", parameters: ["t": ["x"], "on": true]) }
  }

  private let transport = FakeTransport { _ in .response(200, [:], "{}") }

  private func client<Endpoint: RequestConvertible>(
    _ endpoint: Endpoint.Type, _ format: QueryFormat = .standard
  ) -> Networking<Endpoint> {
    var configuration = NetworkingConfiguration.plain
    configuration.queryFormat = format
    let client = Networking<Endpoint>(transport: transport, configuration: configuration)
    client.baseURL = .of("https://a.example/")
    client.callbackContext = .inline
    return client
  }

  /// The decoded query of the last request.
  private var query: String? { transport.requests.last?.url.query()?.removingPercentEncoding }

  @Test func aClientHasTheFormatOfItsConfiguration() async throws {
    let client = client(Request.self, .dotted)
    let parameters: Parameters = ["f": ["t": ["x"]]]
    _ = try await client.request(.get("a", parameters: parameters)).value
    #expect(query == "f.t[0]=x")
    _ = try await client.request(
      .post("a", parameters: parameters, contentType: .formURLEncoded)
    ).value
    #expect(transport.requests.last?.body == .data(Data("f.t%5B0%5D=x".utf8)))
    // A form with parts, which has one part for each field.
    _ = try await client.request(
      .post("a", parameters: parameters, contentType: .multipartFormData)
    ).value
    guard case .data(let form)? = transport.requests.last?.body else {
      Issue.record("the form is not in memory")
      return
    }
    #expect(String(decoding: form, as: UTF8.self).contains(#"name="f.t[0]""#))
  }

  @Test func theFormatOfARequestOverridesThatOfTheClient() async throws {
    let client = client(Request.self, .dotted)
    let request = Request.get("a", parameters: ["f": ["t": ["x"]]])
    _ = try await client.request(request, .queryFormat(.php)).value
    #expect(query == "f[t][0]=x")
    _ = try await client.request(request, .queryFormat(.php), .queryFormat(nil)).value
    #expect(query == "f.t[0]=x")
    // A payload leaves the parameters in the query.
    _ = try await client.request(
      .upload(data: Data([1]), to: "a", .queryFormat(.form()), .parameters(["t": ["x"]]))
    ).value
    #expect(query == "t=x")
  }

  @Test func theFormatOfAnEndpointOverridesThatOfTheClient() async throws {
    let client = client(PHPAPI.self, .form())
    client.baseURL = nil
    _ = try await client.request(.list).value
    #expect(query == "t[0]=x&on=1")
    _ = try await client.request(PHPAPI.list, .priority(.high)).value
    #expect(query == "t[0]=x&on=1")
    _ = try await client.request(PHPAPI.list, .queryFormat(.rails)).value
    #expect(query == "t[]=x&on=true")
    #expect(try client.curlCommand(for: .list).contains("t%5B0%5D=x"))
  }

  @Test func anEndpointWithoutABaseURLHasTheFormatOfTheClientsEndpointType() async throws {
    let client = client(PHPAPI.self)
    _ = try await client.fetch(Plain()).value
    #expect(query == "t[0]=x&on=1")
    _ = try await client.fetch(Plain(baseURL: URL(string: "https://b.example/"))).value
    #expect(query == "t[]=x&on=true")
  }

  private enum MixedAPI: RequestConvertible {
    case mixed(QueryFormat?)
    static let baseURL = URL(string: "https://a.example/")
    static let queryFormat: QueryFormat? = .form()
    var queryFormat: QueryFormat? {
      switch self {
      case .mixed(let format): format
      }
    }
    var request: Request { .get("list", parameters: ["t": ["x"]]) }
  }

  @Test func theFormatOfAValueOverridesThatOfItsType() async throws {
    let client = client(MixedAPI.self)
    _ = try await client.request(.mixed(nil)).value
    #expect(query == "t=x")
    _ = try await client.request(.mixed(.php)).value
    #expect(query == "t[0]=x")
    _ = try await client.request(.mixed(.php), .priority(.low)).value
    #expect(query == "t[0]=x")
    _ = try await client.request(.mixed(.php), .queryFormat(.rails)).value
    #expect(query == "t[]=x")
    #expect(MixedAPI.resolvedQueryFormat() == .form())
    #expect(BoardsAPI.boards.resolvedQueryFormat() == nil)
  }

  @Test func beforeEachSeesTheFormatAndCanReplaceIt() async throws {
    let client = client(PHPAPI.self)
    let formats = Log<QueryFormat?>()
    client.beforeEach = { request in
      formats.append(request.queryFormat)
      return request.with(.queryFormat(.form()))
    }
    _ = try await client.request(.list).value
    #expect(formats.entries == [.php])
    #expect(query == "t=x&on=true")
  }

  @Test func parametersThatCannotBeRepresentedAreRejectedBeforeAnythingIsSent() async {
    let client = client(RailsAPI.self)
    let error = await client.request(.find(nil)).result.failure(as: NetworkError.self)
    #expect(error?.code == .encodingFailed)
    #expect(
      error?.reason
        == "the parameter a[0] is an array in an array, which the format cannot represent")
    #expect((error?.underlying as? ParameterEncodingError)?.keyPath == "a[0]")
    #expect(transport.requests.isEmpty)
  }

  @Test func aStoredRequestKeepsItsFormatAndItsCompression() throws {
    let request = Request.get(
      "a", parameters: ["t": ["x"]], .queryFormat(.rails), .compression(.gzip, fallsBack: true))
    let stored = try JSONDecoder().decode(Request.self, from: JSONEncoder().encode(request))
    #expect(stored == request)
    #expect(stored.queryFormat == .rails)
    #expect(stored.compression == BodyCompression(.gzip, fallsBack: true))
  }

  @Test func theFormatOfTheEncodersReplacesEncodersOfOtherTypes() throws {
    struct Fixed: ParameterEncoding {
      func encode(_ parameters: Parameters) throws -> EncodedParameters { .query("fixed") }
    }
    var encoders = ParameterEncoders()
    encoders.query = Fixed()
    #expect(encoders.format == .standard)
    let builder = RequestBuilder(baseURL: try BaseURL(host: "h"), encoders: encoders)
    let request = Request.get("a", parameters: ["t": ["x"]])
    #expect(try builder.build(request).url.query() == "fixed")
    #expect(try builder.build(request.with(.queryFormat(.form()))).url.query() == "t=x")
    encoders.format = .php
    #expect(encoders.format == .php)
    #expect(try encoders.query.encode(["t": ["x"]]) == .query("t%5B0%5D=x"))
  }
}
