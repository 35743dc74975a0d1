import Foundation
import Mocking
import Networking
import Promises
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct MockProviderTests {
  private enum API: RequestConvertible {
    case boards
    case board(Int)
    case upload(Data)
    case real

    static let baseURL: URL? = URL(string: "https://api.example.com/")

    var request: Request {
      switch self {
      case .boards: .get("boards")
      case .board(let id): .get("boards/\(id)")
      case .upload(let data): .upload(data: data, to: "files")
      case .real: .get("real")
      }
    }
  }

  private let network = FakeTransport { _ in .response(299) }

  private func client(
    _ mode: RequestMode = .async, _ provider: MockProvider<API>
  ) -> Networking<API> {
    var configuration = NetworkingConfiguration()
    configuration.cookies = .none
    let client = Networking(
      mode: mode, mockProvider: provider, transport: network, configuration: configuration)
    client.callbackContext = .inline
    return client
  }

  @Test func answersComeByEndpointAndNilIsTheRealNetwork() async throws {
    let networking = client(
      .async,
      MockProvider { endpoint in
        switch endpoint {
        case .boards: .json([["id": 1]])
        case .board(let id) where id > 100: .status(404)
        case .board(let id): .json(["id": .int(id)])
        case .upload, .real: nil
        }
      })
    #expect(try await networking.request(.boards).toJson().value[0]["id"] == 1)
    #expect(try await networking.request(.board(7)).toJson().value == ["id": 7])
    #expect(try await networking.request(.board(101)).value.status == 404)
    #expect(try await networking.request(.real).value.status == 299)
    #expect(network.requests.map(\.url.path) == ["/real"])
  }

  @Test func aDelayTakesVirtualTime() async throws {
    let clock = RecordingScheduler()
    let networking = client(
      .async, MockProvider(delay: .seconds(30), scheduler: clock) { _ in .text("late") })
    let promise = networking.request(.boards).toString()
    #expect(await clock.scheduled(1) == [.seconds(30)])
    await clock.time.advance(by: .seconds(29))
    #expect(promise.stillPends)
    await clock.time.advance(by: .seconds(1))
    #expect(try await promise.value == "late")
  }

  @Test func aFailureHasItsCode() async {
    let networking = client(.async, MockProvider { _ in .failure(.connectionLost) })
    let result = await networking.request(.boards).result
    #expect(result.failure(as: NetworkError.self)?.code == .connectionLost)
  }

  @Test func cancellingWhileTheAnswerIsDueStopsItsTimer() async {
    let clock = RecordingScheduler()
    let networking = client(
      .async, MockProvider(delay: .seconds(30), scheduler: clock) { _ in .text("late") })
    let promise = networking.request(.boards)
    _ = await clock.scheduled(1)
    promise.cancel()
    #expect(await promise.result.error is CancellationError)
    #expect(clock.time.scheduledCount == 0)
  }

  @Test func aModeMeansTheSameForMocks() async {
    let clock = RecordingScheduler()
    let networking = client(
      .limited(2), MockProvider(delay: .seconds(1), scheduler: clock) { _ in .text("x") })
    let promises = (0..<4).map { _ in networking.request(.boards) }
    #expect(await clock.scheduled(2).count == 2)
    #expect(clock.time.scheduledCount == 2)
    await clock.time.advance(by: .seconds(1))
    #expect(await clock.scheduled(4).count == 4)
    await clock.time.advance(by: .seconds(1))
    for promise in promises { #expect((try? await promise.value.status) == 200) }
  }
}
