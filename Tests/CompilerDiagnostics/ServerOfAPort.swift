// expect: 'init(port:)' is unavailable: routes follow: 'MockServer(port: 8080) { ... }', or 'MockServer(routes: [], port: 8080)'
// expect: 'start()' is unavailable: the server runs as soon as it is created; remove 'start()'
// expect: 'baseURL' has been renamed to 'url'
import Mocking

func serve() throws {
  let empty = try MockServer(port: 8080)
  empty.start()
  let server = try MockServer(port: 8080) { Route(.get, "/boards", .json([])) }
  print(server.baseURL)
}
