// compiles
import Foundation
import Networking

enum OptionalURL: RequestConvertible {
  case boards
  static let baseURL = URL(string: "https://api.example.com/v1/")
  static let headers: HTTPHeaders = ["Accept": "application/json"]
  var request: Request { .get("boards") }
}

enum PlainURL: RequestConvertible {
  case boards
  static let baseURL = URL(fileURLWithPath: "/")
  static let headers = ["Accept": "application/json"]
  var request: Request { .get("boards") }
}

enum TextURL: RequestConvertible {
  case boards
  static let baseURL = "https://api.example.com/v1/"
  static let headers: [String: String]? = nil
  var request: Request { .get("boards") }
}

enum ThrowingURL: RequestConvertible {
  case boards
  static var baseURL: BaseURL { get throws { try BaseURL(host: "api.example.com", path: "v1") } }
  var request: Request { .get("boards") }
}

enum InstanceProperties: RequestConvertible {
  case boards
  var baseURL: URL? { URL(string: "https://api.example.com/v1/") }
  var headers: [String: String]? { ["Accept": "application/json"] }
  var request: Request { .get("boards") }
}

enum InstanceAndStaticProperties: RequestConvertible {
  case login
  case boards
  static let baseURL = URL(string: "https://api.example.com/v1/")
  static let headers = ["Accept": "application/json"]
  var baseURL: URL? { self == .login ? URL(string: "https://accounts.example.com/") : nil }
  var headers: [String: String] { self == .login ? [:] : ["X-Version": "3"] }
  var queryFormat: QueryFormat? { .rails }
  var request: Request { .get("boards") }
}

struct PlainInstanceURL: RequestConvertible {
  var baseURL: URL { URL(fileURLWithPath: "/") }
  var headers: [String: String] { ["Accept": "application/json"] }
  var request: Request { .get("boards") }
}

struct StoredURL: TypedEndpoint {
  typealias ResponseType = [Int]
  let baseURL: URL?
  let queryFormat: QueryFormat?
  var request: Request { .get("boards") }
}

enum Server: BaseURLConvertible {
  case staging
  func asBaseURL() -> URL? { URL(string: "https://staging.example.com/") }
}

enum OwnTypeOfURL: RequestConvertible {
  case boards
  static let baseURL = Server.staging
  var request: Request { .get("boards") }
}

nonisolated protocol ShopEndpoint: TypedEndpoint {}

nonisolated extension ShopEndpoint {
  static var baseURL: String { "https://shop.example.com" }
  static var headers: [String: String] { ["Accept": "application/json"] }
}

struct Orders: ShopEndpoint {
  typealias ResponseType = [Int]
  var request: Request { .get("orders") }
}

struct Wrapper<Base: RequestConvertible>: RequestConvertible {
  let base: Base
  var request: Request { get throws { try base.request } }
  static func resolvedBaseURL() throws -> URL? { try Base.resolvedBaseURL() }
  func resolvedBaseURL() throws -> URL? { try base.resolvedBaseURL() }
  func resolvedHeaders() -> HTTPHeaders { base.resolvedHeaders() }
}

func send<Endpoint: RequestConvertible>(_ endpoint: Endpoint, with client: Networking<Endpoint>) {
  client.request(endpoint)
  client.request(endpoint, .notIntercepted)
}

func fetch(with client: Networking<OptionalURL>) -> Promise<[Int]> {
  client.fetch(Orders())
}
