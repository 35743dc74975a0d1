// expect: 'done' is unavailable: it only observes; use then { value in }
import Promises

func load(_ id: Int) async throws -> String { "\(id)" }

func show(_ id: Promise<Int>) {
  id.done { id in print(try await load(id)) }
}
