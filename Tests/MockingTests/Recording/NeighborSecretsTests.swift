import Foundation
import Mocking
import MockingRecordings
import Networking
import NetworkingTracing
import Promises
import TestGate
import TestSupport
import Testing

/// Secrets that are named by a neighbor, in every place that masks secrets.
@Suite(.gated)
struct NeighborSecretsTests {
  /// A body or a query with a value.
  struct Shape: Sendable, CustomTestStringConvertible {
    let text: String
    /// The media type of the body, or `nil` for a query.
    let type: String?

    init(_ type: String?, _ text: String) {
      (self.type, self.text) = (type, text)
    }

    var testDescription: String { text }

    var request: Request {
      guard let type else { return .post(RequestPath(raw: "https://a.test/b?\(text)")) }
      return .upload(data: Data(text.utf8), to: "https://a.test/b", contentType: type)
    }
  }

  private static let (json, xml) = ("application/json", "application/xml")

  private static let secrets = [
    // JSON Patch, in both orders, and with positions.
    Shape("application/json-patch+json", #"[{"op":"add","path":"/password","value":"S3cretVal"}]"#),
    Shape(json, #"{"value":"S3cretVal","op":"replace","path":"/users/7/password/0"}"#),
    Shape(json, #"{"op":"replace","path":"user.password","value":"S3cretVal"}"#),
    // JSON in a query.
    Shape(nil, "filter=%7B%22password%22%3A%22S3cretVal%22%7D&page=2"),
    Shape(nil, "pairs=%5B%5B%22password%22,%22S3cretVal%22%5D%5D"),
    Shape(nil, "ops=%5B%7B%22path%22:%22/password%22,%22value%22:%22S3cretVal%22%7D%5D"),
    // JSON in a form.
    Shape("application/x-www-form-urlencoded", "a=%7B%22password%22:+%22S3cretVal%22%7D&b=c"),
    // Comments, character data and elements within elements.
    Shape(xml, "<a><password><!-- c -->S3cretVal</password></a>"),
    Shape(xml, "<password>a<b/>S3cretVal</password>"),
    Shape(xml, "<password><plain><b>S3cretVal</b></plain></password>"),
    Shape(xml, "<password><plain><![CDATA[S3cretVal]]></plain></password>"),
    Shape(xml, "<Field Name='password'><V>S3cretVal</V></Field>"),
    // Columns.
    Shape("text/csv", "name,password\r\nbob,S3cretVal\r\n"),
    Shape("text/csv; charset=utf-8", "\"Mot de passe\";name\n\"a\"\"S3cretVal\nb\";bob\n"),
    Shape("text/tab-separated-values", "name\tpassword\nbob\tS3cretVal\n"),
    // Arrays.
    Shape(json, #"[["name","bob"],["password","S3cretVal"]]"#),
    Shape(json, #"{"fields":[["password","S3cretVal"]]}"#),
    Shape(json, #"["password","S3cretVal"]"#),
    // Names in other languages, and other names.
    Shape(json, #"{"mot_de_passe":"S3cretVal"}"#), Shape(json, #"{"contraseña":"S3cretVal"}"#),
    Shape(json, #"{"senhaAtual":"S3cretVal"}"#), Shape(json, #"{"wachtwoord":"S3cretVal"}"#),
    Shape(json, #"{"пароль":"S3cretVal"}"#), Shape(xml, "<hasło>S3cretVal</hasło>"),
    Shape(json, #"{"socialSecurityNumber":"S3cretVal"}"#), Shape(json, #"{"refresh":"S3cretVal"}"#),
    Shape(nil, "contrase%C3%B1a=S3cretVal"), Shape("text/csv", "имя,Пароль\nbob,S3cretVal\n"),
  ]

  /// Texts that resemble them.
  private static let innocents = [
    Shape("application/json-patch+json", #"[{"op":"replace","path":"/name","value":"N1ceVal8x"}]"#),
    Shape(json, #"{"path":"config/secrets.yml","content":"N1ceVal8x"}"#),
    Shape(json, #"{"path":"/passwords/7/name","value":"N1ceVal8x"}"#),
    Shape(nil, "filter=%7B%22name%22%3A%22N1ceVal8x%22%7D&page=2"),
    Shape(xml, "<a><name><!-- password -->N1ceVal8x</name></a>"),
    Shape(xml, "<a><password></password><b>N1ceVal8x</b></a>"),
    Shape(xml, "<div id='password'><p>N1ceVal8x</p></div>"),
    Shape(xml, "<signature><id>N1ceVal8x</id></signature>"),
    Shape("text/csv", "name,email\r\nbob,N1ceVal8x\r\n"),
    Shape("text/csv", "name,passenger\r\npassword,N1ceVal8x\r\n"),
    Shape(json, #"{"required":["password","email"],"a":"N1ceVal8x"}"#),
    Shape(json, #"["password","email","N1ceVal8x"]"#), Shape(json, #"[["name","N1ceVal8x"]]"#),
    Shape(json, #"{"desenhar":"N1ceVal8x","hasLocation":"N1ceVal8x"}"#),
    Shape(json, #"{"theSlogan":"N1ceVal8x","bypassOrder":"N1ceVal8x"}"#),
    Shape(json, #"{"refresh":"30s N1ce","refresh_rate":"N1ceVal8x"}"#),
    Shape(json, #"{"refresh":"PT1H30M","refreshInterval":"N1ceVal8x"}"#),
    Shape(json, #"{"note":"a contraseña is a password, N1ceVal8x"}"#),
  ]

  /// Sends a body or a query, which the server returns with an error, and returns all texts.
  private func texts(of shape: Shape) async throws -> [(place: String, text: String)] {
    let folder = TemporaryFolder()
    let network = FakeTransport { request in
      guard case .data(let body) = request.body else { return .response(400, [:], "") }
      return .response(
        400, ["Content-Type": request.headers["Content-Type"] ?? ""],
        String(decoding: body, as: UTF8.self))
    }
    let tape = try Tape(folder.tape, over: network)
    let log = Log<String>()
    var configuration = NetworkingConfiguration()
    configuration.retry = .never
    configuration.logging = LoggingConfiguration(
      .verbose, to: ClosureLogger { log.append("\($0)") })
    let client = Networking<Request>(transport: tape, configuration: configuration)
    let result = await client.request(shape.request).validate().result
    await client.flush()
    guard case .failure(let error) = result else { return [] }
    let curl = try client.curlCommand(for: shape.request)
    try tape.save()
    let recording = String(decoding: try Data(contentsOf: folder.tape), as: UTF8.self)
    return [
      ("log", log.entries.joined(separator: "\n")), ("error", "\(error)"), ("curl", curl),
      ("recording", recording),
    ]
  }

  private func refusal(of shape: Shape) throws -> NetworkError.Code? {
    let folder = TemporaryFolder()
    return try withExtendedLifetime(folder) {
      let store = try OfflineStore(folder: folder.url("store"))
      do {
        try store.add(shape.request)
        return nil
      } catch let error as NetworkError {
        return error.code
      }
    }
  }

  @Test(arguments: secrets) func aSecretIsMaskedEverywhere(_ shape: Shape) async throws {
    let texts = try await texts(of: shape)
    #expect(texts.count == 4)
    for (place, text) in texts {
      #expect(!text.contains("S3cretVal"), "\(place)")
      #expect(text.contains("***"), "\(place)")
    }
    #expect(try refusal(of: shape) == .offlineStoreRefused)
  }

  @Test(arguments: innocents) func anInnocentValueIsKeptEverywhere(_ shape: Shape) async throws {
    let texts = try await texts(of: shape)
    #expect(texts.count == 4)
    for (place, text) in texts {
      #expect(text.contains("N1ceVal8x"), "\(place)")
      #expect(!text.contains("***"), "\(place)")
    }
    #expect(try refusal(of: shape) == nil)
  }
}
