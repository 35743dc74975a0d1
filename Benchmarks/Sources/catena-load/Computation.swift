import Foundation
import LoadSupport
import Mocking
import NetworkingTracing
import Promises

/// Work on one thread without requests: promises, JSON, redaction.
struct Computation {
  private let count: Int
  private let warmUp: Int
  /// Runs the work once.
  private let work: () -> Void

  init(_ arguments: Arguments) {
    count = arguments.number("requests", or: 1)
    warmUp = arguments.number("warm-up", or: 0)
    let (name, size) = (arguments["work"] ?? "", arguments.number("size", or: 1))
    switch name {
    case "then": work = { Self.then(size) }
    case "then-pending": work = { Self.thenPending(size) }
    case "when": work = { Self.when(size) }
    case "decode":
      let response = Self.boards(size)
      work = { _ = Self.value(response.decode([Board].self)) }
    case "json":
      let response = Self.boards(size)
      work = { _ = Self.value(response.toJson()) }
    case "redact-json", "redact-text":
      let request = Self.request(size, isJSON: name == "redact-json")
      work = { precondition(request.curlCommand().contains("***")) }
    default: fatalError("unknown work: \(name)")
    }
  }

  func run() async {
    for _ in 0..<warmUp { work() }
    await Outcome.print(of: count) {
      for _ in 0..<count { work() }
      return 0
    }
  }

  /// Steps on a settled promise.
  private static func then(_ steps: Int) {
    var last = Promise.fulfilled(0)
    for _ in 0..<steps { last = last.then(on: .inline) { $0 &+ 1 } }
    precondition(value(last) == steps)
  }

  /// A chain on a pending promise, which is then settled.
  private static func thenPending(_ steps: Int) {
    let (promise, resolver) = Promise<Int>.pending()
    var last = promise
    for _ in 0..<steps { last = last.then(on: .inline) { $0 &+ 1 } }
    resolver.fulfill(0)
    precondition(value(last) == steps)
  }

  private static func when(_ members: Int) {
    let pairs = (0..<members).map { _ in Promise<Int>.pending() }
    let all = Promises.when(pairs.map(\.promise))
    for (index, pair) in pairs.enumerated() { pair.resolver.fulfill(index) }
    precondition(value(all).last == members - 1)
  }

  private static func value<Value: Sendable>(_ promise: Promise<Value>) -> Value {
    guard case .fulfilled(let value) = promise.state else { fatalError("\(promise.state)") }
    return value
  }

  /// Returns a response with an array of boards.
  private static func boards(_ bytes: Int) -> NetworkPromise {
    let boards = repeatElement(Board.json, count: bytes / (Board.json.utf8.count + 1))
    let head = HTTPResponseHead(status: 200, headers: ["Content-Type": "application/json"])
    return .fulfilled(
      Response(
        head: head, data: Data("[\(boards.joined(separator: ","))]".utf8), request: request(0)))
  }

  /// Returns a request with secrets in its URL, its header fields, and its body.
  private static func request(_ bytes: Int, isJSON: Bool = true) -> HTTPRequest {
    let piece =
      isJSON
      ? #"{"id":7,"title":"Board of forty bytes!","password":"hunter2"}"#
      : "12:07:31 GET https://example.com/boards/7?page=2&access_token=0123456789 200 in 31 ms\n"
    let pieces = repeatElement(piece, count: bytes / piece.utf8.count)
    let body = isJSON ? "[\(pieces.joined(separator: ","))]" : pieces.joined()
    guard let url = URL(string: "https://api.example.com/v1/boards?api_key=0123456789") else {
      preconditionFailure()
    }
    return HTTPRequest(
      method: .post, url: url,
      headers: [
        "Authorization": "Bearer 0123456789abcdef", "Accept": "application/json",
        "Content-Type": isJSON ? "application/json" : "text/plain",
      ], body: .data(Data(body.utf8)))
  }
}
