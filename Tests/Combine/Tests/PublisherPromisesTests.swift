import Combine
import Promises
import PromisesCombine
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PublisherPromisesTests {
  @Test func thePromiseHasTheFirstValue() async throws {
    let subject = PassthroughSubject<Int, Failed>()
    let promise = subject.promise(on: .inline)
    subject.send(5)
    subject.send(6)
    #expect(try await promise.value == 5)
  }

  @Test func oneValueIsRequested() {
    let demands = Mutex<[Subscribers.Demand]>([])
    let subject = PassthroughSubject<Int, Failed>()
    let promise =
      subject.handleEvents(receiveRequest: { demand in demands.withLock { $0.append(demand) } })
      .promise(on: .inline)
    #expect(demands.withLock { $0 } == [.max(1)])
    promise.cancel()
  }

  @Test(arguments: [false, true])
  func theLastConsumerOfThePromiseCancelsTheSubscription(isDerived: Bool) {
    let cancellations = Mutex(0)
    let subject = PassthroughSubject<Int, Failed>()
    let promise =
      subject.handleEvents(receiveCancel: { cancellations.withLock { $0 += 1 } })
      .promise(on: .inline)
    let consumer = isDerived ? promise.map(on: .inline) { $0 + 1 } : promise
    consumer.cancel()
    #expect(cancellations.withLock { $0 } == 1)
  }

  @Test func anEndWithoutAValueRejects() async {
    await #expect(throws: PromiseError.missingValue) {
      try await Empty<Int, Failed>().promise(on: .inline).value
    }
  }

  @Test func aFailureRejects() async {
    await #expect(throws: Failed()) {
      try await Fail<Int, Failed>(error: Failed()).promise(on: .inline).value
    }
  }

  @Test func allValuesAreCollectedInOrder() async throws {
    #expect(try await [1, 2, 3].publisher.promiseOfAll(on: .inline).value == [1, 2, 3])
  }

  @Test func aPromiseSurvivesTheWayThereAndBack() async throws {
    #expect(try await Promise.fulfilled(3).publisher.promise(on: .inline).value == 3)
  }

  @Test func aCancelledPromiseKeepsNoPublisher() {
    weak var released: PassthroughSubject<Int, Failed>?
    let promise: Promise<Int>
    do {
      let subject = PassthroughSubject<Int, Failed>()
      released = subject
      promise = subject.promise(on: .inline)
      promise.cancel()
    }
    #expect(released == nil)
    withExtendedLifetime(promise) {}
  }
}
