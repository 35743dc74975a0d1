import Foundation
import Networking
import NetworkingOAuth2
import NetworkingTransfers
import Promises

extension Step {
  static let signIn: [Step] = [
    Step("3a", "Sign in") { device in
      let token = try await session(device).signIn(.authorizationCode(.browser)).value
      return "signed in, refresh token: \(token.refreshToken != nil)"
    },
    Step("3b", "Cancel before the page is shown") { device in
      let promise = try session(device).signIn(.authorizationCode(.browser))
      promise.cancel()
      guard case .failure(let error) = await promise.result else { return "signed in" }
      return "cancelled: \(error)"
    },
  ]

  static let suspension: [Step] = [
    Step("5", "Refresh a token, held for 20 seconds") { device in
      let session = try session(device)
      let old = session.currentToken()?.accessToken
      let token = try await session.refresh().value
      try Device.require(token.accessToken != old, "the token is the old one")
      return "refreshed"
    },
    Step("6", "Download 300 MB into the app group, and continue") { device in
      let client = Device.client(device.plainURL, .ephemeral)
      let file = Device.sharedFolder.appending(path: "film.mp4")
      let response = try await client.transfer(.get("film?mb=300&rate=5"), to: file).response
        .validate().value
      return "complete, status \(response.status)"
    },
  ]

  static let background: [Step] = [
    Step("8", "Download 300 MB in the background") { device in
      let file = Device.documents.appending(path: "background.mp4")
      let client = Device.client(device.plainURL, .background(identifier: "films"))
      let outcome = await Device.outcome(
        of: client.download(.get("film?mb=300&rate=5", .transferKey("film")), to: file))
      try Device.require(["200", "206"].contains(outcome), outcome)
      return outcome
    },
    Step("8b", "Upload 50 MB in the background") { device in
      let file = Device.documents.appending(path: "upload.bin")
      try Data(count: 50 << 20).write(to: file)
      let client = Device.client(device.plainURL, .background(identifier: "films"))
      let outcome = await Device.outcome(
        of: client.request(.upload(file: file, to: "upload", .transferKey("upload"))))
      try Device.require(outcome == "200", outcome)
      return outcome
    },
    Step("8c", "End the app") { _ in exit(0) },
  ]

  /// The session of the account, whose tokens are in the folder of the app group.
  private static func session(_ device: Device) throws -> OAuth2Session {
    let client = OAuth2Client(
      id: "device", tokenURL: URL(string: device.plainURL + "token?seconds=20"),
      authorizationURL: URL(string: device.plainURL + "authorize"),
      redirectURL: URL(string: "com.example.catena.device:/callback"))
    let tokens = try FileTokenStore(Device.sharedFolder.appending(path: "tokens"))
    return OAuth2Session(client, store: tokens, sessionConfiguration: .ephemeral)
  }
}
