import Foundation
import LoadSupport
import Mocking

/// Runs one kind of load with Catena and prints its cost.
@main
enum CatenaLoad {
  /// Starts the load and waits.
  ///
  /// An asynchronous `main` calls `dispatch_main`, which turns the main thread into libdispatch's thread for
  /// signals. valgrind 3.19 crashes on that.
  static func main() {
    let arguments = Arguments()
    Task.detached { await run(arguments) }
    DispatchSemaphore(value: 0).wait()
  }

  private static func run(_ arguments: Arguments) async {
    switch arguments.command {
    case "get": await Gets(arguments).run()
    case "chain": await Chains(arguments).run()
    case "download": await Transfers(arguments).download()
    case "upload": await Transfers(arguments).upload()
    case "mocked": await MockedRequests(arguments).run()
    case "compute": await Computation(arguments).run()
    default:
      print("usage: catena-load get|chain|download|upload|mocked|compute [--option value ...]")
      exit(2)
    }
  }
}
