// expect: 'once' is unavailable: use '.exactly(1)'
// expect: 'twice' is unavailable: use '.exactly(2)'
// expect: 'times' has been renamed to 'exactly(_:)'
import Mocking
import Networking

func check(_ provider: MockProvider<Request>) throws {
  try provider.verify(.get, "boards", .once)
  try provider.verify(.get, "boards", .twice)
  try provider.verify(.get, "boards", .times(3))
}
