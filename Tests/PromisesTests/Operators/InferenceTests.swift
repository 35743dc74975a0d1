import Promises
import TestGate
import TestSupport
import Testing

/// Code that the type checker must accept without annotations.
@Suite(.gated)
struct InferenceTests {
  private struct Book: Sendable, Equatable {
    var title = "Dune"
    var pages = 300
  }

  /// An object with state, as in an app.
  @MainActor private final class Shelf {
    var text = ""
    var pages = 0
  }

  private func find() -> Promise<Book> { .fulfilled(Book()) }
  private func count() -> Promise<Int> { .fulfilled(1) }
  private func name() -> Promise<String> { .fulfilled("a") }

  // MARK: Tuples

  @Test func membersOfTuples() async throws {
    #expect(try await when(count(), name()).map { $0.1 }.value == "a")
    #expect(try await when(count(), name(), find()).map { $0.2 }.value == Book())
    #expect(try await when(count(), name(), count(), find()).map { $0.3 }.value == Book())
    #expect(
      try await when(count(), name(), count(), count(), find()).map { $0.4.pages }.value == 300)
    let six = when(count(), name(), count(), count(), count(), find()).map { $0.5.title }
    #expect(try await six.value == "Dune")
    let outcomes = settled(count(), name(), count(), find()).map { try $0.3.get().pages }
    #expect(try await outcomes.value == 300)
  }

  @Test func closuresWithAParameterForEachValue() async throws {
    #expect(
      try await when(count(), name()).then { number, name in "\(number)\(name)" }.value == "1a")
    let three = when(count(), count(), name()).then { a, b, c in Promise.fulfilled(c + "\(a + b)") }
    #expect(try await three.value == "a2")
    let four = when(count(), count(), count(), find()).map { a, b, c, book in
      let sum = a + b + c
      return book.pages + sum
    }
    #expect(try await four.value == 303)
    let five = when(count(), count(), count(), count(), find()).map { a, b, c, d, book in
      book.pages + a + b + c + d
    }
    #expect(try await five.value == 304)
    let log = Log<Int>()
    when(count(), count(), count(), find()).done(on: .inline) { a, b, c, book in
      log.append(a + b + c + book.pages)
    }
    #expect(log.entries == [303])
    let outcomes = settled(count(), name(), count()).map { a, _, c in try a.get() + c.get() }
    #expect(try await outcomes.value == 2)
  }

  @Test func aTupleOfSevenOrMoreValues() async throws {
    let seven = when(count(), count(), count(), count(), count(), count(), name())
    let (_, _, _, _, _, _, name) = try await seven.value
    #expect(name == "a")
    let outcomes = settled(count(), count(), count(), count(), count(), count(), count(), find())
    #expect(try await outcomes.value.7.get() == Book())
  }

  // MARK: Closures with several statements

  @Test @MainActor func aStepOfSeveralStatementsBeforeAnother() async throws {
    let shelf = Shelf()
    let found = count()
      .then { number in
        let title = "\(number)"
        return Promise.fulfilled(Book(title: title, pages: number))
      }
      .done { book in shelf.text = book.title }
      .tap { book in shelf.pages = book.pages }
    _ = try await found.value
    #expect(shelf.text == "1" && shelf.pages == 1)
    let mapped = count()
      .map { number in
        let sum = number + 1
        return sum * 2
      }
      .then { number in
        let title = "\(number)"
        return Book(title: title, pages: number)
      }
      .done { shelf.text = $0.title }
      .map { $0.pages }
    #expect(try await mapped.value == 4)
    #expect(shelf.text == "4")
  }

  @Test func aStepOfSeveralStatementsWithoutAResult() async throws {
    let log = Log<Int>()
    let steps: Promise<Void> = count()
      .then { number in
        log.append(number)
        log.append(number + 1)
      }
      .then {
        log.append(3)
        log.append(4)
      }
      .thenInBackground {
        log.append(5)
        log.append(6)
      }
      .then(on: .background) {
        log.append(7)
        log.append(8)
      }
      .tap { log.append(9) }
      .fail { _ in log.append(0) }
    try await steps.value
    #expect(log.entries == Array(1...9))
  }

  @Test func aStepThatThrowsOrReturnsAPromise() async {
    let step = count()
      .then { number in
        guard number > 1 else { throw TestError("guard") }
        return find()
      }
      .map { $0.pages }
    #expect(await step.result.failure() == TestError("guard"))
    let promise: Promise<Book> = count().then { number in
      guard number > 1 else { return .rejected(TestError("promise")) }
      return find()
    }
    #expect(await promise.result.failure() == TestError("promise"))
  }

  // MARK: Key paths and functions

  @Test func keyPaths() async throws {
    #expect(try await find().then(\.pages).value == 300)
    #expect(try await find().then(\.title).then(\.count).map { $0 + 1 }.value == 5)
    #expect(try await Promise.fulfilled([1, 2]).then(\.count).value == 2)
    #expect(try await Promise.fulfilled([1, 2]).then(on: .inline, \.count).value == 2)
    #expect(try await find().map(\.title).compactMap(\.first).value == "D")
  }

  @MainActor
  private struct Draft {
    var title = "Dune"
    var length: Int {
      MainActor.assertIsolated()
      return title.count
    }
  }

  @Test @MainActor func theKeyPathOfAPropertyOfAnActorIsReadOnTheActor() async throws {
    let (draft, resolver) = Promise<Draft>.pending()
    let length = draft.map(\.length)
    let draftValue = Draft()
    await Task.detached { resolver.fulfill(draftValue) }.value
    #expect(try await length.value == 4)
  }

  @Test func aStepWithAPromiseIsFollowed() async throws {
    let found: Promise<Book> = count().then { _ in find() }
    #expect(try await found.value == Book())
    let background: Promise<Int> = Promise(on: .background) { count() }
    #expect(try await background.value == 1)
    let inferred = Promise(on: .background) { count() }
    let following: Promise<Int> = inferred
    #expect(try await following.value == 1)
  }
}
