import Foundation
import Mocking
import Networking
import NetworkingValues
import Promises
import TestGate
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private struct User: Decodable, Equatable, Sendable {
  let name: String
  let dob: Date
}

/// Accepts responses with an entity tag.
private struct CustomValidator: ResponseValidating {
  func validate(_ response: Response) throws {
    guard response.headers.contains("ETag") else { throw TestError("no tag") }
  }
}

/// Malibu: responses and their promises.
@Suite(.gated)
struct MalibuResponseTests {
  private let server: MockServer
  private let networking: Networking<SharkywatersEndpoint>

  init() throws {
    server = try sampleServer {
      Route(.get, "/api/boards", .json(["boards": Board.samples]).header("ETag", "\"v1\""))
      Route(.get, "/api/boards/404", .text("missing", status: 404))
      Route(.get, "/api/boards/1", .text("a board"))
      Route(.get, "/api/boards/2", .json([1, 2, 3]))
      Route(.delete, "/api/boards/11", .fault(.reset))
    }
    networking = Networking(to: server)
  }

  @Test("M18: three requests") func requests() async throws {
    let (printed, errors) = (Log<[String: JSON]>(), Log<any Error>())
    // sample M18
    let networking = Networking<SharkywatersEndpoint>(to: server)

    networking.request(.fetchBoards)
      .validate()
      .toJsonDictionary()
      .done { data in
        printed.append(data)
      }

    networking.request(.createBoard(type: 2, title: "Balsa Fish"))
      .validate()
      .toJsonDictionary()
      .done { data in
        printed.append(data)
      }

    networking.request(.deleteBoard(id: 11))
      .fail { error in
        errors.append(error)
      }
    // end
    let objects = await printed.entries(2)
    #expect(objects.contains { $0["boards"]?[1]["title"] == "Longboard" })
    #expect(objects.contains([:]))
    #expect((await errors.entries(1).first as? NetworkError)?.code == .connectionLost)
  }

  @Test("M19: a response has its data, URLRequest and HTTPURLResponse; a promise can be cancelled")
  func response() async throws {
    let response = try await networking.request(.fetchBoards).value
    // sample M19
    let data: Data = response.data
    let request: URLRequest = response.request.urlRequest
    let urlResponse: HTTPURLResponse? = response.httpURLResponse
    // end
    #expect(try JSON(parsing: data)["boards"][0]["id"] == 1)
    #expect(request.url?.absoluteString == "http://sharkywaters.com/api/boards")
    #expect(request.httpMethod == "GET" && urlResponse?.statusCode == 200)
    #expect(urlResponse?.value(forHTTPHeaderField: "ETag") == "\"v1\"")
  }

  @Test("M19b: cancelling closes the connection") func cancellation() async throws {
    let server = try MockServer {
      Route(.get, "/api/boards", .text("never").interrupted(by: .stall, at: .request))
    }
    let networking = Networking<SharkywatersEndpoint>(to: server)
    let networkPromise = networking.request(.fetchBoards)
    let received = try await server.takeRequest().value
    // sample M19b
    networkPromise.cancel()
    // end
    #expect(try await server.closing(of: received).value.wasAborted)
    #expect(await networkPromise.result.error is CancellationError)
  }

  @Test("M22: serialization") func serialization() async throws {
    // sample M22
    let networkPromise = networking.request(.fetchBoards)

    let data: Promise<Data> = networkPromise.toData()
    let string: Promise<String> = networkPromise.toString()
    let array: Promise<[JSON]> = networking.request(.showBoard(id: 2)).toJsonArray()
    let dictionary: Promise<[String: JSON]> = networkPromise.toJsonDictionary()
    // end
    #expect(try await data.value == Data(string.value.utf8))
    #expect(try await array.value == [1, 2, 3])
    #expect(try await dictionary.value["boards"]?[0]["title"] == "Balsa Fish")
    let wrong = await networkPromise.toJsonArray().result.failure(as: NetworkError.self)
    #expect(wrong?.code == .jsonFailed)
  }

  @Test("M23: validation") func validation() async throws {
    let accepted = [
      // sample M23
      networking.request(.fetchBoards).validate(),

      networking.request(.fetchBoards).validate(
        contentTypes: ["application/json; charset=utf-8"]
      ),

      networking.request(.fetchBoards).validate(statusCodes: [200]),

      networking.request(.fetchBoards).validate(using: CustomValidator()),
      // end
    ]
    for promise in accepted { #expect(try await promise.value.status == 200) }
    let missing = networking.request(.showBoard(id: 404))
    let errors = [
      await missing.validate().result.failure(as: NetworkError.self)?.code,
      await missing.validate(contentTypes: ["application/json; charset=utf-8"]).result
        .failure(as: NetworkError.self)?.code,
      await missing.validate(statusCodes: [200]).result.failure(as: NetworkError.self)?.code,
    ]
    #expect(
      errors == [
        .unacceptableStatus(404), .unacceptableContentType("text/plain"),
        .unacceptableStatus(404),
      ])
    let custom = await missing.validate(using: CustomValidator()).result.error
    #expect(custom as? TestError == TestError("no tag"))
  }

  @Test("M23b: a type that Accept does not name is rejected") func acceptedType() async throws {
    // sample M23b
    let promise = networking.request(.showBoard(id: 1)).validate()
    // end
    let error = await promise.result.failure(as: NetworkError.self)
    #expect(error?.code == .unacceptableContentType("text/plain"))
    #expect(error?.response?.status == 200)
  }

  @Test("M24: decoding") func decoding() async throws {
    let users = try MockServer {
      Route(.get, "/api/boards", .json(["name": "Ada", "dob": "1985-12-10T00:00:00Z"]))
    }
    let networkPromise = Networking<SharkywatersEndpoint>(to: users).request(.fetchBoards)
    // sample M24
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .iso8601

    let user = networkPromise.decode(User.self, decoder: decoder)
    // end
    let date = try Date("1985-12-10T00:00:00Z", strategy: .iso8601)
    #expect(try await user.value == User(name: "Ada", dob: date))
  }

  @Test("M26: a chain of validation, text, then and done") func chain() async throws {
    let lengths = Log<Int>()
    let networkPromise = networking.request(.showBoard(id: 1))
    // sample M26
    networkPromise
      .validate(statusCodes: [200])
      .toString()
      .then { string in
        string.count
      }
      .done { count in
        lengths.append(count)
      }
    // end
    #expect(await lengths.entries(1) == ["a board".count])
  }
}
