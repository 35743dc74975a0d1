#if os(Linux)
  import Foundation
  import Mocking
  import Networking
  import Synchronization

  // A client and its server in a network namespace of their own, which a test cannot move into:
  // OfflineNamespaceTests runs this program in one. The first argument is the store's folder. A line on
  // standard input is a command for the shell, that of
  //
  //     serve         begins to serve, at a port of the namespace's own
  //     stop          serves no more
  //     send PATH     makes a request that wants to be kept
  //
  // A line on standard output says what has happened.

  /// Prints a line and flushes it, because standard output to a pipe is buffered.
  @Sendable func tell(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }

  let port = 8080
  guard CommandLine.arguments.count == 2, let base = URL(string: "http://127.0.0.1:\(port)/") else {
    exit(64)
  }
  var configuration = NetworkingConfiguration()
  configuration.offline = .store(
    try OfflineStore(folder: URL(fileURLWithPath: CommandLine.arguments[1])))
  configuration.replaysWhenReachable = true
  let networking = Networking<Request>(configuration: configuration)
  networking.callbackContext = .inline
  networking.setBaseURL(base)
  networking.onAutomaticReplay = { result in
    switch result {
    case .success(let report):
      let paths = report.delivered.map(\.request.path.text)
      tell("replayed: \(paths) delivered, \(report.kept.count) kept")
    case .failure(let error): tell("replay failed: \(error)")
    }
  }

  func serve() throws -> MockServer {
    try MockServer(
      routes: [
        Route(nil, "/{name}") { request in
          tell("served \(request.method) \(request.target)")
          return .status(204)
        }
      ], port: port)
  }

  var server: MockServer?
  while let command = readLine() {
    if command == "serve" {
      do {
        server = try serve()
        tell("serving")
      } catch {
        tell("not serving: \(error)")
      }
    } else if command == "stop" {
      server?.stop()
      tell("stopped")
    } else if command.hasPrefix("send ") {
      let path = RequestPath(stringLiteral: String(command.dropFirst(5)))
      networking.request(.put(path).storing(.offline))
        .done { response in tell("answered \(response.status)") }
        .fail { error in
          let error = error as? NetworkError
          tell("\(error.map { "\($0.code)" } ?? "?"), kept: \(error?.isKept ?? false)")
        }
    } else if system(command) != 0 {
      tell("failed: \(command)")
    }
  }
  server?.stop()
#endif
