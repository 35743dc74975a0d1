import Combine
import Promises
import PromisesCombine
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SequencePublisherTests {
  private func stream(_ values: some Sequence<Int>) -> AsyncStream<Int> {
    AsyncStream { continuation in
      for value in values { continuation.yield(value) }
      continuation.finish()
    }
  }

  @Test func allElementsArriveInOrderBeforeTheEnd() async {
    let probe = Probe<Int, Never>()
    stream(1...4).publisher.subscribe(probe)
    probe.request(.unlimited)
    #expect(await probe.entries(5) == ["1", "2", "3", "4", "finished"])
  }

  @Test func anElementIsReadOnlyAfterDemand() async {
    let reads = Mutex(0)
    let probe = Probe<Int, Never>()
    let sequence = AsyncStream<Int> {
      reads.withLock {
        $0 += 1; return $0
      }
    }
    sequence.publisher.subscribe(probe)
    probe.request(.max(2))
    #expect(await probe.entries(2) == ["1", "2"])
    #expect(reads.withLock { $0 } == 2)
    probe.request(.max(1))
    #expect(await probe.entries(3) == ["1", "2", "3"])
    probe.cancel()
  }

  @Test func theDemandThatAValueReturnsIsAdded() async {
    let probe = Probe<Int, Never> { _ in .max(1) }
    stream(1...3).publisher.subscribe(probe)
    probe.request(.max(1))
    #expect(await probe.entries(4) == ["1", "2", "3", "finished"])
  }

  @Test func anErrorOfTheSequenceIsTheFailure() async {
    let probe = Probe<Int, any Error>()
    AsyncThrowingStream<Int, any Error> { continuation in
      continuation.yield(1)
      continuation.finish(throwing: Failed())
    }.publisher.subscribe(probe)
    probe.request(.unlimited)
    #expect(await probe.entries(2) == ["1", "Failed()"])
  }

  @Test func aCancellationEndsTheSource() async {
    let (ends, end) = AsyncStream<Void>.makeStream()
    let (sequence, source) = AsyncStream<Int>.makeStream()
    source.onTermination = { _ in end.finish() }
    let probe = Probe<Int, Never>()
    sequence.publisher.subscribe(probe)
    probe.request(.unlimited)
    source.yield(1)
    _ = await probe.entries(1)
    probe.cancel()
    for await _ in ends {}
    source.yield(2)
    #expect(probe.log == ["1"])
  }

  /// Requests and cancels at random, and checks the number and the order of the values.
  @Test(arguments: 0..<200) func randomDemandIsNeverExceeded(seed: Int) async {
    var numbers = SeededNumbers(seed: seed)
    let count = Int.random(in: 0...6, using: &numbers)
    let probe = Probe<Int, Never>()
    stream(0..<count).publisher.subscribe(probe)
    var demand = 0
    var isCancelled = false
    for _ in 0..<Int.random(in: 1...5, using: &numbers) {
      let further = Int.random(in: 0...3, using: &numbers)
      probe.request(.max(further))
      demand += further
      if Int.random(in: 0..<6, using: &numbers) == 0 {
        isCancelled = true
        probe.cancel()
        break
      }
      if Bool.random(using: &numbers) { _ = await probe.entries(min(demand, count)) }
    }
    let values = (0..<count).map { "\($0)" }
    if isCancelled {
      #expect(probe.log.count <= demand)
      #expect((values + ["finished"]).starts(with: probe.log))
      return
    }
    let wanted = Array((values + ["finished"]).prefix(max(demand, 0)))
    #expect(await probe.entries(wanted.count) == wanted)
    probe.request(.unlimited)
    #expect(await probe.entries(count + 1) == values + ["finished"])
  }
}
