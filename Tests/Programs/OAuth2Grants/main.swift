import Foundation
import Networking
import NetworkingOAuth2
import Promises

// Runs the grants against authorization servers, for the comparison `oauth2` of Tests/Differential.
//
//     oauth2-grants grants ISSUER API FOLDER
//     oauth2-grants exchange SERVER
//
// The program prints "open URL" for the page of a sign-in, which the script opens, "ok NAME" after
// each check, and "end".

func log(_ line: String) {
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

func check(_ condition: Bool, _ name: String) {
  log(condition ? "ok \(name)" : "failed \(name)")
  if !condition { exit(1) }
}

/// Returns the error of a promise, or `nil` if it is fulfilled or has failed without the server.
func failure<Value: Sendable>(of promise: Promise<Value>) async -> OAuth2Error? {
  do {
    _ = try await promise.value
    return nil
  } catch {
    return error as? OAuth2Error
  }
}

let arguments = CommandLine.arguments
let urls = arguments.dropFirst(2).compactMap { URL(string: $0) }
switch (arguments.dropFirst().first, urls.count) {
case ("grants", 3):
  let folder = URL(fileURLWithPath: arguments[4])
  try await GrantChecks(issuer: urls[0], api: urls[1], folder: folder).run()
case ("exchange", 1):
  try await ExchangeChecks(server: urls[0]).run()
default: exit(64)
}
log("end")
