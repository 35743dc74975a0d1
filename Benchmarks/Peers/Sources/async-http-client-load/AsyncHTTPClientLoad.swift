import AsyncHTTPClient
import Dispatch
import Foundation
import LoadSupport
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOSSL

/// The counterpart of catena-load for async-http-client.
@main
struct AsyncHTTPClientLoad: Sendable {
  private struct WrongStatus: Error {}

  private let arguments: Arguments
  private let addresses: [String]
  private let client: HTTPClient
  private let headers = HTTPHeaders(wireFields)
  private let decoder: JSONDecoder?

  /// Starts the load and waits.
  ///
  /// An asynchronous `main` crashes in valgrind.
  static func main() {
    let load = AsyncHTTPClientLoad(Arguments())
    Task.detached { await load.run() }
    DispatchSemaphore(value: 0).wait()
  }

  private init(_ arguments: Arguments) {
    self.arguments = arguments
    addresses = (arguments["url"] ?? "").split(separator: ",").map(String.init)
    decoder = arguments["decode"] == nil ? nil : JSONDecoder()
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
      arguments.number("at-once", or: 1)
    configuration.httpVersion = arguments["http"] == "2" ? .automatic : .http1Only
    configuration.timeout = .init(connect: .seconds(120))
    if let ca = arguments["ca"] {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.trustRoots = .file(ca)
      configuration.tlsConfiguration = tls
    }
    client = HTTPClient(configuration: configuration)
  }

  private func run() async {
    let requests = arguments.number("requests", or: 1)
    let warmUp = arguments.number("warm-up", or: 0)
    let length = arguments.number("length", or: 100)
    let count = arguments.number("chains", or: 1)
    let file = arguments["file"] ?? ""
    switch arguments.command {
    case "get":
      if warmUp > 0 { _ = await gets(warmUp) }
      await Outcome.print(of: requests) { await gets(requests) }
    case "chain":
      if warmUp > 0 { _ = await chains(warmUp, length) }
      await Outcome.print(of: count * length) { await chains(count, length) }
    case "download":
      await Outcome.print(of: 1) {
        await Lanes(1, atOnce: 1).awaiting { _ in try await download(to: file) }
      }
    case "upload":
      await Outcome.print(of: 1) {
        await Lanes(1, atOnce: 1).awaiting { _ in try await upload(file) }
      }
    default:
      print("usage: async-http-client-load get|chain|download|upload [--option value ...]")
      exit(2)
    }
  }

  private func gets(_ count: Int) async -> Int {
    await Lanes(count, atOnce: arguments.number("at-once", or: 1)).awaiting { try await board($0) }
  }

  private func chains(_ count: Int, _ length: Int) async -> Int {
    await Lanes(count, atOnce: 1).awaiting { _ in
      for number in 0..<length { try await board(number) }
    }
  }

  private func board(_ number: Int) async throws {
    var request = HTTPClientRequest(url: addresses[number % addresses.count] + "boards/\(number)")
    request.headers = headers
    let response = try await client.execute(request, timeout: .seconds(120))
    guard response.status == .ok else { throw WrongStatus() }
    let body = try await response.body.collect(upTo: 1 << 20)
    if let decoder { _ = try decoder.decode(Board.self, from: body) }
  }

  /// Writes a body to a file with async-http-client's `FileDownloadDelegate`.
  private func download(to path: String) async throws {
    let delegate = try FileDownloadDelegate(path: path)
    let request = try HTTPClient.Request(url: addresses[0] + "large")
    _ = try await client.execute(request: request, delegate: delegate).get()
  }

  /// Sends a file in pieces of a quarter of a MiB, each after the previous one has been written.
  private func upload(_ path: String) async throws {
    let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    let size = try handle.seekToEnd()
    try handle.seek(toOffset: 0)
    var request = HTTPClientRequest(url: addresses[0] + "up")
    request.method = .PUT
    let pieces = AsyncStream<ByteBuffer> {
      guard let piece = try? handle.read(upToCount: 1 << 18), !piece.isEmpty else { return nil }
      return ByteBuffer(data: piece)
    }
    request.body = .stream(pieces, length: .known(Int64(size)))
    let response = try await client.execute(request, timeout: .seconds(120))
    guard response.status == .ok else { throw WrongStatus() }
    _ = try await response.body.collect(upTo: 1 << 20)
  }
}
