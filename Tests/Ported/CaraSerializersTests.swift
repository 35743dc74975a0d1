import Foundation
import Mocking
import Networking
import NetworkingValues
import Promises
import TestGate
import TestSupport
import Testing

/// Serializers of responses, and bodies of encodable values.
@Suite(.gated)
struct CaraSerializersTests {
  struct User: Codable, Hashable, Sendable {
    var name: String
  }

  private let server: MockServer
  private let service: Networking<Request>

  init() throws {
    server = try MockServer {
      Route(.get, "/user", .json(["name": "Ada"]))
      Route(.get, "/users", .json([["name": "Ada"], ["name": "Bob"]]))
      Route(.get, "/snake", .json(["first_name": "Ada"]))
      Route(.get, "/broken") { _ in .fault(.reset) }
      Route(.post, "/users") { request in .data(request.body, contentType: "application/json") }
    }
    service = Networking(baseURL: server.url, sessionConfiguration: .ephemeral)
  }

  @Test("A4: a serializer of one's own")
  func customSerializer() async throws {
    // sample A4
    struct CustomSerializer: ResponseSerializing {
      enum Output: Hashable, Sendable {
        case success(name: String)
        case failure(status: Int)
      }

      func serialize(_ response: Response) throws -> Output {
        guard response.status == 200 else { return .failure(status: response.status) }
        return .success(name: try JSON(parsing: response.data)["name"].string ?? "")
      }
    }
    // end
    let serializer = CustomSerializer()
    let found = service.request(.get("user")).serialize(using: serializer)
    #expect(try await found.value == .success(name: "Ada"))
    let missing = service.request(.get("nobody")).serialize(using: serializer)
    #expect(try await missing.value == .failure(status: 404))
  }

  @Test("A4b: a serializer that receives the error of the transport, too")
  func serializerOfErrors() async throws {
    // sample A4b
    struct CustomSerializer: ResultSerializing {
      enum Output: Sendable {
        case success
        case failure(any Error)
      }

      func serialize(_ result: Result<Response, any Error>) -> Output {
        switch result {
        case .success: .success
        case .failure(let error): .failure(error)
        }
      }
    }
    // end
    let serializer = CustomSerializer()
    let success = try await service.request(.get("user")).serialize(using: serializer).value
    guard case .success = success else { throw TestError("\(success)") }
    let failure = try await service.request(.get("broken")).serialize(using: serializer).value
    guard case .failure(let error as NetworkError) = failure else { throw TestError("\(failure)") }
    #expect(error.code == .connectionLost)
  }

  @Test("A5: one model, several models, and a decoder")
  func codable() async throws {
    let log = Log<[User]>()
    let errors = Log<any Error>()
    // sample A5
    let request = Request.get("user")
    service.request(request).validate().decode(User.self).always { response in
      switch response {
      case .success(let model): log.append([model])
      case .failure(let error): errors.append(error)
      }
    }
    // end
    #expect(await log.entries(1) == [[User(name: "Ada")]])
    // sample A5
    let several = Request.get("users")
    service.request(several).validate().decode([User].self).always { response in
      switch response {
      case .success(let models): log.append(models)
      case .failure(let error): errors.append(error)
      }
    }
    // end
    #expect(await log.entries(2).last == [User(name: "Ada"), User(name: "Bob")])

    struct Person: Decodable, Sendable { var firstName: String }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    // sample A5
    let person = service.request(.get("snake")).validate().decode(Person.self, decoder: decoder)
    // end
    #expect(try await person.value.firstName == "Ada")
    #expect(errors.entries.isEmpty)
  }

  @Test("A11: a codable value as the body of a request")
  func codableBody() async throws {
    let user = User(name: "Ada")
    // sample A11
    let request = Request.post("users", json: user)
    // end
    #expect(try await service.request(request).validate().decode(User.self).value == user)
    #expect(server.receivedRequests[0].headers["Content-Type"] == "application/json")
  }

  @Test("A11b: a codable value that cannot be encoded rejects the request, and the error names it")
  func invalidBody() async throws {
    // sample A11b
    let request = Request.post("users", json: ["heights": [1.7, .infinity]])
    // end
    let error = await service.request(request).result.failure(as: NetworkError.self)
    #expect(error?.code == .encodingFailed)
    #expect(error.map { "\($0)".contains("heights[1]") } == true)
    #expect(server.requestCount == 0)
  }
}
