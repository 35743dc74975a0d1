import Foundation
import Mocking
import Networking

// Sends a request over the default transport, and makes TLS options, which need libcurl on Linux.
let server = try MockServer { Route(.get, "/boards") { _ in .json([["id": 7]]) } }
let networking = Networking<Request>()
networking.baseURL = server.url
print(try await networking.request(.get("boards")).validate().toString().value)
server.stop()

do {
  _ = try TLSOptions(minimumVersion: .v1_3)
  print("TLS options are supported")
} catch {
  print(error.code == .unsupported ? "TLS options are refused" : "\(error)")
}
