import Foundation
import Promises

/// A small program to read from top to bottom: `swift run first-chain`.
///
/// It orders a dinner from a kitchen that is slow, forgetful, and sometimes on fire. All waiting is
/// real, and short.

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
  /// A step that takes time and may fail.
  func cook(_ name: String) -> Promise<Dish> {
    after(.milliseconds(30)).map {
      if name == "truffles" { throw KitchenError.soldOut(name) }
      return Dish(name: name, price: name.count)
    }
  }

  /// One that fails twice before it succeeds.
  func flambe(_ name: String) -> Promise<Dish> {
    retry(.exponential(initial: .milliseconds(10), limit: 3)) { attempt in
      say("  attempt \(attempt) at the \(name)")
      return attempt < 3 ? .rejected(KitchenError.burnt(attempt: attempt)) : cook(name)
    }
  }

  /// One that takes an hour, and can be told to stop.
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

// MARK: Telling the story, and checking it

func say(_ line: String) {
  print(line)
}

struct Surprise: Error, CustomStringConvertible {
  let description: String
}

func expect<Value: Equatable>(_ actual: Value, _ expected: Value) throws {
  guard actual == expected else { throw Surprise(description: "got \(actual), not \(expected)") }
}

// MARK: The evening

let kitchen = Kitchen()

do {
  say("A chain: one step after the other")
  let bill =
    kitchen.cook("soup")
    .tap { dish in say("  \(dish.name) is served") }
    .then { soup in kitchen.cook("fish").map { fish in [soup, fish] } }
    .tap { dishes in say("  \(dishes[1].name) is served") }
    .map { dishes in dishes.map(\.price).reduce(0, +) }
  try expect(try await bill.value, 8)

  say("An error: the rest of the chain is skipped, until something recovers")
  let starter =
    kitchen.cook("truffles")
    .tap { _ in say("  truffles! (never said)") }
    .recover(KitchenError.self) { error in
      say("  \(error), so there is salad")
      return kitchen.cook("salad")
    }
  try expect(try await starter.value.name, "salad")

  say("Several at once, of different kinds, each in its context")
  let table = Promise(on: .background) {
    Thread.isMainThread ? "on the main thread?" : "a table in the background"
  }
  let (dish, seats) = try await when(kitchen.cook("pasta"), table).value
  say("  \(dish.name) at \(seats)")
  try expect(seats, "a table in the background")

  say("Again and again, until it works")
  try expect(try await kitchen.flambe("crepe").value, Dish(name: "crepe", price: 5))

  say("Enough waiting: the timeout leaves, and takes the work along")
  let patience = kitchen.stew()
    .timeout(.milliseconds(50))
    .recover(PromiseError.timedOut) { Dish(name: "sandwich", price: 4) }
  try expect(try await patience.value.name, "sandwich")

  say("Two wait for one stew, and one of them leaves: it cooks on. When both have left, it stops")
  let stew = kitchen.stew()
  let mine = stew.map(\.price)
  let yours = stew.map(\.name)
  mine.cancel()
  guard case .pending = stew.state else { throw Surprise(description: "the stew stopped too soon") }
  say("  one is still waiting")
  yours.cancel()
  guard case .rejected(let error) = stew.state, error.isCancellation else {
    throw Surprise(description: "the stew cooks on for nobody")
  }

  say("An hour in no time: the clock is the program's own")
  let time = TestScheduler()
  let siesta = after(.seconds(3600), scheduler: time).done { say("  good morning") }
  await time.advance(by: .seconds(3600))
  try await siesta.value
  say("  slept for \(time.elapsed)")

  say("Good night.")
} catch {
  say("That was not in the plan: \(error)")
  exit(1)
}
