// expect 2: 'verify' is unavailable: write the number as '.exactly(2)' or '.atLeast(2)'
import Mocking
import Networking

func check(_ provider: MockProvider<Request>) throws {
  try provider.verify(.get, "boards", 2)
  try provider.verify(.get("boards", .query("page", "2")), 2)
}
