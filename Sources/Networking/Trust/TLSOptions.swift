public import Foundation

/// The TLS settings of a transport: trusted servers, the client's identities, and versions.
///
/// With the default `TLSOptions()`, a server must present a certificate that is valid now, matches
/// its host, and was issued by an authority that the system trusts.
///
/// All items are read and checked when the options are made. Options that this platform does not
/// support are refused then, too.
///
/// Two options are equal if they are copies of one another, or both are the default.
public struct TLSOptions: Sendable, Hashable {
  /// The trust in servers.
  public let trust: ServerTrust
  /// The client's identities.
  public let identities: ClientIdentities
  /// The lowest version of TLS for hosts whose policy has none.
  public let minimumVersion: TLSVersion
  /// The highest version of TLS for hosts whose policy has none, or `nil` for no limit.
  public let maximumVersion: TLSVersion?
  let compiled: CompiledTLS

  /// Makes the default options.
  public init() {
    trust = [:]
    identities = [:]
    minimumVersion = .v1_2
    maximumVersion = nil
    compiled = .standard
  }

  /// Makes options.
  ///
  /// - Parameters:
  ///   - trust: The trust in servers.
  ///   - identities: The client's identities.
  ///   - minimumVersion: The lowest version of TLS for hosts whose policy has none.
  ///   - maximumVersion: The highest version of TLS for hosts whose policy has none. `nil` means no
  ///     limit.
  ///   - wallClock: The clock with which the expiry of pins is compared, the system's by default. It
  ///     runs on I/O threads and must not block.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/invalidTLSOptions`` and the
  ///   name of an item that cannot be used, such as a malformed certificate, a key for another
  ///   certificate, a wrong password or an empty list of pins;
  ///   ``NetworkError/Code-swift.enum/unsupported`` for an item that the platform does not support.
  public init(
    trust: ServerTrust = [:], identities: ClientIdentities = [:],
    minimumVersion: TLSVersion = .v1_2, maximumVersion: TLSVersion? = nil,
    wallClock: @escaping @Sendable () -> Date = { Date() }
  ) throws(NetworkError) {
    self.trust = trust
    self.identities = identities
    self.minimumVersion = minimumVersion
    self.maximumVersion = maximumVersion
    compiled = try CompiledTLS(trust, identities, minimumVersion, maximumVersion, wallClock)
  }

  /// Whether these are the default options.
  var isDefault: Bool { compiled === CompiledTLS.standard }

  /// Compares the identities of two options.
  public static func == (left: TLSOptions, right: TLSOptions) -> Bool {
    left.compiled === right.compiled
  }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(compiled)) }
}

/// The checked contents of ``TLSOptions``.
final class CompiledTLS: Sendable {
  /// The contents of the default options.
  static let standard = CompiledTLS()

  private let policies: HostTable<CompiledPolicy>
  /// The policy for hosts without one of their own.
  let others: CompiledPolicy?
  private let identities: HostTable<PlatformIdentity>
  let wallClock: @Sendable () -> Date
  /// A text that other options do not have, also in other processes.
  let id = UUID().uuidString

  private init() {
    policies = HostTable()
    identities = HostTable()
    others = CompiledPolicy.system
    wallClock = { Date() }
  }

  init(
    _ trust: ServerTrust, _ identities: ClientIdentities, _ minimum: TLSVersion,
    _ maximum: TLSVersion?, _ wallClock: @escaping @Sendable () -> Date
  ) throws(NetworkError) {
    try Platform.requireSupport()
    policies = try HostTable(
      trust.policies.map { hosts, policy throws(NetworkError) in
        (hosts, try CompiledPolicy(policy, for: hosts.text, minimum, maximum))
      })
    others = try trust.others.map { policy throws(NetworkError) in
      try CompiledPolicy(policy, for: "all other hosts", minimum, maximum)
    }
    self.identities = try HostTable(
      identities.identities.map { hosts, identity throws(NetworkError) in
        (hosts, try PlatformIdentity(identity, for: hosts.text))
      })
    self.wallClock = wallClock
  }

  /// Returns the policy of a host, or `nil` if the host must have one and has none.
  func policy(forHost host: String, port: Int) -> CompiledPolicy? {
    policies.value(forHost: host, port: port) ?? others
  }

  /// Returns the identity for a host, or `nil` for none.
  func identity(forHost host: String, port: Int) -> PlatformIdentity? {
    identities.value(forHost: host, port: port)
  }

  /// Returns whether there is an identity for a URL.
  func hasIdentity(for url: URL) -> Bool {
    guard !identities.isEmpty, let origin = Origin(url) else { return false }
    return identity(forHost: origin.host, port: origin.port) != nil
  }

  /// Returns a text that is equal for options under which a response of a URL is equally trusted.
  ///
  /// It has the policy of the host and the client's identity. It is the same in other processes, except for
  /// an identity or a rule of the caller, which cannot be compared.
  ///
  /// - Parameter url: The URL.
  /// - Returns: The text, empty for the default policy without an identity, and for a URL without TLS.
  func connectionOwner(for url: URL) -> String {
    // Fast path: the options of almost all clients.
    guard self !== CompiledTLS.standard, let origin = Origin(url), origin.scheme == "https" else {
      return ""
    }
    let (host, port) = (origin.host, origin.port)
    let owner = policy(forHost: host, port: port)?.owner ?? " refused"
    return identity(forHost: host, port: port) == nil ? owner : "\(owner) certificate \(id)"
  }

  /// Returns whether the server of a URL is verified.
  func isVerifying(_ url: URL?) -> Bool {
    guard let origin = url.flatMap({ Origin($0) }) else { return true }
    return policy(forHost: origin.host, port: origin.port)?.isVerifying ?? true
  }

  /// The failure of a request to a host without a policy that must have one.
  static func refusal(of host: String) -> TLSFailure {
    TLSFailure(
      .tlsUntrusted, host: host, "the client has no trust policy for \(host) and requires one")
  }
}

extension TLSOptions {
  /// Returns the failure of requests to a URL whose host must have a trust policy and has none.
  package func refusal(of url: URL) -> TransportFailure? {
    guard let origin = Origin(url), origin.scheme == "https",
      compiled.policy(forHost: origin.host, port: origin.port) == nil
    else { return nil }
    return TransportFailure(rejecting: CompiledTLS.refusal(of: origin.host))
  }
}

#if !CATENA_CURL && !canImport(Security)
  /// The support of TLS options: there is none in a build without libcurl.
  enum Platform {
    static func requireSupport() throws(NetworkError) {
      throw NetworkError(
        .unsupported, "TLS options need libcurl, and the library was built without it")
    }

    static func requireSupport(for policy: ServerTrust.Policy) throws(NetworkError) {}
  }

  /// The authorities of the system, the only ones that this platform trusts.
  enum PlatformAnchors {
    case system

    init(
      _ policy: ServerTrust.Policy, _ certificates: [ServerCertificate], _ lists: [TLSSource.Item]
    ) throws(NetworkError) { self = .system }
  }

  /// A client certificate, which this platform does not have.
  struct PlatformIdentity: Sendable {
    init(_ identity: ClientIdentity, for hosts: String) throws(NetworkError) {
      try Platform.requireSupport()
    }
  }
#endif

/// A checked policy.
final class CompiledPolicy: Sendable {
  /// The system's policy, with the default versions.
  static let system: CompiledPolicy = {
    guard let policy = try? CompiledPolicy(.system, for: "all hosts", .v1_2, nil) else {
      preconditionFailure("The policy of the system needs no files")
    }
    return policy
  }()

  /// The trusted authorities.
  let anchors: PlatformAnchors
  let pins: [CompiledPins]
  let evaluations: [@Sendable ([ServerCertificate], String) throws -> Bool]
  let stapled: Revocation.Stapled
  let minimumVersion: TLSVersion
  let maximumVersion: TLSVersion?
  /// Whether the authorities are those of the system alone.
  let hasSystemAnchors: Bool
  /// Whether the chain and the host are verified.
  let isVerifying: Bool
  /// Whether the policy requires nothing beyond that of the system, apart from versions.
  let isSystem: Bool
  /// A text that equal policies have in common, also in other processes, empty for the default policy.
  ///
  /// Rules of the caller cannot be compared, so a policy with one has a text of its own.
  let owner: String

  init(
    _ policy: ServerTrust.Policy, for hosts: String, _ minimum: TLSVersion, _ maximum: TLSVersion?
  ) throws(NetworkError) {
    do throws(NetworkError) {
      let certificates = try policy.anchors.certificates()
      let lists = try policy.revocation.items()
      anchors = try PlatformAnchors(policy, certificates, lists)
      pins = try policy.pinRules.map(CompiledPins.init)
      stapled = policy.revocation.stapled
      let checksRevocation =
        policy.revocation.stapled != .ignored || !policy.revocation.lists.isEmpty
      hasSystemAnchors = if case .system = policy.anchors { true } else { false }
      isSystem =
        hasSystemAnchors && pins.isEmpty && policy.evaluations.isEmpty && !checksRevocation
      evaluations = policy.evaluations
      minimumVersion = policy.minimumVersion ?? minimum
      maximumVersion = policy.minimumVersion == nil ? maximum : policy.maximumVersion
      if let maximumVersion, maximumVersion < minimumVersion {
        throw .invalidTLS("the highest version \(maximumVersion) is below \(minimumVersion)")
      }
      isVerifying = if case .anyCertificate = policy.anchors { false } else { true }
      if !isVerifying, checksRevocation {
        throw .invalidTLS("the revocation of certificates cannot be checked without authorities")
      }
      owner = Self.owner(policy, certificates, lists, pins, minimumVersion, maximumVersion)
      try Platform.requireSupport(for: policy)
    } catch {
      var error = error
      error.reason = "\(hosts): \(error.reason ?? "")"
      throw error
    }
  }

  /// Checks the pins and the rules of the caller.
  ///
  /// - Parameters:
  ///   - chain: The encoded certificates, the server's first.
  ///   - host: The host.
  ///   - now: The current time.
  ///   - noteReport: Called for a mismatch that is only reported.
  /// - Returns: The failure, or `nil` if the server is accepted.
  func failure(
    of chain: [Data], host: String, now: @autoclosure () -> Date, noteReport: () -> Void
  ) -> TLSFailure? {
    for rule in pins {
      let mismatch = rule.mismatch(chain, isVerified: isVerifying, host: host, now: now())
      guard let mismatch else { continue }
      if case .reported(let report) = rule.mode {
        noteReport()
        report(mismatch)
        continue
      }
      return TLSFailure(
        .pinMismatch, host: host, "no certificate of \(host) has one of the pinned keys",
        chain: chain, mismatch: mismatch)
    }
    guard !evaluations.isEmpty else { return nil }
    let certificates = chain.compactMap(ServerCertificate.init(der:))
    for evaluation in evaluations {
      let reason = "a rule of the client rejects the server"
      do {
        if try evaluation(certificates, host) { continue }
        return TLSFailure(.tlsUntrusted, host: host, reason, chain: chain)
      } catch {
        return TLSFailure(
          .tlsUntrusted, host: host, "\(reason): \(NetworkError.text(of: error))", chain: chain,
          underlying: error)
      }
    }
    return nil
  }
}
