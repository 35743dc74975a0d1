// compiles
// The samples of Malibu and Conduit, ported.
import Foundation
import Mocking
import Networking
import NetworkingInterceptors
import NetworkingTransfers
import NetworkingValues

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// MARK: Malibu

struct Board: Codable, Sendable {
  var id: Int
  var title: String
}

enum Sharkywaters: RequestConvertible {
  case fetchBoards
  case showBoard(id: Int)
  case createBoard(type: Int, title: String)
  case updateBoard(id: Int, title: String)
  case deleteBoard(id: Int)

  static let baseURL = "http://sharkywaters.com/api/"
  static let headers: [String: String] = ["Accept": "application/json"]

  var request: Request {
    switch self {
    case .fetchBoards: .get("boards")
    case .showBoard(let id): .get("boards/\(id)", .cache(.reload))
    case .createBoard(let type, let title):
      .post("boards", parameters: ["type": .int(type), "title": .string(title)])
    case .updateBoard(let id, let title):
      .patch("boards/\(id)", parameters: ["title": .string(title)])
    case .deleteBoard(let id): .delete("boards/\(id)")
    }
  }
}

struct BackendError: Error {}

final class SessionObserver: NSObject, URLSessionDelegate, Sendable {}

struct AcceptEverything: ResponseValidating {
  func validate(_ response: Response) throws {}
}

struct CustomEncoder: ParameterEncoding {
  func encode(_ parameters: Parameters) throws -> EncodedParameters { .query("") }
}

func firstChain() {
  Networking.shared
    .request(.get("http://sharkywaters.com/api/boards", parameters: ["type": 1]))
    .validate()
    .toJsonDictionary()
    .then { dictionary -> [Board] in
      try JSONDecoder().decode([Board].self, from: (dictionary["boards"] ?? .null).data())
    }
    .done { boards in print(boards) }
    .fail { error in print(error) }
    .always { print("finished") }
}

func requests(kind: Int, data: Data) -> [Request] {
  [
    Request(
      .get, "boards", parameters: ["type": 1, "text": "classic"], headers: ["custom": "header"],
      contentType: .query),
    .post("boards", parameters: ["type": .int(kind)], contentType: .formURLEncoded),
    .put("boards/1", parameters: ["type": .int(kind)]),
    .patch("boards/1"), .delete("boards/1"), .head("boards"),
    .upload(data: data, to: "boards"),
    .upload(
      multipart: ["title": "Fish", "photo": .data(data, filename: "fish.png")], to: "boards"),
    .post("boards", parameters: ["key": "value"], contentType: .multipartFormData),
    .post("boards", parameters: "<board/>", contentType: .custom("application/xml")),
  ]
}

func encodersAndLogsOfAllClients() {
  NetworkingConfiguration.default.encoders.json = CustomEncoder()
  NetworkingConfiguration.default.encoders.custom["application/xml"] = CustomEncoder()
  NetworkingConfiguration.default.logging = .info
  NetworkingConfiguration.default.logging.errorLogger = ClosureLogger { entry in print(entry) }
}

func client(observer: SessionObserver) -> Networking<Sharkywaters> {
  let provider = MockProvider<Sharkywaters>(delay: .seconds(1)) { endpoint in
    switch endpoint {
    case .fetchBoards: .file("boards.json")
    case .showBoard: .json(["data": ["id": 1, "title": "Balsa Fish"]])
    case .deleteBoard: .failure(BackendError())
    default: nil
    }
  }
  return Networking(
    mode: .limited(4), mockProvider: provider,
    sessionConfiguration: .custom(.default, delegate: observer))
}

func hooks(_ networking: Networking<Sharkywaters>, token: Promise<String>) {
  networking.beforeEach = { request in
    request.with(.parameters(["userId": "12345"]), .headers(["X-User": "12345"]))
  }
  networking.preProcessRequest = { request in
    request.modifyingURLRequest { urlRequest in
      urlRequest.addValue("eyJhbGci", forHTTPHeaderField: "token")
    }
  }
  networking.middleware = { _, networking in
    token.tap { token in networking.authenticate(bearerToken: token) }.asVoid()
  }
  networking.authenticate(username: "malibu", password: "surfingparadise")
  networking.authenticate(authorizationHeader: "Malibu-Header")
}

func responses(_ networking: Networking<Sharkywaters>) {
  let ride = networking.request(.fetchBoards)
  ride.validate(contentTypes: ["application/json; charset=utf-8"])
    .validate(statusCodes: [200])
    .validate(using: AcceptEverything())
    .done { response in
      let request: URLRequest = response.request.urlRequest
      print(response.data, request, response.httpURLResponse as Any)
    }
  ride.validate().toString().then { text in print(text) }.done { print("done") }
  ride.cancel()
  networking.request(Sharkywaters.deleteBoard(id: 1), .storedOffline)
  networking.replay().done { report in print(report) }
}

// MARK: Conduit

typealias SessionClient = Networking<Request>

struct OutboundLog: NetworkPlugin {
  func willSend(_ request: HTTPRequest) { print("Outbound request: \(request)") }
}

func sessionClient() -> SessionClient {
  let client = SessionClient(sessionConfiguration: .ephemeral)
  client.callbackContext = .background
  return client
}

func copy(of client: SessionClient) -> SessionClient {
  let copy = client.copy()
  copy.interceptors[.hop] = [OutboundLog()]
  return copy
}

func complexQuery(_ client: SessionClient) {
  let format = QueryFormat(
    arrays: .joined(by: .comma), nesting: .dots, spaces: .plus, plusSigns: .literal)
  let request = Request.get(
    "kittens", parameters: ["options": ["include": ["fuzzy", "fluffy", "not mean"], "2+2": 4]])
  client.request(request, .queryFormat(format))
  var configuration = NetworkingConfiguration()
  configuration.queryFormat = format
  SessionClient(configuration: configuration).request(request)
}

func begin(_ request: URLRequest, with client: SessionClient) {
  client.request(Request(request)).always { result in
    switch result {
    case .success(let response): print(response.status, response.data)
    case .failure(let error): print(error)
    }
  }
}

func form(jpeg: Data, pdf: Data, video: Data) -> Request {
  var form = MultipartFormData()
  form.append(jpeg, name: "kitten", filename: "mr-jingles.jpg")
  form.append(pdf, name: "pedigree", filename: "pedigree.pdf")
  form.append(video, name: "cat-video", filename: "cats.mov")
  return .upload(multipart: form, to: "kittens")
}

func freezeThePipeline(of client: SessionClient, during work: Promise<Void>) {
  let barrier = PipelineBarrier()
  client.interceptors.append(barrier)
  barrier.hold(draining: true) { work }
  client.cancelAllRequests()
}

func pauseTransfers(_ client: SessionClient, file: URL) {
  let transfer = client.transfer(.get("film"), to: file)
  transfer.pause()
  transfer.resume()
  let upload = client.transfer(.upload(file: file, to: "films"))
  upload.pause()
  upload.resume()
  client.request(.upload(file: file, to: "films"), .onProgress { progress in print(progress.sent) })
    .cancel()
}

func shareTheTokenWithAnotherLayer(_ client: SessionClient, queue: OperationQueue) {
  client.interceptors.append(
    RefreshInterceptor { [unowned client] _ in
      queue.isSuspended = true
      return client.request(.post("token", .notIntercepted))
        .validate()
        .always { queue.isSuspended = false }
    })
}
