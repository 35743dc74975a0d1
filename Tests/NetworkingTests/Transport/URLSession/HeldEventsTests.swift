import CatenaSystem
import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

/// The events that a suspended exchange of `URLSession` holds.
@Suite(.gated)
struct HeldEventsTests {
  private static let memoryLimit = 100

  private let folder = TemporaryFolder()

  private func machine(in folder: URL) -> URLSessionExchangeMachine {
    var machine = URLSessionExchangeMachine(ExchangeTimeouts(), started: .zero)
    machine.held = HeldEvents(memoryLimit: Self.memoryLimit, folder: folder)
    _ = machine.add(.head(HTTPResponseHead(status: 200)), at: .zero)
    return machine
  }

  /// The model is the array of all bytes.
  @Test(arguments: 1...30)
  func anySequenceDeliversAllBytesInOrderAndHoldsFewInMemory(_ seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var machine = machine(in: folder.url)
    var record = ExchangeRecord()
    var body = Data()
    var fileWasUsed = false
    for step in 1...1_000 {
      var events: [TransportEvent] = []
      switch Int.random(in: 0..<12, using: &random) {
      case 0: machine.suspend()
      case 1: machine.requestResumption()
      case 2: events = machine.resumeIfRequested(at: .zero)
      case 3..<7: events = machine.nextHeldEvent(at: .zero)
      case 7: events = machine.add(.sent(bytes: Int64(step), total: nil), at: .zero)
      default:
        let count = Int.random(in: 1...Self.memoryLimit * 3 / 2, using: &random)
        let bytes = Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
        body += bytes
        events = machine.add(.body(bytes), at: .zero)
      }
      for event in events { record.add(event) }
      let (isSuspended, count) = (machine.isSuspended, machine.held.memory.count)
      fileWasUsed = fileWasUsed || !machine.held.unread.isEmpty
      #expect(events.count <= (isSuspended ? 0 : 1))
      #expect(count <= Self.memoryLimit)
      #expect(record.body == body.prefix(record.body.count))
    }
    machine.suspend()
    var events = machine.complete(at: .zero)
    #expect(events.isEmpty)
    machine.requestResumption()
    events = machine.resumeIfRequested(at: .zero)
    while let event = events.first {
      #expect(record.lastEvents == 0)
      record.add(event)
      events = machine.nextHeldEvent(at: .zero)
    }
    let isFinished = machine.isFinished
    #expect(isFinished && fileWasUsed)
    #expect(record.body == body)
    #expect(record.order.last == "end" && record.lastEvents == 1)
    #expect(record.sent == record.sent.sorted())
    #expect(folder.names.isEmpty)
  }

  @Test func bytesFromTheFileArriveInPiecesOfAQuarterOfTheMemory() {
    var machine = machine(in: folder.url)
    machine.suspend()
    for _ in 0..<4 { _ = machine.add(.body(Data.pattern(60)), at: .zero) }
    machine.requestResumption()
    var events = machine.resumeIfRequested(at: .zero)
    var record = ExchangeRecord()
    while let event = events.first {
      record.add(event)
      events = machine.nextHeldEvent(at: .zero)
    }
    #expect(record.pieces == [60] + Array(repeating: 25, count: 7) + [5])
  }

  @Test func onlyTheLastCountOfSentBytesIsHeld() {
    var machine = machine(in: folder.url)
    machine.suspend()
    for count in 1...1_000 { _ = machine.add(.sent(bytes: Int64(count), total: nil), at: .zero) }
    let count = machine.held.early.count
    #expect(count == 1)
  }

  #if os(Linux)
    /// The status of the open file that was created in the folder, or `nil` if there is none.
    private var openFile: FileStatus? {
      let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
      let path = numbers.map { "/proc/self/fd/\($0)" }.first { path in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
        return target?.contains(folder.url.lastPathComponent) == true
      }
      return path.flatMap { try? FileStatus($0, followingLinks: true) }
    }

    @Test func theFileHasNoNameAndIsClosedAfterItsLastByte() throws {
      var held = HeldEvents(memoryLimit: 4, folder: folder.url)
      try held.add(.body(Data(count: 5)))
      let status = try #require(openFile)
      #expect(status.permissions == 0o600 && status.linkCount == 0 && status.byteCount == 5)
      #expect(folder.names.isEmpty)
      for _ in 0..<5 { _ = try held.next() }
      #expect(openFile == nil)
    }

    @Test func anAbortedExchangeClosesTheFile() {
      var machine = machine(in: folder.url)
      machine.suspend()
      _ = machine.add(.body(Data(count: 1_000)), at: .zero)
      #expect(openFile?.byteCount == 1_000)
      let ends = machine.abort(TransportFailure(code: .cancelled), at: .zero)
      machine.requestResumption()
      let rest = machine.resumeIfRequested(at: .zero)
      #expect(ends.count == 1 && rest.isEmpty && openFile == nil)
    }
  #endif

  @Test func aFileThatCannotBeWrittenEndsTheExchangeAtOnce() {
    var machine = machine(in: folder.url("missing"))
    machine.suspend()
    var events = machine.add(.body(Data(count: Self.memoryLimit)), at: .zero)
    #expect(events.isEmpty)
    events = machine.add(.body(Data(count: 1)), at: .seconds(1))
    var record = ExchangeRecord()
    for event in events { record.add(event) }
    #expect(record.order == ["failure"])
    #expect(record.failure?.code == .fileNotWritten)
    #expect(record.failure?.detail == "No such file or directory")
    let (isFinished, isAborted, isEmpty) = (
      machine.isFinished, machine.isAborted, machine.held.isEmpty
    )
    #expect(isFinished && isAborted && isEmpty)
    events = machine.complete(at: .seconds(1))
    #expect(events.isEmpty)
  }

  @Test func theIdleTimeoutRestartsAfterTheLastHeldEvent() {
    var machine = URLSessionExchangeMachine(ExchangeTimeouts(idle: .seconds(60)), started: .zero)
    machine.held = HeldEvents(memoryLimit: Self.memoryLimit, folder: folder.url)
    machine.suspend()
    _ = machine.add(.body(Data(count: 60)), at: .zero)
    _ = machine.add(.body(Data(count: 60)), at: .zero)
    machine.requestResumption()
    _ = machine.resumeIfRequested(at: .seconds(100))
    let deadlineWhileHolding = machine.deadline
    _ = machine.nextHeldEvent(at: .seconds(200))
    _ = machine.nextHeldEvent(at: .seconds(300))
    _ = machine.nextHeldEvent(at: .seconds(400))
    let deadline = machine.deadline
    #expect(deadlineWhileHolding == nil)
    #expect(deadline?.due == .seconds(460))
  }
}

#if os(Linux)
  /// A reader that stops.
  ///
  /// Foundation on Linux cannot pause the server, so all bytes arrive.
  @Suite(.gated)
  struct StoppedReaderTests {
    @Test func aLargeBodyIsHeldInBoundedMemoryAndDeliveredInPieces() async throws {
      let body = Data.pattern(8 << 20)
      let server = try ScriptedServer { _ in
        [.stall, .respond("200 OK", ["Connection: close"], body), .drain]
      }
      let other = try ScriptedServer { _ in [.respond()] }
      let transport = URLSessionTransport()
      let (events, pieces, ends) = (Log<TransportEvent>(), Counter(), Log<Void>())
      let started = Log<URLSessionExchange>()
      let handle = transport.start(HTTPRequest(url: server.url())) { event in
        if case .body = event, pieces.add() <= 3 {
          for exchange in started.entries { exchange.suspend() }
        }
        events.append(event)
        if event.isLast { ends.append(()) }
      }
      let exchange = try #require(handle as? URLSessionExchange)
      exchange.suspend()
      started.append(exchange)
      server.release()
      _ = await server.closed.entries(1)
      // The response to another request shows that the queue has run since.
      _ = await transport.get(other.url())
      #expect(events.entries.isEmpty)
      #expect((1...(1 << 20)).contains(exchange.bytesInMemory))

      // The reader stops again at each of the first pieces.
      for piece in 1...3 {
        exchange.resume()
        _ = await events.entries(1 + piece)
        _ = await transport.get(other.url())
        #expect(events.entries.count == 1 + piece)
      }
      exchange.resume()
      _ = await ends.entries(1)
      var record = ExchangeRecord()
      for event in events.entries { record.add(event) }
      #expect(record.order == ["head", "body", "end"] && record.lastEvents == 1)
      #expect(record.body == body)
      #expect(record.pieces.allSatisfy { $0 <= 1 << 20 })
      #expect(record.pieces.dropFirst().allSatisfy { $0 <= 256 << 10 })
      #expect(exchange.bytesInMemory == 0)
    }

    @Test func aCancelledExchangeIsReleasedWithItsHeldBytes() async throws {
      let flooded = Log<Void>()
      let server = try ScriptedServer { _ in
        [
          .stall, TransportControlChecks.floodHead, .flood(4 << 20), .run { flooded.append(()) },
          .drain,
        ]
      }
      let other = try ScriptedServer { _ in [.respond()] }
      let transport = URLSessionTransport()
      let exchange = ExchangeRecorder(transport, HTTPRequest(url: server.url()))
      exchange.suspend()
      server.release()
      _ = await flooded.entries(1)
      exchange.cancel()
      let record = await exchange.record
      #expect(record.order == ["failure"] && record.failure?.code == .cancelled)
      #expect(await transport.get(other.url()).head?.status == 200)
    }
  }
#endif
