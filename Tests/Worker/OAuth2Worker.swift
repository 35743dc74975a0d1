import Foundation
import Networking
import NetworkingOAuth2
import Promises

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// Uses a token file that other processes use at the same time, or ends while it changes the file.
//
//     oauth2-worker refresh FILE URL COUNT
//     oauth2-worker store FILE FIRST COUNT STEPS [PASSPHRASE]
//     oauth2-worker migrate OLD NEW STEPS
//     oauth2-worker lock FILE
//
// "refresh" waits for a line of standard input, requests COUNT tokens at once and prints each
// access token. "store" stores COUNT numbered tokens and prints "stored NUMBER" after each. "migrate"
// moves the token of OLD to NEW and prints "moved". "store" and "migrate" kill the process before its
// STEPSth file system operation; 0 disables this. "lock" kills the process while it has the lock.
enum OAuth2Worker {
  static func run(_ arguments: [String]) throws {
    let key = TokenKey(clientID: "app")

    switch arguments.dropFirst().first {
    case "refresh" where arguments.count == 5:
      guard let url = URL(string: arguments[3]), let count = Int(arguments[4]) else { exit(64) }
      var client = OAuth2Client(id: "app", tokenURL: url)
      client.scope = []
      let session = OAuth2Session(
        client, store: try FileTokenStore(URL(fileURLWithPath: arguments[2])))
      log("ready")
      _ = readLine()
      let tokens = try when((0..<count).map { _ in session.token() }).wait()
      for token in tokens { log(token.accessToken) }
    case "store" where arguments.count >= 6:
      guard let first = Int(arguments[3]), let count = Int(arguments[4]),
        let steps = Int(arguments[5])
      else { exit(64) }
      let encryption =
        arguments.count > 6
        ? TokenEncryptionKey.passphrase(arguments[6], iterations: 1_000) : nil
      let store = try FileTokenStore(
        URL(fileURLWithPath: arguments[2]), encryptedWith: encryption,
        beforeOperation: killBefore(steps))
      for number in first..<first + count {
        try store.setToken(
          OAuth2Token(accessToken: "access-\(number)", refreshToken: "refresh-\(number)"), for: key)
        log("stored \(number)")
      }
    case "migrate" where arguments.count == 5:
      guard let steps = Int(arguments[4]) else { exit(64) }
      let kill = killBefore(steps)
      let old = try FileTokenStore(
        URL(fileURLWithPath: arguments[2]), beforeOperation: kill)
      let new = try FileTokenStore(
        URL(fileURLWithPath: arguments[3]), beforeOperation: kill)
      try MigratingTokenStore(from: old, to: new).moveTokens(for: [key])
      log("moved")
    case "lock" where arguments.count == 3:
      let lock = try FileTokenStore(URL(fileURLWithPath: arguments[2])).tryLock(key)
      if lock != nil { kill(getpid(), SIGKILL) }
    default: exit(64)
    }
  }
}
