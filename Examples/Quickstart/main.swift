import Foundation
import Mocking

// Read Walk.swift first: it is the chain. BoardsAPI.swift says what can be asked, BoardsServer.swift
// and MockedBoards.swift who answers.

let modes: [RequestMode] = [.sync, .limited(3), .async]
let delay = Duration.milliseconds(40)
let report = Report()

func walk(_ backend: Backend) async throws -> [Run] {
  report.title(backend.title)
  let runs = try await backend.walk(modes)
  report.table(runs)
  return runs
}

do {
  switch try Options(CommandLine.arguments.dropFirst()) {
  case .help:
    print(Options.usage)

  case .tour:
    let server = try BoardsServer(delay: delay)
    let served = try await walk(.server(server))
    server.stop()
    let mocked = try await walk(.mocks(Gauge(MockedBoards.provider(delay: delay))))
    let requests = (served + mocked).map(\.requests).reduce(0, +)
    report.success("All \(requests) requests were answered as they should be.")

  case .walk(let url):
    let runs = try await walk(.url(url))
    let requests = runs.map(\.requests).reduce(0, +)
    report.success("All \(requests) requests were answered as they should be.")

  case .serve(let port):
    let server = try BoardsServer(port: port, delay: delay)
    print("The boards API is at \(server.url). Ctrl-C ends it.")
    while true {
      fflush(nil)
      let request = try await server.nextRequest().value
      print("\(request.method) \(request.target)")
    }
  }
} catch let error as Options.Problem {
  report.failure("\(error)")
  exit(2)
} catch {
  report.failure("\(error)")
  exit(1)
}
