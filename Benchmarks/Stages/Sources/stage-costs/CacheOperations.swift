import Foundation
import Promises
import Synchronization

@testable import CatenaSystem
@testable import Networking

extension Operation {
  /// The operations on a cache on disk, from the request to the decoded value.
  ///
  /// The budget of a hit is for what it costs more than the same response of a transport at once.
  static var cacheOnDisk: [Operation] {
    let direct = FilledStore(100)
    let fromTransport = Operation(
      name: "4 KB from a transport, decoded", budget: nil, count: 1_000
    ) { direct.requestDirectly($0) }
    return [fromTransport]
      + [100, 100_000].flatMap { count in
        let store = FilledStore(count)
        return [
          Operation(
            name: "4 KB from disk, decoded, with \(count) URLs", budget: nil, count: 1_000
          ) {
            store.request($0)
          },
          Operation(
            name: "opening a store on disk with \(count) URLs, and the first hit", budget: 50_000,
            count: 1
          ) { store.open($0) },
        ]
      }
  }
}

/// A folder with fresh responses of 4 KB, which is filled at the first use.
private final class FilledStore: Sendable {
  private struct Board: Decodable, Sendable {
    let id: Int
  }

  /// A transport that responds at once, and nothing else.
  private struct DirectTransport: Transport {
    private struct Handle: TransportHandle {
      func cancel() {}
      func suspend() {}
      func resume() {}
    }

    let responds: Bool

    func start(
      _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
    ) -> any TransportHandle {
      precondition(responds, "the response is not stored")
      let id = Int(request.url.lastPathComponent) ?? 0
      receive(.head(HTTPResponseHead(status: 200, headers: FilledStore.headers)))
      receive(.body(FilledStore.body(id)))
      receive(.end(TransportMetrics()))
      return Handle()
    }
  }

  private static let headers: HTTPHeaders = [
    "Content-Type": "application/json", "Cache-Control": "max-age=100000",
  ]
  private static let filler = String(repeating: "x", count: 4_000)

  private static func body(_ id: Int) -> Data { Data(#"{"id":\#(id),"text":"\#(filler)"}"#.utf8) }

  private let count: Int
  private let folder: URL
  private let client = Mutex<Networking<Request>?>(nil)

  init(_ count: Int) {
    self.count = count
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("stage-costs-\(ProcessInfo.processInfo.processIdentifier)-\(count)")
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  /// Requests and decodes one of the responses.
  func request(_ number: Int) { decode(number, filled()) }

  /// Requests and decodes a response of a transport.
  func requestDirectly(_ number: Int) {
    let client = client.withLock { client in
      let made = client ?? makeClient(hasCache: false)
      client = made
      return made
    }
    decode(number, client)
  }

  /// Opens the folder as the next run of a program does, and requests one response.
  func open(_ number: Int) {
    _ = filled()
    decode(number, makeClient())
  }

  private func decode(_ number: Int, _ client: Networking<Request>) {
    // Not in the order in which they were stored.
    let id = number &* 7_919 % count
    let board = try? client.request(.get("boards/\(id)")).decode(Board.self).wait()
    precondition(board?.id == id)
  }

  private func makeClient(hasCache: Bool = true) -> Networking<Request> {
    var configuration = NetworkingConfiguration()
    configuration.caching.storage =
      hasCache ? .cache(HTTPCache(folder: folder, memory: nil)) : .none
    let client = Networking<Request>(
      transport: DirectTransport(responds: !hasCache), configuration: configuration)
    client.baseURL = URL(string: "https://api.example.com/")
    client.callbackContext = .inline
    return client
  }

  private func filled() -> Networking<Request> {
    client.withLock { client in
      if let client { return client }
      fill()
      let made = makeClient()
      client = made
      return made
    }
  }

  private func fill() {
    let files = DiskCacheFiles(path: folder.standardizedFileURL.path, fileSystem: FileSystem())
    let head = HTTPResponseHead(status: 200, headers: Self.headers)
    for id in 0..<count {
      guard (try? files.fileSystem.createDirectories("\(files.path)/incoming")) != nil,
        let url = URL(string: "https://api.example.com/boards/\(id)"), let key = CacheKey(url),
        let name = CacheDigest.digest("url", key.text)
      else { preconditionFailure() }
      let response = StoredResponse(
        head, requestTime: Date(), responseTime: Date(), for: CacheSelector(),
        body: .data(Self.body(id)))
      precondition((try? files.write(CacheRecord(key, [response]), name)) != nil)
    }
  }
}
