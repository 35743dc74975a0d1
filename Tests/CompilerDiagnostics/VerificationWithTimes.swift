// expect: 'verify(_:_:times:)' is unavailable: write the number as '.exactly(2)' or '.atLeast(2)'
// expect: 'verify(_:times:)' is unavailable: write the number as '.exactly(2)' or '.atLeast(2)'
import Mocking
import Networking

func check(_ server: MockServer) throws {
  try server.verify(.get, "boards", times: 2)
  try server.verify(.get("boards"), times: 2)
}
