#if os(Linux)
  import Foundation
  import Mocking
  import Networking

  // A client and its server in a network namespace. A test process cannot enter a namespace, so
  // OfflineNamespaceTests runs this worker in one. The argument is the folder of the store. Each line
  // of standard input is one of these commands, or a shell command:
  //
  //     serve         starts a server on a port of the namespace
  //     stop          stops the server
  //     send PATH     sends a request with offline storage
  //
  // Each line of standard output is an event.
  enum OfflineNamespace {
    static func run(_ arguments: [String]) throws {
      let port = 8080
      guard arguments.count == 2, let base = URL(string: "http://127.0.0.1:\(port)/") else {
        exit(64)
      }
      var configuration = NetworkingConfiguration()
      configuration.offline = .store(
        try OfflineStore(folder: URL(fileURLWithPath: arguments[1])))
      configuration.replaysWhenReachable = true
      let networking = Networking<Request>(configuration: configuration)
      networking.callbackContext = .inline
      networking.baseURL = base
      networking.onAutomaticReplay(logReplay)

      // Handlers must not run on the main actor, because the main thread waits for commands.
      @Sendable func logReplay(_ result: Result<OfflineStore.Report, any Error>) {
        switch result {
        case .success(let report):
          let paths = report.delivered.map(\.request.path.text)
          log("replayed: \(paths) delivered, \(report.kept.count) remaining")
        case .failure(let error): log("replay failed: \(error)")
        }
      }

      func serve() throws -> MockServer {
        try MockServer(
          routes: [
            Route(nil, "/{name}") { request in
              log("served \(request.method) \(request.target)")
              return .status(204)
            }
          ], port: port)
      }

      var server: MockServer?
      while let command = readLine() {
        if command == "serve" {
          do {
            server = try serve()
            log("serving")
          } catch {
            log("not serving: \(error)")
          }
        } else if command == "stop" {
          server?.stop()
          log("stopped")
        } else if command.hasPrefix("send ") {
          let path = RequestPath(stringLiteral: String(command.dropFirst(5)))
          networking.request(.put(path, .storedOffline))
            .done(on: .inline) { response in log("response \(response.status)") }
            .fail(on: .inline) { error in
              let error = error as? NetworkError
              log(
                "\(error.map { "\($0.code)" } ?? "?"), stored: \(error?.isStoredOffline ?? false)")
            }
        } else if system(command) != 0 {
          log("failed: \(command)")
        }
      }
      server?.stop()
    }
  }
#endif
