// expect: 'init(_:_:)' is unavailable: begin with the method, or nil for all: 'Route(.get, "/boards", ...)'
// expect: 'init(_:_:)' is unavailable: begin with the method, or nil for all: 'Route(.get, "/boards") { request in ... }'
import Mocking

func routes() -> [Route] {
  [
    Route("/boards", .json([])),
    Route("/boards") { _ in .json([]) },
  ]
}
