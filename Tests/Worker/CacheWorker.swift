import Foundation
import Networking
import Promises
import SystemCallFaults

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// Stores numbered responses in a cache, and checks the stored ones. CacheKillTests kills this worker at any
// step, or lets system calls fail.
//
//     cache-worker FOLDER store SEED COUNT STEPS   stores COUNT responses, and kills itself before its
//                                                  STEPSth operation on the disk; 0 disables this
//     cache-worker FOLDER check SEED COUNT 0       reads COUNT responses
//     cache-worker FOLDER fault CALL ALL 0         fails each call of a function, once and for ever, and with
//                                                  all errors unless ALL is 0
//     cache-worker FOLDER requests 0 0 0           sends the requests of standard input; see Tests/Differential
//
// The body of a response is its number, its version and their repetition, so that a mixed body is noticed.
// Each line of standard output that begins with `wrong` is a violation. `found N` is the number of stored
// responses, and the last line is `done`.
enum CacheWorker {
  static func run(_ arguments: [String]) async throws {
    guard arguments.count >= 6, let seed = Int(arguments[3]), let count = Int(arguments[4]),
      let steps = Int(arguments[5])
    else { exit(64) }
    let folder = URL(fileURLWithPath: arguments[1])

    switch arguments[2] {
    case "store":
      let cache = HTTPCache(
        memory: nil, disk: (folder.appendingPathComponent("cache"), .disk),
        beforeOperation: killBefore(steps))
      for line in await store(cache, seed, count, in: folder) { print(line) }
    case "check":
      let cache = HTTPCache(folder: folder.appendingPathComponent("cache"), memory: nil)
      let (found, wrong) = await check(cache, count)
      for line in wrong { print(line) }
      print("found \(found)")
    case "fault": await failCalls(Int32(seed), in: folder, areAll: count != 0)
    case "requests": try await answerRequests()
    default: exit(64)
    }
    print("done")
  }

  /// Fails each call of a function, once and for ever.
  private static func failCalls(_ call: Int32, in folder: URL, areAll: Bool) async {
    guard let name = faults_name(call) else { exit(64) }
    let watched = folder.appendingPathComponent("call-\(call)")
    faults_watch(watched.path)
    // 0 makes a transfer short.
    let isTransfer = ["read", "write"].contains(String(cString: name))
    let usual = isTransfer ? [EIO, 0, ENOSPC] : [EIO]
    let errors = areAll ? usual + (isTransfer ? [] : [ENOSPC]) : usual
    for error in errors {
      for isForever in [false, true] {
        var nth: Int32 = 1
        while true {
          let place = watched.appendingPathComponent("\(error)-\(isForever)-\(nth)")
          let cache = HTTPCache(folder: place, memory: nil)
          _ = await store(cache, 1, 4, in: folder)
          faults_arm(call, nth, error, isForever)
          let wrong = await store(cache, 2, 4, in: folder)
          _ = await check(cache, 4)
          let calls = faults_disarm()
          for line in wrong + (await check(cache, 4)).wrong {
            print("\(String(cString: name)) \(nth) \(error) \(isForever): \(line)")
          }
          try? FileManager.default.removeItem(at: place)
          if calls < nth { break }
          // The first calls are all different, later ones repeat them.
          nth += nth < 12 ? 1 : 7
        }
      }
    }
  }

  /// Sends the requests of standard input: one a line, as JSON, and one response a line.
  private static func answerRequests() async throws {
    struct Step: Decodable {
      var method: String
      var url: String
      var headers: [String: String]
      var policy: Request.CachePolicy
    }
    struct Outcome: Encodable {
      var status: Int
      var body: String
      var source: String
    }
    var configuration = NetworkingConfiguration()
    configuration.cookies = .none
    configuration.caching.storage = .cache(HTTPCache())
    #if os(Linux)
      let transport = CurlTransport()
    #else
      let transport = URLSessionTransport()
    #endif
    let requests = Networking<Request>(transport: transport, configuration: configuration)
    requests.callbackContext = .inline
    while let line = readLine() {
      let step = try JSONDecoder().decode(Step.self, from: Data(line.utf8))
      let request = Request(
        HTTPMethod(rawValue: step.method), RequestPath(raw: step.url),
        headers: HTTPHeaders(step.headers.map { .init(name: $0.key, value: $0.value) }),
        .cache(step.policy))
      let outcome =
        switch await requests.request(request).result {
        case .success(let response):
          Outcome(
            status: response.status, body: String(decoding: response.data, as: UTF8.self),
            source: response.source.description)
        case .failure(let error):
          Outcome(status: 0, body: "", source: "\((error as? NetworkError)?.code as Any)")
        }
      FileHandle.standardOutput.write(try JSONEncoder().encode(outcome) + Data("\n".utf8))
    }
  }

  /// Returns the body of a version of a response.
  ///
  /// Every third one is large.
  fileprivate static func body(_ number: Int, _ version: Int) -> Data {
    let unit = Data("\(number)-\(version);".utf8)
    var data = Data()
    for _ in 0..<(number % 3 == 0 ? 10_000 : 50) { data.append(unit) }
    return data
  }

  /// Returns whether a body is a version of a response.
  private static func isValid(_ data: Data, _ number: Int) -> Bool {
    guard let end = data.firstIndex(of: UInt8(ascii: ";")),
      let dash = data.firstIndex(of: UInt8(ascii: "-")), dash < end,
      let version = Int(String(decoding: data[data.index(after: dash)..<end], as: UTF8.self))
    else { return false }
    return data == body(number, version)
  }

  private static func client(_ cache: HTTPCache, _ version: Int) -> Networking<Request> {
    var configuration = NetworkingConfiguration()
    configuration.cookies = .none
    configuration.caching.storage = .cache(cache)
    let client = Networking<Request>(
      transport: Server(version: version), configuration: configuration)
    client.callbackContext = .inline
    return client
  }

  private static func path(_ number: Int) -> RequestPath { "http://cache.test/\(number)" }

  /// Stores all responses, by requests and by downloads, and checks what the client receives.
  private static func store(_ cache: HTTPCache, _ version: Int, _ count: Int, in folder: URL) async
    -> [String]
  {
    var wrong: [String] = []
    let client = client(cache, version)
    for number in 0..<count {
      // Half of them may come from the cache, the others replace the stored ones.
      let request = Request.get(
        path(number), .cache(number % 2 == version % 2 ? .default : .reload))
      do {
        if number % 6 == 0 {
          let file = folder.appendingPathComponent("file-\(getpid())")
          _ = try await client.download(request, to: file).value
          let data = try Data(contentsOf: file)
          if !isValid(data, number) { wrong.append("wrong download \(number)") }
        } else {
          let data = try await client.request(request).value.data
          if !isValid(data, number) { wrong.append("wrong body \(number)") }
        }
      } catch {
        wrong.append("wrong: \(error)")
      }
    }
    await cache.flush()
    return wrong
  }

  /// Reads all responses from the cache only.
  private static func check(_ cache: HTTPCache, _ count: Int) async -> (found: Int, wrong: [String])
  {
    let client = client(cache, 0)
    var (found, wrong) = (0, [String]())
    for number in 0..<count {
      let result = await client.request(Request.get(path(number), .cache(.onlyCache))).result
      guard case .success(let response) = result else { continue }
      found += 1
      if !isValid(response.data, number) { wrong.append("wrong body \(number)") }
    }
    return (found, wrong)
  }
}

/// A server in memory whose responses have a new version for each request.
private final class Server: Transport {
  let version: Int

  init(version: Int) { self.version = version }

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportHandle {
    let number = Int(request.url.lastPathComponent) ?? 0
    let headers: HTTPHeaders = [
      "Cache-Control": "max-age=1000", "ETag": "\"\(number)-\(version)\"",
    ]
    receive(.head(HTTPResponseHead(status: 200, headers: headers)))
    receive(.body(CacheWorker.body(number, version)))
    receive(.end(TransportMetrics()))
    return Handle()
  }

  private struct Handle: TransportHandle {
    func cancel() {}
    func suspend() {}
    func resume() {}
  }
}
