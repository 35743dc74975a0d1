// expect: 'mocked' is unavailable: clients reach a server by its URL: create it in the test, and give the code under test 'server.url'
import CatenaTesting

func trait() -> MockedTrait {
  .mocked(try MockServer { Route(.get, "/boards", .json([])) })
}
