import Foundation
import Promises

/// A small program to read from top to bottom: `swift run --package-path Examples first-chain`.
///
/// It orders a dinner from a kitchen that is slow and sometimes fails. It waits in real time, for
/// less than a second in total, and checks each result.

// MARK: A kitchen

enum KitchenError: Error, Equatable {
  case soldOut(String)
  case burnt(attempt: Int)
}

struct Dish: Sendable, Equatable {
  let name: String
  let price: Int
}

struct Kitchen: Sendable {
  /// A step that takes time and can fail.
  func cook(_ name: String) -> Promise<Dish> {
    after(.milliseconds(30)).map {
      if name == "truffles" { throw KitchenError.soldOut(name) }
      return Dish(name: name, price: name.count)
    }
  }

  /// A step that fails twice and then succeeds.
  func flambe(_ name: String) -> Promise<Dish> {
    retry(.exponential(initial: .milliseconds(10), limit: 3)) { attempt in
      say("  attempt \(attempt) at the \(name)")
      return attempt < 3 ? .rejected(KitchenError.burnt(attempt: attempt)) : cook(name)
    }
  }

  /// A step that takes an hour and supports cancellation.
  func stew() -> Promise<Dish> {
    Promise { resolver in
      let hour = after(.seconds(3600)).done {
        resolver.fulfill(Dish(name: "stew", price: 20))
      }
      resolver.onCancel {
        hour.cancel()
        say("  the cook takes the stew off the fire")
      }
    }
  }
}

// MARK: Output and checks

func say(_ line: String) {
  print(line)
}

struct UnexpectedResult: Error, CustomStringConvertible {
  let description: String
}

func expect<Value: Equatable>(_ actual: Value, _ expected: Value) throws {
  guard actual == expected else {
    throw UnexpectedResult(description: "got \(actual), expected \(expected)")
  }
}

// MARK: The program

let kitchen = Kitchen()

do {
  say("A chain: each step starts when the previous one has succeeded")
  let bill =
    kitchen.cook("soup")
    .tap { dish in say("  \(dish.name) is served") }
    .then { soup in kitchen.cook("fish").map { fish in [soup, fish] } }
    .tap { dishes in say("  \(dishes[1].name) is served") }
    .map { dishes in dishes.map(\.price).reduce(0, +) }
  try expect(try await bill.value, 8)

  say("An error: the chain skips to the next recover")
  let starter =
    kitchen.cook("truffles")
    .tap { _ in say("  this step is skipped") }
    .recover(KitchenError.self) { error in
      say("  \(error), so there is salad")
      return kitchen.cook("salad")
    }
  try expect(try await starter.value.name, "salad")

  say("Parallel steps: when() waits for promises of different types")
  let table = Promise(on: .background) {
    Thread.isMainThread ? "on the main thread?" : "a table in the background"
  }
  let (dish, seats) = try await when(kitchen.cook("pasta"), table).value
  say("  \(dish.name) at \(seats)")
  try expect(seats, "a table in the background")

  say("Retry: a step is repeated until it succeeds")
  try expect(try await kitchen.flambe("crepe").value, Dish(name: "crepe", price: 5))

  say("Timeout: it cancels the step that takes too long")
  let meal = kitchen.stew()
    .timeout(.milliseconds(50))
    .recover(PromiseError.timedOut) { Dish(name: "sandwich", price: 4) }
  try expect(try await meal.value.name, "sandwich")

  say("Cancellation: a step with two consumers stops when both have cancelled")
  let stew = kitchen.stew()
  let price = stew.map(\.price)
  let name = stew.map(\.name)
  price.cancel()
  guard case .pending = stew.state else {
    throw UnexpectedResult(description: "the stew stopped after one of two cancellations")
  }
  say("  one consumer is left")
  name.cancel()
  guard case .rejected(let error) = stew.state, error.isCancellation else {
    throw UnexpectedResult(description: "the stew did not stop after both cancellations")
  }

  say("Virtual time: a TestScheduler advances by an hour at once")
  let time = TestScheduler()
  let siesta = after(.seconds(3600), scheduler: time).done { say("  good morning") }
  await time.advance(by: .seconds(3600))
  try await siesta.value
  say("  slept for \(time.elapsed)")

  say("Done.")
} catch {
  say("Unexpected error: \(error)")
  exit(1)
}
