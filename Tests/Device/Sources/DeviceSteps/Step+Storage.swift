import Foundation
import Networking
import NetworkingOAuth2
import NetworkingValues
import Promises

#if canImport(ImageIO)
  import ImageIO
#endif

extension Step {
  static let storage: [Step] = [
    Step("18", "Photos: turned, truncated, and too large") { device in
      #if canImport(ImageIO)
        let client = Device.client(device.plainURL, .ephemeral)
        var lines: [String] = []
        for name in device.photos {
          let data = try await client.request(.get("files/\(name)")).validate().value
            .data
          let whole = try DecodedImage(data).cgImage
          let small = try DecodedImage(data, maximumSize: 400).cgImage
          let isTurned = (whole.width > whole.height) != (small.width > small.height)
          try Device.require(!isTurned, "\(name): the sizes have different orientations")
          let isCut = (try? DecodedImage(data.prefix(data.count / 2))) == nil
          try Device.require(isCut, "\(name): half of the file is an image")
          lines.append(
            "\(name): \(whole.width) x \(whole.height), \(small.width) x \(small.height)")
        }
        return lines.joined(separator: "\n")
      #else
        return "only on Apple's platforms"
      #endif
    },
    Step("18b", "A cache under memory pressure, for 60 seconds") { _ in
      let cache = ValueCache<String, Int>()
      _ = try await cache.value(for: "one") { .fulfilled(1) }.value
      let end = ContinuousClock.now + .seconds(60)
      while cache.valueCount > 0, ContinuousClock.now < end {
        try await Task.sleep(for: .seconds(1))
      }
      try Device.require(cache.valueCount == 0, "the value is still stored")
      return "the value was removed"
    },
    Step("19", "The keychain, with 40 changes at a time") { _ in
      #if canImport(Security)
        let key = TokenKey(clientID: "device")
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<40 {
            group.addTask {
              let store = KeychainTokenStore(service: "com.example.catena.device")
              let token = number % 4 == 3 ? nil : OAuth2Token(accessToken: "\(number)")
              try store.setToken(token, for: key)
            }
          }
          try await group.waitForAll()
        }
        try KeychainTokenStore(service: "com.example.catena.device").setToken(nil, for: key)
        return "40 changes without an error"
      #else
        return "only on Apple's platforms"
      #endif
    },
    Step("20", "Launches before the first unlock") { _ in LaunchLog.text },
  ]
}

/// A file with a line for each launch of the app, which can be written before the first unlock.
public enum LaunchLog {
  private static var file: URL { Device.documents.appending(path: "launches.txt") }
  private static let key = TokenKey(clientID: "launch")

  static var text: String { (try? String(contentsOf: file, encoding: .utf8)) ?? "none" }

  private static var stores: [any TokenStoring] {
    #if canImport(Security)
      [UserDefaultsTokenStore(), KeychainTokenStore(service: "com.example.catena.device")]
    #else
      [UserDefaultsTokenStore()]
    #endif
  }

  /// Adds a line about the token in each store.
  ///
  /// The first launch stores the tokens.
  public static func note() {
    let earlier = text
    let lines = stores.map { store in
      var line = "\(Date.now), \(type(of: store)): "
      do {
        if earlier == "none" { try store.setToken(OAuth2Token(accessToken: "first"), for: key) }
        line += try store.token(for: key) == nil ? "NO TOKEN" : "token"
      } catch {
        line += "\(error)"
      }
      return line
    }
    let content = Data(((earlier == "none" ? [] : [earlier]) + lines).joined(separator: "\n").utf8)
    #if canImport(Darwin)
      try? content.write(to: file, options: .noFileProtection)
    #else
      try? content.write(to: file)
    #endif
  }
}
