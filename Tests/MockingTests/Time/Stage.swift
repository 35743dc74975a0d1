import Foundation
import Mocking
import TestSupport

/// Where a ``Story`` is played: a clock, how long a beat of it is, and a log of what came, in order.
struct Stage: Sendable {
  let scheduler: any Scheduler
  let beat: Duration
  let log = Log<String>()

  struct Endpoint: RequestConvertible {
    let name: String
    static let baseURL: URL? = URL(string: "https://api.example.com/")
    var request: Request { .get("items/\(name)") }
  }

  /// A client of a backend that answers by the name asked for.
  func client(
    _ mode: RequestMode = .async, retry: RetryPolicy? = nil, callTimeout: Duration? = nil,
    _ answer: @escaping @Sendable (_ name: String) -> Mock
  ) -> Networking<Endpoint> {
    var configuration = NetworkingConfiguration()
    // The longest of the delays would be a silence to it.
    configuration.idleTimeout = nil
    configuration.callTimeout = callTimeout
    let provider = MockProvider<Endpoint>(scheduler: scheduler) { answer($0.name) }
    return Networking(
      mode: mode, mockProvider: provider, retry: retry, configuration: configuration)
  }

  /// A client whose answers are their own names, each after so many beats.
  func client(callTimeout: Duration? = nil, answering delays: [String: Int]) -> Networking<Endpoint>
  {
    client(callTimeout: callTimeout) { [beat] name in
      .text(name).delayed(by: beat * (delays[name] ?? 0))
    }
  }

  /// Asks for something, and logs what comes of it.
  @discardableResult
  func ask(_ client: Networking<Endpoint>, _ name: String) -> Promise<String> {
    logging(name, client.request(Endpoint(name: name)).validate().toString())
  }

  /// Logs the text of an answer, or what it failed by.
  @discardableResult
  func logging(_ name: String, _ answer: Promise<String>) -> Promise<String> {
    answer
      .done { [log] text in log.append(text) }
      .fail { [log] error in
        let code = (error as? NetworkError)?.code
        let isLate = code == .timedOut(.call) || (error as? PromiseError) == .timedOut
        log.append("\(name): \(isLate ? "out of time" : code.map { "\($0)" } ?? "\(error)")")
      }
  }
}
