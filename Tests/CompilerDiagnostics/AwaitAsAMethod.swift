// expect: 'await()' is unavailable: use 'try await promise.value'
import Promises

func show(_ number: Promise<Int>) async throws {
  print(try await number.await())
}
