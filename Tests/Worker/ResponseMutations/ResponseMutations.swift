import Foundation
import Networking
import Promises
import TestSupport

// Sends changed responses to a client, and checks its outcomes against a model.
//
//     response-mutations curl|urlsession COUNT [FIRST]
//
// The transport `curl` exists on Linux only. The seeds are FIRST, by default 0, and those after it. All
// stories share one client; after each, a request must receive its own response. The program prints each
// seed that fails with its bytes, and exits with 1. Otherwise it prints "ok: COUNT stories". While it runs,
// its standard error has the current seed.
enum ResponseMutations {
  static func run(_ arguments: [String]) async throws {
    #if os(Linux) || os(macOS)
      let arguments = arguments.dropFirst()
      let numbers = arguments.dropFirst().compactMap { UInt64($0) }
      guard let kind = arguments.first.flatMap({ MutationRun.Kind(rawValue: $0) }),
        let count = numbers.first
      else {
        print("usage: response-mutations curl|urlsession COUNT [FIRST]")
        exit(64)
      }
      let first = numbers.dropFirst().first ?? 0
      let failures = try await MutationRun(kind).perform(first..<first + count)
      for failure in failures { print(failure) }
      if !failures.isEmpty { exit(1) }
      print("ok: \(count) stories")
    #endif
  }
}
