// expect: 'get' is unavailable: use 'Route(.get, "/boards", ...)'
// expect: 'get' is unavailable: use 'Route(.get, "/boards") { request in ... }'
// expect: 'post' is unavailable: use 'Route(.post, "/boards", ...)'
import Mocking

func routes() -> [Route] {
  [
    Route.get("/boards", .json([])),
    Route.get("/boards/{id}") { request in .json(["id": request.path["id"]]) },
    .post("/boards", .status(201)),
  ]
}
