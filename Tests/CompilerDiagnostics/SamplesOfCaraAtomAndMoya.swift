// compiles
// The samples of Cara, Atom, and a client that is based on Moya, ported.
import Foundation
import Networking
import NetworkingInterceptors

// MARK: Cara

struct User: Codable, Sendable {
  var name: String
}

struct GetUser: TypedEndpoint {
  typealias ResponseType = User
  let name: String
  var request: Request { .get("users/\(name)") }
}

struct CustomSerializer {
  enum Response: Sendable {
    case success
    case failure(any Error)
  }

  func serialize(_ result: Result<Networking.Response, any Error>) -> Response {
    switch result {
    case .success: .success
    case .failure(let error): .failure(error)
    }
  }
}

struct CaraLogger: NetworkMonitor {
  func observe(_ event: NetworkEvent) {
    switch event.kind {
    case .queued: print("start")
    case .finished(let status, let metrics): print("end", status, metrics)
    case .failed(let failure): print(failure)
    default: break
    }
  }
}

func execute(_ service: Networking<Request>, on queue: DispatchQueue) {
  let task = service.request(.get("user"))
  task.validate().decode(User.self).done(on: .queue(queue)) { user in print(user) }
  task.asResult().map { result in CustomSerializer().serialize(result) }
    .done { response in print(response) }
  service.request(.get("status", .notIntercepted))
  task.cancel()
}

func intercept(_ service: Networking<Request>) {
  service.interceptors.append(
    ResponseInterceptor { result, _ in
      switch try? result.get().status {
      case 401: .resend(after: after(.seconds(1)))
      default: .pass
      }
    })
  service.addMonitor(CaraLogger())
  service.logLevel = .verbose
}

func logOutIfTheRefreshFails(_ service: Networking<Request>) {
  service.interceptors.append(
    RefreshInterceptor(on: [401], holdsRequests: true) { [unowned service] _ in
      service.request(.post("refresh", .notIntercepted))
        .validate()
        .toJson()
        .tap { json in service.authenticate(bearerToken: json["token"].string ?? "") }
        .fail { _ in print("log out") }
    })
}

// MARK: Atom

enum Environment {
  static func host() throws -> String { "api.example.com" }
}

enum Seatmap: RequestConvertible {
  case refresh
  static var baseURL: BaseURL { get throws { try BaseURL(host: Environment.host()) } }
  var request: Request { .get("path/to/resource") }
}

enum Flights: RequestConvertible {
  case status
  var baseURL: BaseURL { get throws { try BaseURL(host: Environment.host(), path: "v1") } }
  var request: Request { .get("status") }
}

actor Credentials {
  var current: (username: String, password: String) { ("ada", "lovelace") }
}

func resume(_ client: Networking<Seatmap>) async throws -> [String] {
  _ = try await client.request(.refresh).validate().value
  return try await client.request(.refresh).validate().decode().value
}

func authenticate(_ client: Networking<Seatmap>, with credentials: Credentials) {
  client.middleware = { _, client in
    Promise {
      let (username, password) = await credentials.current
      client.authenticate(username: username, password: password)
    }
  }
}

// MARK: A client that is based on Moya

struct ServerErrorMessage: Codable, Sendable {
  var message: String
}

enum ClientError: Error {
  case client(Int, ServerErrorMessage?)
  case server(Int, ServerErrorMessage?)
  case undefined
}

enum AuthAPI: RequestConvertible {
  case login
  case profile
  static let baseURL = "https://accounts.example.com"

  var request: Request {
    switch self {
    case .login: .post("login", .withoutCredentials)
    case .profile: .get("profile")
    }
  }
}

struct Traffic: NetworkPlugin {
  func willSend(_ request: HTTPRequest) { print("start") }
  func didReceive(_ result: Result<Response, any Error>, of request: HTTPRequest) { print("done") }
}

protocol Mappable: Sendable {
  init?(map: [String: JSON])
}

struct MapperSerializer<Model: Mappable>: ResponseSerializing {
  func serialize(_ response: Response) throws -> Model {
    guard let model = Model(map: try JSON(parsing: response.data).dictionary ?? [:]) else {
      throw PromiseError.missingValue
    }
    return model
  }
}

func requestOfAnyType(_ api: Networking<Request>) {
  api.fetch(GetUser(name: "ada")).done { user in print(user.name) }
  api.request(any: GetUser(name: "ada")).validate().toJson().done { json in print(json) }
  api.request(any: AuthAPI.login).validate().toJson().done { json in print(json) }
}

func requestWithErrorsOfItsOwn(_ api: Networking<Request>) -> Promise<JSON> {
  api.request(.get("zen")).validate(statusCodes: 200..<400).toJson()
    .recover(NetworkError.self) { error -> JSON in
      let message = try? error.decodeBody(ServerErrorMessage.self)
      switch error.response?.status ?? 0 {
      case let status where (400...499).contains(status): throw ClientError.client(status, message)
      case let status where (500...599).contains(status): throw ClientError.server(status, message)
      default: throw ClientError.undefined
      }
    }
}

func plugins(_ api: Networking<Request>, staging: URL) {
  api.baseURL = staging
  api.interceptors = [Traffic(), HeaderInjector { _ in ["X-Secret": "s-1"] }]
  api.suspend()
  api.resume()
}

func model<Model: Mappable>(_ type: Model.Type, of api: Networking<Request>) -> Promise<Model> {
  retry(.exponential(initial: .seconds(1), limit: 3)) { _ in
    api.request(.get("zen")).validate().serialize(using: MapperSerializer())
  }
}
