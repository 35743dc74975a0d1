import Foundation
import Networking
import NetworkingTransfers
import Promises

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Step {
  private static let wrongPin = PublicKeyPin(Data(count: 32).base64EncodedString())

  static let trust: [Step] = [
    Step("11", "Wrong pins, one and five at a time", isAutomatic: true) { device in
      for count in [1, 5] {
        let client = try device.client(.authorities(device.authority).pinnedKeys([wrongPin]))
        var outcomes: [String] = []
        for promise in (0..<count).map({ _ in client.request(.get("hello")) }) {
          outcomes.append(await Device.outcome(of: promise))
        }
        // Requests that wait for the connection of another one have no certificate.
        let isRefused = Set(outcomes).isSubset(of: ["pinMismatch", "tlsUntrusted"])
        try Device.require(isRefused && outcomes.contains("pinMismatch"), "\(outcomes)")
      }
      return "6 of 6 requests are refused"
    },
    Step("11b", "A wrong pin in the background") { device in
      let client = Device.client(
        device.secureURL,
        try .background(identifier: "pins").trusting(
          .all(.authorities(device.authority).pinnedKeys([wrongPin]))))
      let file = FileManager.default.temporaryDirectory.appending(path: "pinned")
      let outcome = await Device.outcome(of: client.download(.get("hello"), to: file))
      try Device.require(["pinMismatch", "tlsUntrusted"].contains(outcome), outcome)
      return outcome
    },
    Step("12", "An insecure client first, a pinned one second", isAutomatic: true) { device in
      let insecure = try device.client(.insecure)
      let first = await Device.outcome(of: insecure.request(.get("hello")))
      let pinned = try device.client(.authorities(device.authority).pinnedKeys([wrongPin]))
      let second = await Device.outcome(of: pinned.request(.get("hello")))
      let right = try device.client(.authorities(device.authority).pinnedKeys([device.pin]))
      let third = await Device.outcome(of: right.request(.get("hello")))
      // The system may resume the TLS session of the first client.
      let isResumed = second == "200"
      let outcomes = [first, isResumed ? "pinMismatch" : second, third]
      try Device.require(outcomes == ["200", "pinMismatch", "200"], "\(outcomes)")
      return isResumed ? "RESUMED: the pins were not checked" : "\(outcomes)"
    },
    Step("13", "A private authority under ATS") { device in
      let name = device.host.replacingOccurrences(of: ".", with: "-")
      var lines: [String] = []
      for url in [
        "https://\(name).nip.io:8443/", "https://\(name).sslip.io:8443/",
        "http://\(name).sslip.io:8080/",
      ] {
        let client = Device.client(
          url, try .ephemeral.trusting(.all(.authorities(device.authority))))
        switch await client.request(.get("hello")).result {
        case .success(let response): lines.append("\(url) \(response.status)")
        case .failure(let error): lines.append("\(url) \(error)")
        }
      }
      return lines.joined(separator: "\n")
    },
    Step("14", "A proxy with a password", isAutomatic: true) { device in
      #if canImport(Darwin)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.connectionProxyDictionary = [
          "HTTPEnable": 1, "HTTPProxy": device.host, "HTTPPort": 3128,
          "HTTPSEnable": 1, "HTTPSProxy": device.host, "HTTPSPort": 3128,
        ]
        let delegate = ProxyDelegate()
        let client = Device.client(
          device.secureURL,
          try .custom(configuration, delegate: delegate).trusting(
            .all(.authorities(device.authority))))
        let outcome = await Device.outcome(of: client.request(.get("hello")))
        try Device.require(outcome == "200" && delegate.wasAsked, "\(outcome) \(delegate.wasAsked)")
        return "200, and the delegate was asked"
      #else
        return "only on Apple's platforms"
      #endif
    },
    Step("15", "A client certificate with an intermediate", isAutomatic: true) { device in
      let identity = ClientIdentity(pkcs12: .data(device.identity), password: "secret")
      let client = Device.client(
        "https://\(device.host):8444/",
        try .ephemeral.trusting(.all(.authorities(device.authority)))
          .identifying(as: identity, to: HostPattern(device.host)))
      let response = try await client.request(.get("hello")).validate().value
      let text = String(decoding: response.data, as: UTF8.self)
      try Device.require(text.contains("Device plan client"), text)
      return text
    },
  ]
}

#if canImport(Darwin)
  /// A delegate that knows the password of the proxy.
  private final class ProxyDelegate: NSObject, URLSessionTaskDelegate {
    private let asked = Asked()
    var wasAsked: Bool { asked.isSet }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler:
        @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      asked.set()
      guard challenge.previousFailureCount == 0 else {
        return completionHandler(.cancelAuthenticationChallenge, nil)
      }
      completionHandler(
        .useCredential, URLCredential(user: "proxy", password: "secret", persistence: .none))
    }
  }

  /// A flag behind a lock, which the queue of the session sets.
  private final class Asked: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false
    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
  }
#endif
