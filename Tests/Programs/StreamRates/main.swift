import Foundation
import Networking
import NetworkingStreams
import ProgramSupport

// Measures the streams of a client with a server on the loopback interface.
//
//   swift run -c release --package-path Tests/Programs stream-rates [EVENTS]
//
// Prints the rates of 1,000,000 server-sent events, lines and JSON values, by the clock and by the processor time of
// client and server together; the bytes that a reader who has stopped lets the server send; and the growth of the
// memory by a line of 100 MiB. The status is 1 if a stream is read more slowly than 150,000 events a second of processor time, or
// needs more than 16 MiB.

#if os(Linux) || os(macOS)
  struct Order: Decodable, Sendable {
    var id: Int
    var symbol: String
  }

  let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
  var configuration = NetworkingConfiguration()
  configuration.cookies = .none
  let networking = Networking<Request>(
    sessionConfiguration: .ephemeral, configuration: configuration)
  var failures = 0

  func processorTime() -> Duration {
    var usage = rusage()
    #if os(Linux)
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
      getrusage(RUSAGE_SELF, &usage)
    #endif
    return .seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      + .microseconds(Int(usage.ru_utime.tv_usec) + Int(usage.ru_stime.tv_usec))
  }

  @MainActor func check(_ holds: Bool, _ bound: String) {
    guard !holds else { return }
    failures += 1
    print("  FAILED: \(bound)")
  }

  /// A server of a body that consists of items, in blocks.
  func server(_ type: String, _ items: Int, _ item: (Int) -> String) throws -> ScriptedServer {
    let blockSize = 1_000
    let blocks = stride(from: 0, to: items, by: blockSize).map { start in
      Data((start..<min(start + blockSize, items)).map(item).joined().utf8)
    }
    let length = blocks.reduce(0) { $0 + $1.count }
    return try ScriptedServer { _ in
      [.text("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(length)\r\n\r\n")]
        + blocks.map { .send($0) }
    }
  }

  @MainActor func measure(
    _ name: String, _ server: ScriptedServer,
    _ read: @MainActor (RequestPath) async throws -> Int
  ) async throws {
    let (memory, clock) = (ProcessResources.peakKibibytes, ContinuousClock())
    let (start, processor) = (clock.now, processorTime())
    let read = try await read(RequestPath(raw: server.url().absoluteString))
    let (time, used) = (clock.now - start, processorTime() - processor)
    let (rate, cpuRate) = (Double(read) / (time / .seconds(1)), Double(read) / (used / .seconds(1)))
    print(
      "\(read) \(name): \(Int(rate)) a second, \(Int(cpuRate)) a second of processor time,",
      "memory +\(ProcessResources.peakKibibytes - memory) KiB")
    check(read == count, "\(count) \(name)")
    check(cpuRate >= 150_000 || count < 1_000_000, "150,000 a second of processor time")
    check(ProcessResources.peakKibibytes - memory < 16 << 10, "16 MiB")
  }

  let events = try server("text/event-stream", count) { number in
    "id: \(number)\nevent: price\ndata: {\"id\": \(number), \"symbol\": \"OAK\"}\n\n"
  }
  try await measure("events", events) { path in
    var read = 0
    for try await event in networking.events(of: .get(path), .retry(.never)) {
      if event.type == "price", event.data.utf8.count > 20 { read += 1 }
    }
    return read
  }

  let lines = try server("application/x-ndjson", count) { number in
    "{\"id\": \(number), \"symbol\": \"OAK\"}\n"
  }
  try await measure("lines", lines) { path in
    var read = 0
    for try await line in networking.lines(of: .get(path)) where !line.isEmpty { read += 1 }
    return read
  }
  let (clock, decoder) = (ContinuousClock(), "jsonLines")
  let start = clock.now
  var sum = 0
  let path = RequestPath(raw: lines.url().absoluteString)
  for try await order in networking.jsonLines(of: .get(path), as: Order.self) {
    sum += order.id - sum
  }
  let seconds = (clock.now - start) / .seconds(1)
  print("\(sum + 1) values by \(decoder): \(Int(Double(count) / seconds)) a second")

  // A reader that stops after the first event.
  let flood = 256 << 20
  let head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: \(flood)\r\n\r\n"
  let endless = try ScriptedServer { _ in [.text(head), .text("data: a\n\n"), .flood(flood)] }
  func bytesSentToAStoppedReader() async throws -> Int {
    var events = networking.events(
      of: .get(RequestPath(raw: endless.url().absoluteString)), maximumEventSize: flood
    ).makeAsyncIterator()
    _ = try await events.next()
    return await endless.blocked.entries(1).last ?? 0
  }
  let sent = try await bytesSentToAStoppedReader()
  print("a reader that has stopped: \(sent >> 10) KiB sent, with the buffers of both sockets")
  check(sent < 16 << 20, "16 MiB in flight")

  // A line without an end.
  let memory = ProcessResources.peakKibibytes
  let size = 100 << 20
  let long = try ScriptedServer { _ in
    [
      .text(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: \(size)\r\n\r\n"),
      .text("data: "), .flood(size - 6),
    ]
  }
  do {
    let path = RequestPath(raw: long.url().absoluteString)
    for try await _ in networking.events(of: .get(path), maximumEventSize: 1 << 20) {}
    check(false, "an error")
  } catch let error as NetworkError {
    let growth = ProcessResources.peakKibibytes - memory
    print("a line of 100 MiB: \(error.code), memory +\(growth) KiB")
    check(error.code == .bodyTooLarge && growth < 16 << 10, "16 MiB")
  }
  print("closed:", await long.closed.entries(1) == [0])
  exit(failures == 0 ? 0 : 1)
#else
  print("stream-rates needs Linux or macOS")
#endif
