/// The trust in servers, host by host.
///
/// ```swift
/// let trust: ServerTrust = [
///   "api.example.com": .pinnedKeys([current, backup], until: "2027-06-01"),
///   "*.internal.example": .authorities(.file(companyCA)),
/// ]
/// let networking = try Networking<BoardsAPI>(sessionConfiguration: .default.trusting(trust))
/// ```
///
/// A host without a policy has the policy ``others``, which is the system's unless it is set. After
/// ``requiringPolicies()``, a request to such a host fails with
/// ``NetworkError/Code-swift.enum/tlsUntrusted`` before a connection is opened.
///
/// ``HostPattern`` describes the hosts. The values are checked when the ``TLSOptions`` with them are
/// made.
public struct ServerTrust: Sendable, ExpressibleByDictionaryLiteral {
  /// The policies, each with its hosts.
  public var policies: [(hosts: HostPattern, policy: Policy)]
  /// The policy of all other hosts, or `nil` to refuse them.
  public var others: Policy?

  /// Makes a trust.
  ///
  /// - Parameters:
  ///   - policies: The policies, each with its hosts.
  ///   - others: The policy of all other hosts, or `nil` to refuse them.
  public init(
    _ policies: [(hosts: HostPattern, policy: Policy)] = [], others: Policy? = .system
  ) {
    self.policies = policies
    self.others = others
  }

  /// Makes a trust with the system's policy for all other hosts.
  ///
  /// - Parameter elements: The hosts and their policies.
  public init(dictionaryLiteral elements: (HostPattern, Policy)...) {
    self.init(elements.map { (hosts: $0, policy: $1) })
  }

  /// Returns a trust with one policy for all hosts.
  ///
  /// - Parameter policy: The policy.
  /// - Returns: The trust.
  public static func all(_ policy: Policy) -> ServerTrust { ServerTrust(others: policy) }

  /// Returns a trust that refuses hosts without a policy of their own.
  ///
  /// - Returns: The trust.
  public func requiringPolicies() -> ServerTrust { ServerTrust(policies, others: nil) }
}

extension ServerTrust {
  /// The requirements for the certificate of a server.
  ///
  /// Every policy except ``insecure`` requires a certificate that is for the host, is valid now, and
  /// has a chain to a trusted authority. Methods with the same names add requirements:
  ///
  /// ```swift
  /// .authorities(.file(companyCA)).pinnedKeys([current, backup]).versions(.v1_3)
  /// ```
  public struct Policy: Sendable {
    enum Anchors: Sendable {
      case system
      case only([TLSSource])
      case besidesSystem([TLSSource])
      case anyCertificate
    }

    struct PinRule: Sendable {
      enum Pins: Sendable {
        case keys([PublicKeyPin])
        case certificates([TLSSource])
      }

      let pins: Pins
      let place: PinPlace
      let expiry: PinExpiry?
      let mode: PinMode
    }

    var anchors = Anchors.system
    var pinRules: [PinRule] = []
    var evaluations: [@Sendable ([ServerCertificate], String) throws -> Bool] = []
    var revocation = Revocation()
    var minimumVersion: TLSVersion?
    var maximumVersion: TLSVersion?

    /// The authorities of the system.
    public static let system = Policy()

    /// The given authorities.
    ///
    /// A certificate that is no authority can be given, too. It is then trusted if a server presents
    /// it, even if it is signed by itself.
    ///
    /// - Parameters:
    ///   - sources: The certificates.
    ///   - besidesSystem: Whether the authorities of the system are trusted, too.
    /// - Returns: The policy.
    public static func authorities(_ sources: TLSSource..., besidesSystem: Bool = false) -> Policy {
      Policy(anchors: besidesSystem ? .besidesSystem(sources) : .only(sources))
    }

    /// Any certificate, for any host, even if it has expired.
    ///
    /// An attacker on the network path can read and change all traffic. Use it only in tests against
    /// your own server. Log lines of the exchanges say that TLS is not verified. Pins and closures that
    /// are added are checked: the pins for the server's own certificate only. On Apple platforms, another
    /// client of the process may resume a TLS session that was opened with this policy.
    public static let insecure = Policy(anchors: .anyCertificate)

    /// The authorities of the system, and pinned keys.
    ///
    /// - Parameters:
    ///   - pins: The accepted keys. At least one certificate of the verified chain must have one of
    ///     them. Pin the next key together with the current one.
    ///   - place: The certificates that are compared with the pins.
    ///   - expiry: The date from which on the pins are not checked any more. `nil` means never.
    ///   - mode: Whether a mismatch fails the request, or is only reported.
    /// - Returns: The policy.
    public static func pinnedKeys(
      _ pins: [PublicKeyPin], in place: PinPlace = .chain, until expiry: PinExpiry? = nil,
      mode: PinMode = .enforced
    ) -> Policy {
      system.pinnedKeys(pins, in: place, until: expiry, mode: mode)
    }

    /// Adds pinned keys.
    ///
    /// See ``pinnedKeys(_:in:until:mode:)-swift.type.method``.
    ///
    /// - Parameters:
    ///   - pins: The accepted keys.
    ///   - place: The certificates that are compared with the pins.
    ///   - expiry: The date from which on the pins are not checked any more.
    ///   - mode: Whether a mismatch fails the request, or is only reported.
    /// - Returns: The policy.
    public func pinnedKeys(
      _ pins: [PublicKeyPin], in place: PinPlace = .chain, until expiry: PinExpiry? = nil,
      mode: PinMode = .enforced
    ) -> Policy {
      adding(PinRule(pins: .keys(pins), place: place, expiry: expiry, mode: mode))
    }

    /// The authorities of the system, and pinned certificates.
    ///
    /// - Parameters:
    ///   - sources: The accepted certificates. At least one certificate of the verified chain must be
    ///     one of them.
    ///   - place: The certificates that are compared with the pinned ones.
    ///   - expiry: The date from which on the certificates are not compared any more. `nil` means
    ///     never.
    ///   - mode: Whether a mismatch fails the request, or is only reported.
    /// - Returns: The policy.
    public static func pinnedCertificates(
      _ sources: TLSSource..., in place: PinPlace = .leaf, until expiry: PinExpiry? = nil,
      mode: PinMode = .enforced
    ) -> Policy {
      system.adding(PinRule(pins: .certificates(sources), place: place, expiry: expiry, mode: mode))
    }

    /// Adds pinned certificates.
    ///
    /// See ``pinnedCertificates(_:in:until:mode:)-swift.type.method``.
    ///
    /// - Parameters:
    ///   - sources: The accepted certificates.
    ///   - place: The certificates that are compared with the pinned ones.
    ///   - expiry: The date from which on the certificates are not compared any more.
    ///   - mode: Whether a mismatch fails the request, or is only reported.
    /// - Returns: The policy.
    public func pinnedCertificates(
      _ sources: TLSSource..., in place: PinPlace = .leaf, until expiry: PinExpiry? = nil,
      mode: PinMode = .enforced
    ) -> Policy {
      adding(PinRule(pins: .certificates(sources), place: place, expiry: expiry, mode: mode))
    }

    /// The authorities of the system, and a rule of the caller.
    ///
    /// - Parameter evaluation: Returns whether the server is accepted. It receives the verified chain,
    ///   the server's certificate first, and the host. It runs on an I/O thread at each full handshake
    ///   after all other checks, and must not block. A thrown error rejects the server and is the
    ///   reason of the failure.
    /// - Returns: The policy.
    public static func evaluate(
      _ evaluation:
        @escaping @Sendable (_ chain: [ServerCertificate], _ host: String) throws -> Bool
    ) -> Policy {
      system.evaluate(evaluation)
    }

    /// Adds a rule of the caller.
    ///
    /// See ``evaluate(_:)-swift.type.method``.
    ///
    /// - Parameter evaluation: Returns whether the server is accepted. For ``insecure``, the chain is
    ///   that which the server has sent.
    /// - Returns: The policy.
    public func evaluate(
      _ evaluation:
        @escaping @Sendable (_ chain: [ServerCertificate], _ host: String) throws -> Bool
    ) -> Policy {
      copy(of: self) { $0.evaluations.append(evaluation) }
    }

    /// Adds checks of the revocation of certificates.
    ///
    /// - Parameters:
    ///   - stapled: How a status that the server staples to its certificate (OCSP) is used.
    ///   - lists: Revocation lists, in PEM or DER. If there are any, a list of each issuer must be
    ///     among them.
    ///   - wholeChain: Whether the lists must cover all certificates of the chain, and not only the
    ///     server's.
    /// - Returns: The policy.
    public func revocation(
      stapled: Revocation.Stapled = .ignored, lists: [TLSSource] = [], wholeChain: Bool = false
    ) -> Policy {
      copy(of: self) {
        $0.revocation = Revocation(stapled: stapled, lists: lists, wholeChain: wholeChain)
      }
    }

    /// Sets the versions of TLS, in place of those of the ``TLSOptions``.
    ///
    /// - Parameters:
    ///   - minimum: The lowest version. TLS 1.0 and 1.1 are insecure.
    ///   - maximum: The highest version. `nil` means no limit.
    /// - Returns: The policy.
    public func versions(_ minimum: TLSVersion, through maximum: TLSVersion? = nil) -> Policy {
      copy(of: self) {
        $0.minimumVersion = minimum
        $0.maximumVersion = maximum
      }
    }

    private func adding(_ rule: PinRule) -> Policy { copy(of: self) { $0.pinRules.append(rule) } }
  }
}

/// The checks of the revocation of certificates.
///
/// Source: RFC 6960 (OCSP), RFC 6066 section 8 (stapling), RFC 5280 section 5 (lists).
public struct Revocation: Sendable {
  /// The use of a status that a server staples to its certificate.
  public enum Stapled: Sendable, Hashable {
    /// It is not requested.
    case ignored
    /// It is checked if the server has sent it.
    case ifPresent
    /// It must be present and valid.
    case required
  }

  var stapled = Stapled.ignored
  var lists: [TLSSource] = []
  var wholeChain = false
}

/// The certificates that are compared with pins.
public enum PinPlace: Sendable, Hashable {
  /// The server's certificate only.
  case leaf
  /// Any certificate of the verified chain, such as that of an authority.
  ///
  /// Certificates that the server merely sends along do not count.
  case chain
}
