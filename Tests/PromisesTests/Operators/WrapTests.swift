import Dispatch
import Promises
import TestGate
import TestSupport
import Testing

/// A device with a method for each usual shape of a completion handler.
private struct Device {
  typealias Completion = (_ text: String?, _ error: (any Error)?) -> Void

  let text: String?
  let error: TestError?

  func read(_ completion: @escaping Completion) { completion(text, error) }

  func readErrorFirst(_ completion: @escaping (_ error: (any Error)?, _ text: String?) -> Void) {
    completion(error, text)
  }

  func readResult(_ completion: @escaping (Result<String, TestError>) -> Void) {
    if let error { completion(.failure(error)) } else { completion(.success(text ?? "")) }
  }

  func write(_ text: String, _ completion: @escaping ((any Error)?) -> Void) { completion(error) }

  func isReady(_ completion: @escaping (Bool, (any Error)?) -> Void) { completion(true, error) }

  func size(_ completion: @escaping @Sendable (Int) -> Void) {
    DispatchQueue.global().async { completion(5) }
  }

  func close(_ completion: @escaping @Sendable () -> Void) {
    DispatchQueue.global().async(execute: completion)
  }

  func status(
    _ completion: @escaping (_ text: String?, _ code: Int?, _ error: (any Error)?) -> Void
  ) {
    completion(text, text?.count, error)
  }
}

@Suite(.gated)
struct WrapTests {
  private let device = Device(text: "text", error: nil)
  private let broken = Device(text: nil, error: TestError("broken"))
  private let partial = Device(text: "part", error: TestError("partial"))
  private let silent = Device(text: nil, error: nil)

  @Test func aValueAndAnOptionalError() async throws {
    #expect(try await wrap { device.read($0) }.value == "text")
    #expect(try await wrap(device.read).value == "text")
    #expect(await wrap(broken.read).result.failure() == TestError("broken"))
    #expect(await wrap(partial.read).result.failure() == TestError("partial"))
    #expect(await wrap(silent.read).result.failure() == PromiseError.missingValue)
  }

  @Test func anOptionalErrorBeforeTheValue() async throws {
    #expect(try await wrap { device.readErrorFirst($0) }.value == "text")
    #expect(await wrap(broken.readErrorFirst).result.failure() == TestError("broken"))
    #expect(await wrap(silent.readErrorFirst).result.failure() == PromiseError.missingValue)
  }

  @Test func aResult() async throws {
    #expect(try await wrap { device.readResult($0) }.value == "text")
    #expect(await wrap { broken.readResult($0) }.result.failure() == TestError("broken"))
  }

  @Test func anOptionalErrorAlone() async throws {
    let written: Promise<Void> = wrap { device.write("a", $0) }
    try await written.value
    #expect(await wrap { broken.write("a", $0) }.result.failure() == TestError("broken"))
  }

  @Test func aValueThatIsNotOptionalAndAnError() async throws {
    #expect(try await wrap { device.isReady($0) }.value == true)
    #expect(await wrap { broken.isReady($0) }.result.failure() == TestError("broken"))
  }

  @Test func aValueAlone() async throws {
    #expect(try await wrap { device.size($0) }.value == 5)
  }

  @Test func noArgument() async throws {
    let closed: Promise<Void> = wrap { device.close($0) }
    try await closed.value
  }

  @Test func twoValuesAndAnOptionalError() async throws {
    let (text, code) = try await wrap { device.status($0) }.value
    #expect(text == "text" && code == 4)
    #expect(await wrap { broken.status($0) }.result.failure() == TestError("broken"))
    #expect(await wrap { partial.status($0) }.result.failure() == TestError("partial"))
    #expect(await wrap { silent.status($0) }.result.failure() == PromiseError.missingValue)
  }

  @Test func onlyTheFirstCallOfTheHandlerHasAnEffect() async throws {
    let number: Promise<Int> = wrap { (completion: @escaping @Sendable (Int) -> Void) in
      completion(1)
      completion(2)
    }
    #expect(number.currentValue == 1)
  }

  @Test func anErrorThatTheClosureThrowsRejects() async {
    let number: Promise<Int> = wrap { (_: @escaping @Sendable (Int) -> Void) in
      throw TestError("start")
    }
    #expect(await number.result.failure() == TestError("start"))
  }

  @Test func aReleasedHandlerRejectsWithAbandoned() async {
    let number: Promise<Int> = wrap { (_: @escaping @Sendable (Int) -> Void) in }
    #expect(await number.result.failure() == PromiseError.abandoned)
  }

  @Test func aMethodOfAResolverIsACompletionHandler() async throws {
    let text = Promise<String> { resolver in device.read(resolver.resolve) }
    #expect(try await text.value == "text")
    let failed = Promise<String> { resolver in partial.read { resolver.resolve($0, $1) } }
    #expect(await failed.result.failure() == TestError("partial"))
  }
}
