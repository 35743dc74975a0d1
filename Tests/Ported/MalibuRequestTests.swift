import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

// sample M2
enum SharkywatersEndpoint: RequestConvertible {
  case fetchBoards
  case showBoard(id: Int)
  case createBoard(type: Int, title: String)
  case updateBoard(id: Int, type: Int, title: String)
  case deleteBoard(id: Int)

  static let baseURL = "http://sharkywaters.com/api/"
  static let headers: HTTPHeaders = ["Accept": "application/json"]

  var request: Request {
    switch self {
    case .fetchBoards: .get("boards")
    case .showBoard(let id): .get("boards/\(id)")
    case .createBoard(let type, let title):
      .post("boards", parameters: ["type": type, "title": title])
    case .updateBoard(let id, _, let title): .patch("boards/\(id)", parameters: ["title": title])
    case .deleteBoard(let id): .delete("boards/\(id)")
    }
  }
}
// end

struct Board: Codable, Equatable, Sendable {
  let id: Int
  let title: String

  static let samples = [Board(id: 1, title: "Balsa Fish"), Board(id: 2, title: "Longboard")]
}

/// Malibu: requests, endpoints and content types.
@Suite(.gated)
struct MalibuRequestTests {
  /// Sends requests to a server, and returns them as received.
  private func received(
    _ requests: [Request], headers: HTTPHeaders = [:]
  ) async throws -> [ReceivedRequest] {
    let server = try sampleServer()
    let networking = Networking<Request>(to: server, mode: .sync)
    networking.baseURL = .of("http://sharkywaters.com/api/")
    for request in requests { _ = try await networking.request(request).validate().value }
    return server.receivedRequests
  }

  @Test("M1: first chain") func firstChain() async throws {
    let server = try MockServer {
      Route(.get, "/api/boards", .json(["boards": Board.samples])).where(.query("type", "1"))
    }
    defer { server.stop() }
    let site = server.url.absoluteString
    let (shown, failed, ended) = (Log<[Board]>(), Log<String>(), Log<Void>())
    // sample M1
    let request = Request.get("\(raw: site)/api/boards", parameters: ["type": 1])

    Networking.shared.request(request)
      .validate()
      .toJsonDictionary()
      .then { dictionary -> [Board] in
        try JSONDecoder().decode([Board].self, from: (dictionary["boards"] ?? .null).data())
      }
      .done { boards in
        shown.append(boards)
      }
      .fail { error in
        failed.append("\(error)")
      }
      .always { _ in
        ended.append(())
      }
    // end
    _ = await ended.entries(1)
    #expect(shown.entries == [Board.samples] && failed.entries.isEmpty)
  }

  @Test("M2: endpoints of an enumeration") func endpoints() async throws {
    let server = try sampleServer()
    let networking = Networking<SharkywatersEndpoint>(to: server, mode: .sync)
    let endpoints: [SharkywatersEndpoint] = [
      .fetchBoards, .showBoard(id: 7), .createBoard(type: 2, title: "Balsa Fish"),
      .updateBoard(id: 7, type: 2, title: "Fish"), .deleteBoard(id: 7),
    ]
    for endpoint in endpoints {
      let response = try await networking.request(endpoint).validate().value
      #expect(response.url.host() == "sharkywaters.com")
    }
    let received = server.receivedRequests
    #expect(
      received.map(\.description) == [
        "GET /api/boards", "GET /api/boards/7", "POST /api/boards", "PATCH /api/boards/7",
        "DELETE /api/boards/7",
      ])
    #expect(
      received.map(\.json) == [
        nil, nil, ["type": 2, "title": "Balsa Fish"], ["title": "Fish"], nil,
      ])
    #expect(received.allSatisfy { $0.headers["Accept"] == "application/json" })
  }

  @Test("M2b: Accept-Language, Accept-Encoding and User-Agent are included")
  func automaticHeaders() async throws {
    let request = try #require(try await received([.get("boards")]).first)
    for name in ["Accept-Language", "Accept-Encoding", "User-Agent"] {
      #expect(request.headers[name]?.isEmpty == false)
    }
  }

  @Test("M2c: header fields of an endpoint as a dictionary") func headersAsDictionary() async throws
  {
    enum Endpoint: RequestConvertible {
      case fetchBoards
      // sample M2c
      static let headers: [String: String] = [
        "Accept": "application/json"
      ]
      // end
      var request: Request { .get("http://sharkywaters.com/api/boards") }
    }
    let server = try sampleServer()
    _ = try await Networking<Endpoint>(to: server).request(.fetchBoards).validate().value
    #expect(server.receivedRequests.map { $0.headers["Accept"] } == ["application/json"])
  }

  @Test("M3: a request with all its properties") func completeRequest() async throws {
    // sample M3
    let request = Request(
      .get,
      "boards",
      parameters: ["type": 1, "text": "classic"],
      headers: ["custom": "header"],
      contentType: .query,
      .store(.none),
      .cache(.default))
    // end
    let received = try #require(try await received([request]).first)
    #expect(received.target == "/api/boards?type=1&text=classic")
    #expect(received.headers["custom"] == "header" && received.body.isEmpty)
  }

  @Test("M4: a helper for each method") func helpers() async throws {
    let (kind, title) = (2, "Balsa Fish")
    // sample M4
    let getRequest = Request.get("boards")
    let postRequest = Request.post(
      "boards",
      parameters: ["type": kind, "title": title],
      contentType: .formURLEncoded)
    let putRequest = Request.put("boards/1", parameters: ["type": kind, "title": title])
    let patchRequest = Request.patch("boards/1", parameters: ["title": title])
    let deleteRequest = Request.delete("boards/1")
    // end
    let received = try await received([
      getRequest, postRequest, putRequest, patchRequest, deleteRequest,
    ])
    #expect(
      received.map(\.description) == [
        "GET /api/boards", "POST /api/boards", "PUT /api/boards/1", "PATCH /api/boards/1",
        "DELETE /api/boards/1",
      ])
    #expect(received[1].form["type"] == "2" && received[1].form["title"] == "Balsa Fish")
    #expect(received[1].headers["Content-Type"] == "application/x-www-form-urlencoded")
    #expect(received[2].json == ["type": 2, "title": "Balsa Fish"])
    #expect(received[3].json == ["title": "Balsa Fish"])
  }

  @Test("M5: data is uploaded") func upload() async throws {
    let data = Data("a picture".utf8)
    // sample M5
    let upload = Request.upload(data: data, to: "boards")
    // end
    let received = try #require(try await received([upload]).first)
    #expect(received.description == "POST /api/boards" && received.body == data)
  }

  @Test("M5b: parameters are uploaded as a multipart form") func multipartUpload() async throws {
    // sample M5b
    let upload = Request.post(
      "http://api.loc/posts", parameters: ["key": "value"],
      contentType: .multipartFormData)
    // end
    let received = try #require(try await received([upload]).first)
    #expect(received.description == "POST /posts")
    #expect(received.headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
    #expect(received.part("key")?.text == "value" && received.parts.count == 1)
  }

  @Test("M6: content types") func contentTypes() async throws {
    // sample M6
    let contentTypes: [ContentType] = [
      .query, .formURLEncoded, .json, .multipartFormData, .custom("text/x-board"),
    ]
    // end
    let requests = contentTypes.map { type in
      Request.post(
        "boards", parameters: type == .custom("text/x-board") ? "Fish" : ["title": "Balsa Fish"],
        contentType: type)
    }
    let received = try await received(requests)
    #expect(received[0].query["title"] == "Balsa Fish" && received[0].body.isEmpty)
    #expect(received[1].form["title"] == "Balsa Fish")
    #expect(received[2].json == ["title": "Balsa Fish"])
    #expect(received[3].part("title")?.text == "Balsa Fish")
    #expect(received[4].text == "Fish" && received[4].headers["Content-Type"] == "text/x-board")
  }

  @Test("M21: the shared client") func sharedClient() async throws {
    let server = try sampleServer()
    let site = server.url.absoluteString
    // sample M21
    let promise = Networking.shared.request(Request.get("\(raw: site)/api/boards"))
    // end
    #expect(try await promise.validate().value.status == 200)
    #expect(server.receivedRequests.map(\.description) == ["GET /api/boards"])
  }
}
