import Foundation
import Mocking
import Networking
import NetworkingInterceptors
import NetworkingValues
import Promises
import TestGate
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Clients, copies of clients, requests and their tasks.
@Suite(.gated)
struct ConduitClientTests {
  typealias SessionClient = Networking<Request>

  private let server: MockServer

  init() throws {
    server = try MockServer {
      Route(.get, "/kittens", .json(["name": "Jingles"]))
      Route(.post, "/films", .status(201))
      Route(.get, "/film") { _ in .bytes(100_000) }
      Route(.get, "/slow") { _ in .text("...").delayed(by: .seconds(60)) }
    }
  }

  @Test("C1: an ephemeral client whose events come on a background queue")
  func backgroundEvents() async throws {
    // sample C1
    let mySessionClient = SessionClient(sessionConfiguration: .ephemeral)
    mySessionClient.callbackContext = .background
    // end
    mySessionClient.baseURL = server.url
    let isOnMainThread = Log<Bool>()
    mySessionClient.request(.get("kittens")).done { _ in isOnMainThread.append(Thread.isMainThread)
    }
    #expect(await isOnMainThread.entries(1) == [false])
  }

  @Test("C2: a copy of a client has its own middleware, over the same session")
  func copies() async throws {
    // sample C2
    enum MySessionClientManager {
      static let kittnAPISessionClient = SessionClient(sessionConfiguration: .ephemeral)
    }
    let sessionClient = MySessionClientManager.kittnAPISessionClient.copy()
    sessionClient.interceptors = [HeaderInjector { _ in ["X-Middleware": "mine"] }]
    // end
    let original = MySessionClientManager.kittnAPISessionClient
    original.baseURL = server.url
    _ = try await sessionClient.request(.get("kittens")).value
    _ = try await original.request(.get("kittens")).value
    #expect(server.receivedRequests.map { $0.headers["X-Middleware"] } == ["mine", nil])
    #expect(server.connectionCount == 1)
  }

  @Test("C4: a response that is deserialized as a dictionary of JSON")
  func begin() async throws {
    let sessionClient = SessionClient(baseURL: server.url, sessionConfiguration: .ephemeral)
    let request = Request.get("kittens")
    let responses = Log<[String: JSON]?>()
    // sample C4
    sessionClient.request(request).toJsonDictionary().always { result in
      let responseDict = try? result.get()
      responses.append(responseDict)
    }
    // end
    #expect(await responses.entries(1) == [["name": "Jingles"]])
  }

  @Test("C8: a task with the progress of its upload and its download is cancelled")
  func cancellation() async throws {
    let sessionClient = SessionClient(baseURL: server.url, sessionConfiguration: .ephemeral)
    let reports = Log<TransferProgress>()
    // sample C8
    let task = sessionClient.request(
      .get("slow"), .onProgress { progress in reports.append(progress) })
    task.cancel()
    // end
    #expect(await task.result.error is CancellationError)

    // The handlers of the progress run before those of the promise in the same serial context.
    let up = Log<TransferProgress>()
    let form = Request.upload(data: Data(repeating: 7, count: 50_000), to: "films")
    _ = try await sessionClient.request(form, .onProgress { up.append($0) })
      .then(on: .main) { $0.status }.value
    _ = try await sessionClient.request(.get("film"), .onProgress { reports.append($0) })
      .then(on: .main) { $0.status }.value
    #expect(up.entries.last?.sent.fraction == 1)
    #expect(reports.entries.last?.received.bytes == 100_000)
  }

  @Test("C20: a request is built without being sent")
  func build() throws {
    let requestBuilder = RequestBuilder(baseURL: try BaseURL(server.url))
    // sample C20
    let request = try requestBuilder.build(.get("kittens", parameters: ["limit": 3])).urlRequest
    // end
    #expect(request.url?.absoluteString == "\(server.url)/kittens?limit=3")
    #expect(server.requestCount == 0)
  }
}
