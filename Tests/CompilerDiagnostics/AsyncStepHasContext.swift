// expect 2: cannot pass function of type '@Sendable (Int) async throws -> Int' to parameter expecting synchronous function type
import Networking

func saved(_ number: Int) async throws -> Int { number }

func save(_ number: Promise<Int>) -> Promise<Int> {
  number.then(on: .background) { number in try await saved(number) }
}

func saveInline(_ number: Promise<Int>) -> Promise<Int> {
  number.map { number in try await saved(number) }
}
