// Sends requests to an nginx that ends each connection after 50 of them, by GOAWAY over HTTP/2 and by
// `Connection: close` over HTTP/1.1, and prints how many failed.
//
//   kept-connections [REQUESTS] [CONCURRENT]
//
// The exit status is 1 if a request failed, and 3 if nginx or openssl is missing.

import Foundation
import Networking
import TestSupport

#if os(Linux)
  /// The outcome of a number of requests.
  struct Outcome {
    /// The number of failed requests for each reason.
    var failures: [String: Int] = [:]
    var connections = Set<String>()

    mutating func add(_ record: ExchangeRecord) {
      if let connection = record.head?.headers["X-Connection"] { connections.insert(connection) }
      guard record.body != Data("done".utf8) || record.failure != nil else { return }
      let reason = record.failure.map { "\($0.code): \($0.detail)" } ?? "a wrong body"
      failures[reason, default: 0] += 1
    }

    mutating func add(_ other: Outcome) {
      failures.merge(other.failures, uniquingKeysWith: +)
      connections.formUnion(other.connections)
    }
  }

  func outcome(
    of count: Int, _ request: HTTPRequest, by concurrent: Int, over transport: CurlTransport
  ) async -> Outcome {
    await withTaskGroup(of: Outcome.self) { group in
      for worker in 0..<concurrent {
        group.addTask {
          var outcome = Outcome()
          for _ in 0..<((count + worker) / concurrent) {
            outcome.add(await transport.perform(request))
          }
          return outcome
        }
      }
      return await group.reduce(into: Outcome()) { $0.add($1) }
    }
  }

  guard NginxServer.isAvailable, Certificates.areAvailable else {
    print("nginx or openssl is missing")
    exit(3)
  }
  let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
  let count = max(arguments.first ?? 10_000, 1)
  let concurrent = max(arguments.dropFirst().first ?? 16, 1)
  let certificates = try await Certificates()
  try await certificates.make("good", host: "DNS:localhost")
  let server = try await NginxServer(
    certificates, "good", upstream: 1, requestsPerConnection: 50)

  print("\(count) requests, \(concurrent) at once; seconds, connections, failures")
  var hasFailed = false
  for allowsHTTP2 in [false, true] {
    for method in [HTTPMethod.get, .post] {
      let transport = try CurlTransport(
        options: .init(
          tls: certificates.trusting,
          unixSocketPath: server.socketPath, allowsHTTP2: allowsHTTP2))
      let request = HTTPRequest(
        method: method, url: .of(method == .get ? "https://localhost/" : "https://localhost/read"),
        body: method == .get ? .none : .data(Data("body".utf8)))
      let start = ContinuousClock.now
      let outcome = await outcome(of: count, request, by: concurrent, over: transport)
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      let failed = outcome.failures.values.reduce(0, +)
      print(
        allowsHTTP2 ? "HTTP/2  " : "HTTP/1.1", method.rawValue,
        String(format: "%.1f", seconds), outcome.connections.count, failed, separator: "\t")
      for (reason, count) in outcome.failures { print("  \(count) \(reason)") }
      hasFailed = hasFailed || failed > 0
    }
  }
  exit(hasFailed ? 1 : 0)
#endif
