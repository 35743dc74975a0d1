import Foundation
import Mocking
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingValues

/// Forms in responses, and serializers of results.
@Suite(.gated)
struct FormSerializerTests {
  private func form(_ text: String) throws -> JSON {
    try FormSerializer().serialize(
      Response(
        head: .init(status: 200), data: Data(text.utf8),
        request: HTTPRequest(url: .of("https://a.example/"))))
  }

  @Test(
    arguments: [
      ("", [:]), ("&&", [:]), ("a=1", ["a": "1"]), ("a", ["a": ""]), ("a=", ["a": ""]),
      ("=1", ["": "1"]), ("a=b=c", ["a": "b=c"]), ("a=1&b=2&a=3", ["a": ["1", "3"], "b": "2"]),
      ("a+b=c+d%2B%20", ["a b": "c d+ "]), ("%C3%A9=%E2%82%AC", ["é": "€"]),
      ("a=100%&b%zz=1", ["a": "100%", "b%zz": "1"]), ("a[b]=1", ["a[b]": "1"]),
    ] as [(String, JSON)])
  func aFormHasAMemberForEachName(_ text: String, _ expected: JSON) throws {
    #expect(try form(text) == expected)
  }

  @Test func aFormThatIsNotTextIsRejected() async throws {
    let transport = MockTransport { Route(.get, "/", .data(Data([0x61, 0xFF]))) }
    let client = Networking<Request>(baseURL: .of("https://a.example/"), transport: transport)
    let error = await client.request(.get("")).toForm().result.failure(as: NetworkError.self)
    #expect(error?.code == .stringFailed && error?.response?.status == 200)
  }

  private struct Outcomes: ResultSerializing {
    let log = Log<String>()

    func serialize(_ result: Result<Response, any Error>) throws -> Int? {
      log.append("\(result.error.map { "\(type(of: $0))" } ?? "response")")
      if case .failure(let error) = result, error is NetworkError { return nil }
      return try result.get().status
    }
  }

  @Test func aSerializerOfResultsReceivesResponsesAndErrorsButNoCancellation() async throws {
    let outcomes = Outcomes()
    let response = Response(
      head: .init(status: 204), data: Data(), request: HTTPRequest(url: .of("https://a.example/")))
    func serialize(_ promise: NetworkPromise) async -> Result<Int?, any Error> {
      await promise.serialize(using: outcomes).result
    }
    #expect(try await serialize(.fulfilled(response)).get() == 204)
    #expect(try await serialize(.rejected(NetworkError(.connectionLost))).get() == nil)
    #expect(await serialize(.rejected(TestError("own"))).error as? TestError == TestError("own"))
    #expect(await serialize(.rejected(CancellationError())).error is CancellationError)
    #expect(outcomes.log.entries == ["response", "NetworkError", "TestError"])
  }
}
