import Foundation
import Mocking
import MockingRecordings
import Networking
import NetworkingTracing
import Promises
import TestGate
import TestSupport
import Testing

/// The names of secrets of one client do not change what another client does.
@Suite(.gated)
struct ClientSecretNamesTests {
  private let folder = TemporaryFolder()

  /// A client, and what its requests leave behind.
  private struct Traces {
    let client: Networking<Request>
    let network: FakeTransport
    let tape: Tape
    let log: Log<String>
  }

  private func makeTraces(_ name: String, secretNames: Set<String>) throws -> Traces {
    let network = FakeTransport { request in
      switch request.url.path {
      case "/elsewhere": .response(302, ["Location": "https://b.test/end"])
      case "/end": .response(200)
      default:
        .response(
          400, ["Content-Type": "application/json", "X-Region": "north"], #"{"region":"north"}"#)
      }
    }
    let tape = try Tape(folder.url("\(name).har"), over: network)
    let log = Log<String>()
    var configuration = NetworkingConfiguration()
    configuration.retry = .never
    configuration.secretNames = secretNames
    configuration.logging = LoggingConfiguration(
      .verbose, to: ClosureLogger { log.append("\($0)") })
    let client = Networking<Request>(transport: tape, configuration: configuration)
    client.addMonitor { event in log.append("\(event.kind) \(String(reflecting: event))") }
    return Traces(client: client, network: network, tape: tape, log: log)
  }

  private static let request = Request.post(
    "https://a.test/a?region=north", parameters: ["region": "north"],
    headers: ["X-Region": "north"])

  /// Returns all texts that a request leaves behind.
  private func texts(of traces: Traces) async throws -> [String] {
    let result = await traces.client.request(Self.request).validate().result
    await traces.client.flush()
    var texts = [try traces.client.curlCommand(for: Self.request)]
    switch result {
    case .success: Issue.record("the status is acceptable")
    case .failure(let error as NetworkError):
      texts += ["\(error)", String(describing: error.response?.headers)]
    case .failure(let error): throw error
    }
    texts.append(traces.log.entries.joined(separator: "\n"))
    let entries = traces.tape.entries
    texts.append(entries.map { "\($0.request.url) \($0.request.headers)" }.joined())
    texts.append(entries.map { "\($0.response.content.text ?? "")" }.joined())
    return texts
  }

  @Test func theNamesOfAnotherClientAreNotMasked() async throws {
    let naming = try makeTraces("naming", secretNames: ["X-Region", "region"])
    let other = try makeTraces("other", secretNames: [])
    for text in try await texts(of: naming) {
      #expect(!text.contains("north"))
      #expect(text.contains("***"))
    }
    for text in try await texts(of: other) {
      #expect(text.contains("north"))
      #expect(!text.contains("***"))
    }
  }

  @Test func aRedirectRemovesTheSecretsOfItsClientOnly() async throws {
    let request = Request.get("https://a.test/elsewhere", headers: ["X-Region": "north"])
    for (names, isSent) in [(["X-Region"], false), ([], true)] as [(Set<String>, Bool)] {
      let traces = try makeTraces("redirect-\(isSent)", secretNames: names)
      _ = try await traces.client.request(request).value
      let last = try #require(traces.network.requests.last)
      #expect(last.url.host == "b.test")
      #expect(last.headers.contains("X-Region") == isSent)
    }
  }

  @Test func theStoreOfAClientRejectsItsSecretsOnly() async throws {
    for (names, isStored) in [(["region"], false), ([], true)] as [(Set<String>, Bool)] {
      var configuration = NetworkingConfiguration()
      configuration.retry = .never
      configuration.secretNames = names
      configuration.offline = .temporary
      let client = Networking<Request>(
        transport: FakeTransport { _ in
          [.failure(TransportFailure(code: .notConnectedToInternet))]
        }, configuration: configuration)
      let request = Request.post("https://a.test/a", parameters: ["region": "north"])
      let result = await client.request(request, .storedOffline).result
      guard case .failure(let error as NetworkError) = result else {
        Issue.record("the request did not fail")
        continue
      }
      #expect(error.isStoredOffline == isStored)
      #expect(try client.offlineStore.count == (isStored ? 1 : 0))
    }
  }

  /// A recording without the names of the client would not match its masked requests.
  @Test func aRecordingOfAClientIsReplayedToIt() async throws {
    let traces = try makeTraces("replay", secretNames: ["region"])
    _ = await traces.client.request(Self.request).result
    try traces.tape.save()
    let tape = try Tape(replaying: folder.url("replay.har"))
    var configuration = NetworkingConfiguration()
    configuration.retry = .never
    configuration.secretNames = ["region"]
    let client = Networking<Request>(transport: tape, configuration: configuration)
    #expect(try await client.request(Self.request).value.status == 400)
  }
}
