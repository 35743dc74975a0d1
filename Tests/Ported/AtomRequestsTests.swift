import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

/// The model of the samples.
struct Seatmap: Decodable, Equatable, Sendable {
  var seats: [String]
}

// sample T5
extension Seatmap {
  enum Endpoint: RequestConvertible {
    case refresh
    static var baseURL: BaseURL { get throws { try BaseURL(host: "api.alaskaair.net") } }
    var request: Request { .get("seatmap") }
  }
}
// end

/// The client of Atom, its endpoints and their results.
@Suite(.gated)
struct AtomRequestsTests {
  private let server: MockServer

  init() throws {
    server = try MockServer {
      Route(.get, "/seatmap", .json(["seats": ["1A", "1B"]]).header("Cache-Control", "max-age=60"))
      Route(.get, "/failing", .status(500))
      Route(.get, "/public", .status(204))
      Route(.get, "/slow") { _ in .text("...").delayed(by: .seconds(60)) }
    }
  }

  @Test("T1: an ephemeral client")
  func client() async throws {
    // sample T1
    let atom = Networking<Seatmap.Endpoint>(sessionConfiguration: .ephemeral)
    // end
    atom.baseURL = server.url
    #expect(try await atom.request(.refresh).validate().value.status == 200)
  }

  private func atom() -> Networking<Seatmap.Endpoint> {
    Networking(to: server)
  }

  @Test("T2: a decoded model")
  func model() async throws {
    let atom = atom()
    // sample T2
    let seatmap = try await atom.request(.refresh).validate().decode(Seatmap.self).value
    // end
    #expect(seatmap == Seatmap(seats: ["1A", "1B"]))
  }

  @Test("T3: raw data, or a status of success")
  func rawData() async throws {
    let atom = atom()
    // sample T3
    let data = try await atom.request(.refresh).validate().toData().value
    let isSuccess = (200..<300).contains(try await atom.request(.refresh).value.status)
    // end
    #expect(String(decoding: data, as: UTF8.self) == #"{"seats":["1A","1B"]}"#)
    #expect(isSuccess)
  }

  @Test("T4: hosts and paths are validated strictly, and each error names the part")
  func strictURLs() throws {
    // sample T4
    let base = try BaseURL(host: "api.alaskaair.net", path: "/v1")
    let url = try base.resolve("seatmap/\(7)")
    // end
    #expect(url.absoluteString == "https://api.alaskaair.net/v1/seatmap/7")
    for (host, path, part) in [
      ("https://api.alaskaair.net", "", "scheme"), ("api.alaskaair.net:80", "", "port"),
      ("api.alaskaair.net/v1", "", "path"), ("api alaskaair.net", "", "host"),
      ("api.alaskaair.net", "v1?a=b", "query"), ("api.alaskaair.net", "v1#a", "fragment"),
    ] {
      let result = Result { try BaseURL(host: host, path: path) }
      let error = result.failure(as: NetworkError.self)
      #expect(error?.code == .invalidURL)
      #expect(error?.reason?.contains(part) == true, "\(host) \(path): \(error?.reason ?? "-")")
    }
  }

  @Test("T5: a base URL that throws")
  func throwingBaseURL() async throws {
    enum Endpoint: RequestConvertible {
      case refresh
      static var baseURL: BaseURL { get throws { try BaseURL(host: "api.alaskaair.net:x") } }
      var request: Request { .get("seatmap") }
    }
    let error = await Networking<Endpoint>(to: server).request(.refresh).result
      .failure(as: NetworkError.self)
    #expect(error?.code == .invalidURL && server.requestCount == 0)
  }

  @Test("T9: completions run on the main queue by default")
  func mainQueue() async {
    let mark = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: mark, value: true)
    let isOnMainQueue = Log<Bool>()
    let atom = atom()
    // sample T9
    atom.request(.refresh).validate().decode(Seatmap.self).done { _ in
      isOnMainQueue.append(DispatchQueue.getSpecific(key: mark) == true)
    }
    // end
    #expect(await isOnMainQueue.entries(1) == [true])
  }

  @Test("T9b: async/await on an actor")
  func actor() async throws {
    // sample T9b
    @MainActor final class ViewModel {
      var seats: [String] = []
      func load(_ atom: Networking<Seatmap.Endpoint>) async throws {
        seats = try await atom.request(.refresh).validate().decode(Seatmap.self).value.seats
      }
    }
    // end
    let viewModel = ViewModel()
    try await viewModel.load(atom())
    #expect(await viewModel.seats == ["1A", "1B"])
  }

  @Test("T10: async/await, whose cancellation cancels the request")
  func asynchronous() async throws {
    let atom = Networking<Request>(baseURL: server.url, configuration: .isolated)
    // sample T10
    let task = Task { try await atom.request(.get("slow")).validate().value }
    // end
    let received = try await server.takeRequest().value
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    _ = try await server.closing(of: received).value
  }

  @Test("T13: a status that indicates a failure")
  func failure() async throws {
    let atom = Networking<Request>(baseURL: server.url, configuration: .isolated)
    // sample T13
    let result = await atom.request(.get("failing")).validate().result
    // end
    let error = result.failure(as: NetworkError.self)
    #expect(error?.code == .unacceptableStatus(500) && error?.response?.status == 500)
  }

  @Test("T15: the smallest endpoint")
  func smallestEndpoint() async throws {
    // sample T15
    enum Endpoint: RequestConvertible {
      case refresh
      static let baseURL = "https://api.alaskaair.net/seatmap"
      var request: Request { .get("") }
    }
    // end
    let atom = Networking<Endpoint>(to: server)
    #expect(try await atom.request(.refresh).validate().value.status == 200)
    #expect(server.receivedRequests[0].target == "/seatmap")
  }

  @Test("T16: typed throws")
  func typedThrows() async throws {
    // sample T16
    enum Endpoint: RequestConvertible {
      case refresh
      static func host() throws(NetworkError) -> BaseURL {
        try BaseURL(host: "api.alaskaair.net")
      }
      static var baseURL: BaseURL { get throws(NetworkError) { try host() } }
      var request: Request { .get("seatmap") }
    }
    // end
    let url = try Endpoint.baseURL.url
    #expect(url.absoluteString == "https://api.alaskaair.net")
    #expect(try await Networking<Endpoint>(to: server).request(.refresh).value.status == 200)
  }

  @Test("T17: a client without files")
  func ephemeral() async throws {
    // sample T17
    let atom = Networking<Seatmap.Endpoint>(sessionConfiguration: .ephemeral)
    // end
    let other = Networking<Seatmap.Endpoint>(sessionConfiguration: .ephemeral)
    for client in [atom, other] {
      client.baseURL = server.url
      #expect(try await client.request(.refresh).value.source == .network)
      #expect(try await client.request(.refresh).value.source == .cache)
    }
    #expect(server.requestCount == 2)
  }
}
