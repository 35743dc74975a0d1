import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing
import ThreadSanitizerSupport

/// Thousands of deterministic random requests over a real socket.
///
/// The received requests are decoded by an independent implementation and must equal the input.
@Suite(.gated)
struct RoundTripTests {
  private static let count = thread_sanitizer_is_on() ? 1_000 : TestSize.of(3_000, full: 10_000)

  private let server: MockServer
  private let client: Networking<Request>

  init() throws {
    var limits = MockServerLimits()
    limits.requestLineBytes = 1 << 20
    limits.headBytes = 2 << 20
    server = try MockServer(limits: limits) { Route(nil, "/{path*}") { _ in .status(204) } }
    var configuration = NetworkingConfiguration()
    configuration.cookies = .none
    client = Networking(mode: .limited(16), configuration: configuration)
    client.callbackContext = .inline
    client.baseURL = server.url
  }

  /// Sends the requests.
  ///
  /// - Returns: The received request or the error of each one.
  private func send(
    _ requests: [Request]
  ) async -> [(received: ReceivedRequest?, refusal: NetworkError.Code?)] {
    let promises = requests.enumerated().map { number, request in
      client.request(request, .headers(["Number": "\(number)"]))
    }
    var results: [Result<Response, any Error>] = []
    for promise in promises { results.append(await promise.result) }
    var received: [String: Mocking.ReceivedRequest] = [:]
    for request in server.receivedRequests { received[request.headers["Number"] ?? ""] = request }
    return results.enumerated().map { number, result in
      (received["\(number)"], result.failure(as: NetworkError.self)?.code)
    }
  }

  /// Returns the fields of a query or a form in order, as scalars.
  private func fields(_ text: some StringProtocol, plusIsSpace: Bool) -> [[[UInt32]]] {
    text.split(separator: "&").map { field in
      field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { part in
        let spaced = plusIsSpace ? part.replacingOccurrences(of: "+", with: "%20") : String(part)
        return spaced.removingPercentEncoding?.scalars ?? []
      }
    }
  }

  private func query(_ request: ReceivedRequest) -> Substring {
    request.target.unicodeScalars.firstIndex(of: "?").map {
      request.target[request.target.unicodeScalars.index(after: $0)...]
    } ?? ""
  }

  @Test func pathsArriveUnchanged() async {
    var random = RandomValues(seed: 11)
    let texts = (0..<Self.count).map { _ in (random.text(), random.text(), random.text()) }
    let requests = texts.map { Request.get("a/\($0.0)/b/\($0.1)?q=\($0.2)") }
    for (text, outcome) in zip(texts, await send(requests)) {
      guard ![text.0, text.1].contains(where: { ["", ".", ".."].contains($0) }) else {
        #expect(outcome.refusal == .invalidURL && outcome.received == nil)
        continue
      }
      guard let received = outcome.received else {
        Issue.record("\(text): \(String(describing: outcome.refusal))")
        continue
      }
      #expect(
        received.path.segments.map(\.scalars) == ["a", text.0, "b", text.1].map(\.scalars))
      #expect(fields(query(received), plusIsSpace: false) == [["q", text.2].map(\.scalars)])
    }
  }

  @Test func headersArriveOrAreRejected() async {
    var random = RandomValues(seed: 12)
    let fields = (0..<Self.count).map { number in
      // Most random names are rejected.
      (number % 4 == 0 ? "X" + random.text() : "X-Name", random.text(), random.text())
    }
    let requests = fields.map { Request.get("a", headers: [$0.0: $0.1, "Y": "y", $0.0: $0.2]) }
    var arrived = 0
    for (field, outcome) in zip(fields, await send(requests)) {
      let (name, values) = (field.0, [field.1, field.2])
      let isFine =
        name.unicodeScalars.allSatisfy { Self.token.contains($0) }
        && values.joined().unicodeScalars.allSatisfy { scalar in
          scalar == "\t" || scalar.value >= 0x20 && scalar.value != 0x7F
        }
      #expect((outcome.refusal == .invalidHeader) == !isFine, "\(field)")
      #expect((outcome.received != nil) == isFine, "\(field)")
      arrived += outcome.received == nil ? 0 : 1
      // URLSession joins the values of a name.
      #if os(Linux)
        guard let received = outcome.received else { continue }
        // Leading and trailing whitespace is not part of a value (RFC 9110 section 5.5).
        let trimmed = values.map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " \t")) }
        #expect(received.headers.values(for: name).map(\.scalars) == trimmed.map(\.scalars))
      #endif
    }
    #expect(arrived > Self.count / 4)
  }

  private static let token = CharacterSet(
    charactersIn: "!#$%&'*+-.^_`|~0123456789"
      + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")

  @Test func treesArriveAsQueryFormAndJSON() async throws {
    var random = RandomValues(seed: 13)
    let trees = (0..<Self.count).map { _ in random.parameters() }
    let requests = trees.enumerated().map { number, tree -> Request in
      switch number % 3 {
      case 0: .get("a", parameters: tree)
      case 1: .post("a", parameters: tree, contentType: .formURLEncoded)
      default: .post("a", parameters: tree, contentType: .json)
      }
    }
    var arrived = 0
    for (number, (tree, outcome)) in zip(trees, await send(requests)).enumerated() {
      guard number % 3 == 2 || hasFieldNames(tree["root"] ?? .null) else {
        #expect(outcome.refusal == .encodingFailed && outcome.received == nil, "\(tree)")
        continue
      }
      arrived += 1
      guard let received = outcome.received else {
        Issue.record("\(tree): \(String(describing: outcome.refusal))")
        continue
      }
      switch number % 3 {
      case 0: #expect(fields(query(received), plusIsSpace: false) == leaves(tree))
      case 1: #expect(fields(received.text, plusIsSpace: true) == leaves(tree))
      default: #expect(try JSON(parsing: received.body) == JSON(received: tree))
      }
    }
    #expect(arrived > Self.count / 2)
  }

  /// Returns whether all names of members can be written in brackets.
  private func hasFieldNames(_ tree: Parameters) -> Bool {
    switch tree {
    case .array(let values): values.allSatisfy(hasFieldNames)
    case .dictionary(let members):
      members.allSatisfy { member in
        !member.name.isEmpty
          && !member.name.unicodeScalars.contains { "[]".unicodeScalars.contains($0) }
          && hasFieldNames(member.value)
      }
    default: true
    }
  }

  /// Returns the leaves of a tree with their names, without nulls: `root[member][]` in an array of
  /// leaves, `root[member][0]` in another array.
  private func leaves(_ tree: Parameters, _ name: String = "") -> [[[UInt32]]] {
    let value: String
    switch tree {
    case .null: return []
    case .dictionary(let members):
      return members.flatMap {
        leaves($0.value, name.isEmpty ? $0.name : "\(name)[\($0.name)]")
      }
    case .array(let values):
      let elements = values.filter { !leaves($0).isEmpty }
      let hasIndices = elements.contains { element in
        switch element {
        case .array, .dictionary: true
        default: false
        }
      }
      return elements.enumerated().flatMap { index, element in
        leaves(element, hasIndices ? "\(name)[\(index)]" : name + "[]")
      }
    case .bool(let bool): value = bool ? "true" : "false"
    case .int(let int): value = "\(int)"
    case .double(let double): value = "\(double)"
    case .decimal(let decimal): value = "\(decimal)"
    case .string(let string): value = string
    case .data(let data): value = data.base64EncodedString()
    case .date(let date): value = date.ISO8601Format()
    }
    return [[name.scalars, value.scalars]]
  }
}

/// The options of an exchange do not remain on a handle that the transport uses again.
@Suite(.gated)
struct HandleReuseTests {
  static let refused: [HTTPRequest] = {
    let url = URL(fileURLWithPath: "/")
    let headers: HTTPHeaders = ["not a token": "x"]
    return [
      HTTPRequest(method: .delete, url: url, headers: headers),
      HTTPRequest(method: .head, url: url, headers: headers),
      HTTPRequest(method: .post, url: url, headers: headers, body: .data(Data("old".utf8))),
    ]
  }()

  @Test(arguments: refused)
  func aRejectedRequestDoesNotAffectTheNext(_ refused: HTTPRequest) async throws {
    let server = try MockServer { Route(nil, "/{rest*}") { _ in .text("new") } }
    defer { server.stop() }
    let transport = PlatformTransport.make()
    let url = server.url.appending(path: "next")
    // The first round uses a new handle, the second one a reused handle.
    for count in 1...2 {
      var refused = refused
      refused.url = url
      let failed = await ExchangeRecorder(transport, refused).record
      #expect(failed.failure?.code == .invalidHeader)
      let next = await ExchangeRecorder(transport, HTTPRequest(url: url)).record
      #expect(next.body == Data("new".utf8))
      #expect(server.receivedRequests.map(\.method) == Array(repeating: .get, count: count))
      #expect(server.receivedRequests.map(\.body.count).max() == 0)
    }
  }
}
