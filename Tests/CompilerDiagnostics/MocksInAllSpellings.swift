// compiles
import Mocking
import Networking

struct CardDeclined: Error {}

func mocks(text: String, id: Int) -> [Mock] {
  [
    .status(404),
    .status(200, headers: ["ETag": "1"]),
    .json(["text": text, "id": id], status: 201),
    .text(text, status: 500),
    .failure(.connectionLost),
    .failure(.timedOut(.idle)),
    .failure(CardDeclined()),
    .json([]).delayed(by: .seconds(1)),
    .json([]).delayed(by: .seconds(0.5)).header("ETag", "1"),
    .json([]).delayed(by: .uniform(.milliseconds(80), .milliseconds(300))),
    .sequence(.status(503), .json([])),
  ]
}

func properties(_ mock: Mock) -> Bool {
  mock.delay == nil && mock.status == 200 && mock.headers["ETag"] == nil && mock.failure == nil
}

func check(_ provider: MockProvider<Request>) throws {
  try provider.verify(.get, "boards")
  try provider.verify(.get, "/boards/{id}", .never)
  try provider.verify(.get("boards"), .exactly(2))
  try provider.verify(.post("boards", .json(containing: ["type": 2])))
}
