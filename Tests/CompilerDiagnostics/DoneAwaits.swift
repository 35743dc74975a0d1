// expect: invalid conversion from throwing function of type
// expect: cannot pass function of type '@Sendable (Int) async throws -> ()' to parameter expecting synchronous function type
import Promises

func load(_ id: Int) async throws -> String { "\(id)" }

func show(_ id: Promise<Int>) {
  id.done { id in print(try await load(id)) }
}
