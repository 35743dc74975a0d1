import Foundation
import Networking

// Prints the pins of the certificates of servers: `tls-pins example.com 192.0.2.7:8443`.
//
// No request is sent: a rule rejects each server after its chain has been verified.

/// Returns the lines about a server, and whether its chain was verified.
func report(on host: String) async throws -> (lines: [String], isVerified: Bool) {
  guard let url = URL(string: "https://\(host)/"), url.host != nil else {
    return (["\(host): not a host"], false)
  }
  let rejected = "read"
  let client = Networking<Request>(
    sessionConfiguration: try .ephemeral.trusting(
      .all(.evaluate { _, _ in throw PinsWereRead(description: rejected) })))
  client.callbackContext = .inline
  do {
    _ = try await client.request(.get(RequestPath(raw: url.absoluteString))).value
    return (["\(host): the server was not verified"], false)
  } catch let error as NetworkError {
    guard let failure = error.underlying as? TLSFailure, !failure.chain.isEmpty else {
      return (["\(host): \(error)"], false)
    }
    let isVerified = failure.underlying is PinsWereRead
    let lines = failure.chain.enumerated().flatMap { index, certificate in
      [
        certificate.publicKeyPin.map { "\"\($0)\"" } ?? "an unknown kind of key",
        "  \(index == 0 ? "the server" : "an issuer"): \(certificate.subject), valid to "
          + certificate.notAfter.formatted(.iso8601.year().month().day()),
      ]
    }
    return (
      [isVerified ? "\(host):" : "\(host), NOT TRUSTED (\(failure.reason)), as sent:"] + lines,
      isVerified
    )
  }
}

/// The error of the rule that rejects a server.
struct PinsWereRead: Error, CustomStringConvertible {
  let description: String
}

let hosts = CommandLine.arguments.dropFirst()
guard !hosts.isEmpty, !hosts.contains(where: { $0.hasPrefix("-") }) else {
  print("usage: tls-pins HOST[:PORT] ...")
  exit(hosts.contains("--help") ? 0 : 2)
}
var areVerified = true
for host in hosts {
  let (lines, isVerified) = try await report(on: host)
  print(lines.joined(separator: "\n"))
  areVerified = areVerified && isVerified
}
exit(areVerified ? 0 : 1)
