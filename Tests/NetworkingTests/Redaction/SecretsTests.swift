import Foundation
import Mocking
import MockingRecordings
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
import NetworkingTracing

/// Secrets in any part of a session do not appear in printed or stored text.
@Suite(.gated)
struct SecretLeakTests {
  private let time = TestScheduler()
  private let log = Log<String>()

  private func prints(_ value: Any) -> String { Self.prints(value) }

  /// Returns all textual representations of a value.
  private static func prints(_ value: Any) -> String {
    var text = "\(value)\n\(String(reflecting: value))\n"
    dump(value, to: &text)
    if let error = value as? any Error { text += "\n" + error.localizedDescription }
    for child in Mirror(reflecting: value).children { text += "\n\(child.value)" }
    return text
  }

  private func configuration(
    _ level: LoggingConfiguration.Level, _ store: OfflineStore
  ) -> NetworkingConfiguration {
    var configuration = NetworkingConfiguration.plain
    configuration.headers = ["X-Api-Key": "s3cret-00", "X-Client": "kept"]
    configuration.scheduler = time
    configuration.retry = .immediate(limit: 1)
    configuration.offline = .store(store)
    configuration.secretNames = ["X-Seeded-Tenant", "seeded_iban"]
    configuration.logging = LoggingConfiguration(
      level, to: ClosureLogger { [log] in log.append("\($0)\n\(String(reflecting: $0))") })
    configuration.monitors = [Printing(log: log)]
    return configuration
  }

  private struct Printing: NetworkMonitor {
    let log: Log<String>

    func observe(_ event: NetworkEvent) {
      var text = "\(event)\n\(String(reflecting: event))"
      dump(event, to: &text)
      log.append(text)
    }
  }

  private static let routes: [Route] = [
    Route(
      .post, "/login",
      Mock.json(["access_token": "s3cret-01", "seeded_iban": "s3cret-02"])
        .header("Set-Cookie", "session=s3cret-03").header("X-Seeded-Tenant", "s3cret-04")),
    Route(
      .get, "/old",
      Mock.redirect(to: "https://u:s3cret-05@api.example.com/new?sig=s3cret-06#s3cret-07")),
    Route(
      .get, "/new", Mock.json(["password": "s3cret-08", "seeded_iban": "s3cret-09"], status: 503)),
    Route(.post, "/form", .text("client_secret=s3cret-10", status: 400)),
    Route(.post, "/upload", .status(500)),
    Route(.get, "/broken", .failure(.connectionLost)),
    Route(.post, "/later", .failure(.notConnectedToInternet)),
  ]

  private static let requests: [Request] = {
    let fields: HTTPHeaders = [
      "Authorization": "Bearer s3cret-11", "Cookie": "a=s3cret-12",
      "Proxy-Authorization": "Basic s3cret-13", "X-Seeded-Tenant": "s3cret-14",
      "Referer": "https://u:s3cret-15@a.example/?token=s3cret-16",
    ]
    var form = MultipartFormData()
    form.append("s3cret-17", name: "password")
    return [
      .post(
        "login?api_key=s3cret-18",
        parameters: [
          "user": "ada", "password": "s3cret-19", "list": [["seeded_iban": "s3cret-20"]],
        ],
        headers: fields),
      .get("old?access_token=s3cret-21#s3cret-22", headers: fields),
      .post(
        "form", parameters: ["client_secret": "s3cret-23", "seeded_iban": "s3cret-24"],
        contentType: .formURLEncoded),
      Request(.post, "upload", headers: fields, payload: .multipart(form)),
      .get("broken?password=s3cret-25", headers: fields),
      .post("later", parameters: ["a": 1], headers: fields, .storedOffline),
      .post("later?access_token=s3cret-27", parameters: ["a": 1], .storedOffline),
      .post("later", parameters: ["a": [["seeded_iban": "s3cret-28"]]], .storedOffline),
      .post(
        "later", parameters: ["password": "s3cret-29"], contentType: .formURLEncoded, .storedOffline
      ),
      .upload(
        data: Data(#"{"client_secret": "s3cret-30"}"#.utf8), to: "later",
        contentType: "application/json", .storedOffline),
      Request(.post, "later", payload: .multipart(form), .storedOffline),
    ]
  }()

  @Test(arguments: LoggingConfiguration.Level.allCases)
  func theOutputOfASessionHasNoSecrets(_ level: LoggingConfiguration.Level) async throws {
    let folder = TemporaryFolder()
    let store = try OfflineStore(folder: folder.url("store"))
    let configuration = configuration(level, store)
    let client = Networking<Request>(
      transport: MockTransport(routes: Self.routes, scheduler: time), configuration: configuration)
    client.baseURL = URL(string: "https://api.example.com/")
    client.callbackContext = .inline
    client.interceptors = [ExchangePrinter(log: log)]
    client.authenticate(bearerToken: "s3cret-26")
    // A request has the client's names from here on.
    client.beforeEach = { [log] request in
      log.append(Self.prints(request))
      return request
    }
    var text = prints(configuration)
    for request in Self.requests {
      text += try client.curlCommand(for: request)
      let result = Log<Result<Response, any Error>>()
      client.request(request).validate().always { result.append($0) }
      await time.run()
      switch try #require(result.entries.first) {
      case .success(let response):
        text += prints(response) + prints(response.headers) + prints(response.request)
        text += prints(response.request.headers) + response.request.curlCommand()
      case .failure(let error): text += prints(error) + prints(NetworkEvent.Failure(error))
      }
    }
    text += log.entries.joined(separator: "\n")
    let lines = text.split(separator: "\n").filter { $0.contains("s3cret") }
    #expect(lines.prefix(5).map { $0.prefix(300) } == [])
    #expect(text.contains("kept") && text.contains("***"))

    #expect(try store.count == 1)
    text = prints(try store.entries)
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.url.path) {
      let data = FileManager.default.contents(atPath: folder.url(path).path) ?? Data()
      #expect(data.range(of: Data("s3cret".utf8)) == nil, "\(path)")
    }
    #expect(!text.contains("s3cret"))
  }

  /// An interceptor that prints each exchange and forwards it.
  private struct ExchangePrinter: Interceptor {
    let log: Log<String>

    func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
      var text = "\(exchange)\n\(String(reflecting: exchange))"
      dump(exchange, to: &text)
      log.append(text)
      return next(exchange)
    }
  }

  @Test func defaultDescriptionsShowOtherValues() {
    let headers: HTTPHeaders = ["Accept": "*/*", "Authorization": "Bearer s3cret"]
    #expect(headers.description == #"["Accept": "*/*", "Authorization": "***"]"#)
    let request = HTTPRequest(
      method: .post, url: .of("https://a.example/?page=2&token=s3cret"), headers: headers,
      body: .data(Data("s3cret".utf8)))
    #expect("\(request)" == "POST https://a.example/?page=2&token=***")
    #expect("\(request.body)" == "6 bytes")
    let response = Response(head: .init(status: 200, headers: headers), request: request)
    #expect("\(response)" == "200 POST https://a.example/?page=2&token=***")
    for text in [prints(headers), prints(request), prints(response), prints(headers.fields)] {
      #expect(!text.contains("s3cret"))
    }
  }

  @Test func maskedValuesAreComparedAndEncodedUnmasked() throws {
    let headers: HTTPHeaders = ["Authorization": "one"]
    #expect(headers != ["Authorization": "two"])
    #expect(
      try JSONDecoder().decode(HTTPHeaders.self, from: JSONEncoder().encode(headers)) == headers)
  }

  @Test(arguments: [(19, false), (20, true)])
  func aTelegramTokenHasAtLeast20Characters(_ length: Int, _ isMasked: Bool) {
    let token = String(repeating: "a", count: length)
    #expect(
      Redactor.standard.maskedURL("https://api.telegram.org/bot1234:\(token)/send")
        == "https://api.telegram.org/bot1234:\(isMasked ? "***" : token)/send")
  }

  /// Formatting a longer text would take much longer than masking it as free text.
  @Test(arguments: [(16_384, true), (16_385, false)])
  func displayedJSONOfUpTo16KiBIsCompact(_ size: Int, _ isCompact: Bool) throws {
    let start = #"{ "token":"s3cret","a":""#
    let body = start + String(repeating: "x", count: size - start.utf8.count - 2) + "\"}"
    for contentType in ["application/json", nil] {
      let masked = try #require(
        Redactor.standard.maskedBody(Data(body.utf8), contentType: contentType))
      #expect(masked.hasPrefix(isCompact ? #"{"a":"x"# : #"{ "token":"***","a""#))
      #expect(!masked.contains("s3cret"))
    }
  }

  @Test func theSecretsOfFourNestedMultipartBodiesAreMasked() {
    var body =
      "--b0\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\ns3cret\r\n--b0--\r\n"
    for level in 0..<4 {
      if level > 0 {
        body =
          "--b\(level)\r\nContent-Type: multipart/mixed; boundary=b\(level - 1)\r\n\r\n"
          + "\(body)\r\n--b\(level)--\r\n"
      }
      let masked = Redactor.standard.maskedBody(
        body, mimeType: "multipart/mixed; boundary=b\(level)")
      #expect(masked == body.replacing("s3cret", with: "***"))
    }
  }

  @Test func configuredNamesIgnoreCasePunctuationAndDiacritics() {
    let names = SecretNames(including: ["X-Seeded-Name", "seeded.etag", "Kontonúmmer"])
    let redactor = Redactor(names: names)
    for name in ["xSeededName", "seeded_etag", "KONTONUMMER"] {
      #expect(redactor.isSecret(name: name))
    }
    #expect(!redactor.isSecret(name: "X-Seeded-Names"))
    #expect(redactor.maskedURL("/a?x_seeded_name=1&b=2") == "/a?x_seeded_name=***&b=2")
    let body = redactor.maskedBody(
      Data(#"{"xSeededName": [1], "b": 2}"#.utf8), contentType: "application/problem+json")
    #expect(body == #"{"b":2,"xSeededName":"***"}"#)
    #expect(!Redactor.standard.isSecret(name: "X-Seeded-Name"))
  }
}
