// expect: 'query' is unavailable: one condition for each item: '.query("page", "2"), .query("size", "9")'
// expect: 'bearer' is unavailable: use '.header("Authorization", "Bearer \(token)")'
import Mocking

func routes(_ token: String) -> [Route] {
  [
    Route(.get, "/boards", .json([])).where(.query(["page": "2"])),
    Route(.get, "/boards", .json([])).where(.bearer(token)),
    Route(.get, "/boards", .json([])).where(.query("page", "2"), .header("Authorization")),
  ]
}
