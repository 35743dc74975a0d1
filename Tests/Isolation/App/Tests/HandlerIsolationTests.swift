import Dispatch
import Networking
import Testing

/// A mark on the main queue, which runs the code of the main actor.
nonisolated enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}

@MainActor final class Visits {
  private(set) var names: [String] = []
  private(set) var namesOffTheMainQueue: [String] = []

  func note(_ name: String) {
    names.append(name)
    if !MainQueue.isCurrent { namesOffTheMainQueue.append(name) }
  }
}

/// The promises settle in a background context, so a handler without isolation would run there.
@MainActor struct HandlerIsolationTests {
  private let visits = Visits()

  @Test func stepsRunOnTheMainActorWhateverTheContextOfTheirPromise() async throws {
    let number = Promise(on: .background) { 1 }
      .on(.background)
      .map { number in
        visits.note("map")
        return number
      }
      .done { _ in visits.note("done") }
      .then { number in
        visits.note("then")
        return number + 1
      }
      .tap { _ in visits.note("tap") }
      .validate { _ in
        visits.note("validate")
        return true
      }
    #expect(try await number.value == 2)
    #expect(visits.names == ["map", "done", "then", "tap", "validate"])
    #expect(visits.namesOffTheMainQueue.isEmpty)
  }

  @Test func handlersOfAnErrorRunOnTheMainActorWhateverTheContextOfTheirPromise() async throws {
    let number = Promise<Int>.rejected(PromiseError.missingValue)
      .on(.background)
      .fail { _ in visits.note("fail") }
      .always { _ in visits.note("always") }
      .recover(PromiseError.missingValue) {
        visits.note("recover")
        return 5
      }
    #expect(try await number.value == 5)
    #expect(visits.names == ["fail", "always", "recover"])
    #expect(visits.namesOffTheMainQueue.isEmpty)
  }

  @Test func functionsThatRepeatWorkRunItOnTheMainActor() async throws {
    let retried = retry(.immediate(limit: 1)) { attempt in
      visits.note("attempt \(attempt)")
      return attempt == 1
        ? Promise<Int>.rejected(PromiseError.missingValue) : after(.zero).map { attempt }
    }
    #expect(try await retried.value == 2)
    let sum = reduce(1...2, 0) { sum, number in
      visits.note("element \(number)")
      return Promise(on: .background) { sum + number }
    }
    #expect(try await sum.value == 3)
    let squares = when(1...2, concurrency: 1) { number in
      visits.note("item \(number)")
      return Promise(on: .background) { number * number }
    }
    #expect(try await squares.value == [1, 4])
    #expect(
      visits.names == ["attempt 1", "attempt 2", "element 1", "element 2", "item 1", "item 2"])
    #expect(visits.namesOffTheMainQueue.isEmpty)
  }

  @Test func aHandlerWithAContextRunsThere() async throws {
    let isOnMainQueue = Promise(on: .background) { 1 }.then(on: .background) { _ in
      MainQueue.isCurrent
    }
    #expect(try await isOnMainQueue.value == false)
  }
}
