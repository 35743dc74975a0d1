// expect 2: 'init(_:)' is unavailable: name the type of the endpoints: 'MockProvider<BoardsAPI> { ... }'
import Mocking
import Networking

func providers() {
  let all = MockProvider { _ in .status(200) }
  let named = MockProvider { endpoint in .json(["id": 7]) }
  print(all, named)
}
