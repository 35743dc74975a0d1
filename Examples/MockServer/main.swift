import Foundation
import Mocking

// Read StubServer.swift first: a file of stubs, a server of its routes, and new routes when it changes.

let console = Console()

do {
  switch try Options(CommandLine.arguments.dropFirst()) {
  case .help:
    print(Options.usage)

  case .serve(let file, let port):
    let interruption = Interruption()
    let server = try StubServer(file, port: port, console)
    await interruption.wait()
    server.stop()

  case .record(let origin, let file, let port, let allowsTokens):
    let interruption = Interruption()
    let server = try RecordingServer(
      origin, to: file, port: port, allowsTokens: allowsTokens, console)
    await interruption.wait()
    try server.stop()
  }
  console.flush()
} catch let error as Options.Problem {
  console.failure("\(error)")
  exit(2)
} catch MockServerError.cannotListen(let port, let reason) {
  console.failure("cannot listen on port \(port): \(reason); --port 0 chooses a free one")
  exit(1)
} catch {
  console.failure("\(error)")
  exit(1)
}
