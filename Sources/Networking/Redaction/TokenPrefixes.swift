/// The prefixes of well-known keys and tokens, such as `ghp_` and `sk_live_`.
///
/// Publishable keys, such as `pk_live_`, are not secret. After the prefix, a token has hyphens,
/// underscores, periods, and at least 16 letters and digits without an interruption. A digit is
/// among them, or, after a prefix that no other text starts with, anywhere in the token.
package enum TokenPrefixes {
  private struct Prefix {
    let bytes: [UInt8]
    /// Whether other texts do not start with the prefix.
    let isDistinct: Bool
  }

  /// The prefixes by their first byte.
  private static let prefixes: [UInt8: [Prefix]] = {
    let all =
      distinct.map { Prefix(bytes: Array($0.utf8), isDistinct: true) }
      + ambiguous.map { Prefix(bytes: Array($0.utf8), isDistinct: false) }
    return Dictionary(grouping: all, by: { $0.bytes[0] })
  }()

  private static let distinct = [
    // Cloud providers.
    "ya29.", "GOCSPX-", "dop_v1_", "doo_v1_", "dor_v1_", "AGE-SECRET-KEY-1", "pscale_tkn_",
    "pscale_pw_", "pscale_oauth_", "HRKU-", "nfp_", "sbp_", "pul-", "CFPAT-",
    // Hosts of code and packages.
    "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-", "gldt-", "glrt-", "glptt-",
    "glcbt-", "glsoat-", "gloas-", "glagent-", "dckr_pat_", "dckr_oat_", "ATATT3", "ATCTT3",
    "lin_api_", "lin_oauth_", "CLOJARS_",
    // Messages and mail.
    "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.", "xapp-", "xkeysib-", "whsec_",
    // Payment and shops.
    "sk_live_", "sk_test_", "rk_live_", "rk_test_", "sq0atp-", "sq0csp-", "shpat_", "shpss_",
    "shpca_", "shppa_", "shippo_live_", "FLWSECK",
    // Models and operations.
    "sk-ant-", "sk-proj-", "sk-or-v1-", "sntrys_", "sntryu_", "PMAK-", "NRAK-", "glsa_", "glc_",
    "dp.pt.", "dp.st.", "dp.ct.",
  ]

  private static let ambiguous = [
    "AKIA", "ASIA", "ABIA", "ACCA", "AIza", "dapi", "hvs.", "hvb.", "hvr.", "LTAI", "npm_", "pypi-",
    "rubygems_", "ATBB", "figd_", "SG.", "ntn_", "sk-", "hf_", "r8_", "gsk_",
    "xai-", "pplx-", "phx_", "tskey-", "rdme_", "tfp_", "sgp_", "EZAK", "aio_",
  ]

  /// Returns the length of the prefix at the start of bytes, or `nil` if there is none.
  package static func length(in bytes: some Collection<UInt8>) -> Int? {
    prefix(of: bytes)?.bytes.count
  }

  private static func prefix(of bytes: some Collection<UInt8>) -> Prefix? {
    guard let first = bytes.first, let candidates = prefixes[first] else { return nil }
    return candidates.first { bytes.starts(with: $0.bytes) }
  }

  /// Finds the end of the token that starts with a prefix at a position.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - start: The position.
  /// - Returns: The end, or `nil` if there is no token.
  static func end(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    guard isFirst[Int(bytes[start])], let prefix = prefix(of: bytes[start...]) else { return nil }
    var position = start + prefix.bytes.count
    var (piece, hasDigit, isToken) = (0, false, false)
    while position < bytes.count {
      let byte = bytes[position]
      if byte.isASCIIAlphanumeric {
        piece += 1
        if byte <= UInt8(ascii: "9") { hasDigit = true }
        if piece >= 16, hasDigit { isToken = true }
      } else if byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        || byte == UInt8(ascii: ".")
      {
        piece = 0
        if !prefix.isDistinct { hasDigit = false }
      } else {
        break
      }
      position += 1
      // The limit keeps the search linear.
      if !isToken, position - start > maximumSearch { return nil }
    }
    guard isToken else { return nil }
    while bytes[position - 1] == UInt8(ascii: ".") { position -= 1 }
    return position
  }

  private static let maximumSearch = 128
  private static let isFirst: [Bool] = (0..<256).map { prefixes[UInt8($0)] != nil }
}
