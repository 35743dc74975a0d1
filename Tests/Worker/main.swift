import Foundation
import TestSupport

// Runs a part of a test that needs a process of its own.
//
//     test-worker NAME ARGUMENT...
//
// The file of each worker describes its arguments and its output.

/// The function of a worker.
///
/// Its first argument is the name of the worker.
enum Worker {
  /// A function that runs on the main thread.
  case blocking(([String]) throws -> Void)
  /// A function that runs on any thread.
  case asynchronous(@Sendable ([String]) async throws -> Void)
}

var workers: [String: Worker] = [
  "cache-worker": .asynchronous(CacheWorker.run),
  "hostile-requests": .asynchronous(HostileRequests.run),
  "large-bodies": .asynchronous(LargeBodies.run),
  "main-thread-waits": .blocking(MainThreadWaits.run),
  "oauth2-worker": .blocking(OAuth2Worker.run),
  "offline-faults": .asynchronous(OfflineFaults.run),
  "offline-worker": .blocking(OfflineWorker.run),
  "response-mutations": .asynchronous(ResponseMutations.run),
  "simulation": .asynchronous(Simulation.run),
  "suspended-client": .asynchronous(SuspendedClient.run),
]
#if os(Linux) || os(macOS)
  workers["broken-streams"] = .asynchronous(BrokenStreams.run)
  workers["suspensions"] = .asynchronous(Suspensions.run)
  workers["stopped-client"] = .asynchronous(StoppedClient.run)
#endif
#if os(Linux)
  workers["hanging-resolver"] = .asynchronous(HangingResolver.run)
  workers["offline-namespace"] = .blocking(OfflineNamespace.run)
  workers["reachability-watch"] = .blocking(ReachabilityWatch.run)
  workers["shared-port"] = .asynchronous(SharedPort.run)
#endif

/// Prints a line and flushes it, because standard output to a pipe is buffered.
@Sendable func log(_ line: String) {
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

/// Returns a closure that kills the process at its call with this number; 0 disables this.
func killBefore(_ steps: Int) -> @Sendable (String) -> Void {
  let step = Counter()
  return { _ in if step.add() == steps { kill(getpid(), SIGKILL) } }
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first.flatMap({ workers[$0] }) {
case .blocking(let run): try run(arguments)
case .asynchronous(let run):
  Task.detached {
    do {
      try await run(arguments)
      exit(0)
    } catch {
      print(error)
      exit(1)
    }
  }
  dispatchMain()
case nil:
  print("usage: test-worker NAME ARGUMENT...\n\nNAME is one of", workers.keys.sorted())
  exit(64)
}
