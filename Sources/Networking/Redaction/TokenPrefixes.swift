/// The prefixes of well-known keys and tokens, such as `ghp_` and `sk_live_`.
///
/// Publishable keys, such as `pk_live_`, are not secret. After the prefix, a token has at least 16
/// letters and digits with a digit; hyphens, underscores, and periods may separate them.
package enum TokenPrefixes {
  /// The prefixes by their first byte.
  private static let prefixes: [UInt8: [[UInt8]]] = Dictionary(
    grouping: [
      // Cloud providers.
      "AKIA", "ASIA", "AIza", "ya29.", "GOCSPX-", "dop_v1_", "doo_v1_", "dor_v1_", "dapi", "hvs.",
      "hvb.", "LTAI", "AGE-SECRET-KEY-1",
      // Hosts of code and packages.
      "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-", "gldt-", "glrt-", "glptt-",
      "npm_", "pypi-", "rubygems_", "dckr_pat_", "ATATT3", "ATBB", "lin_api_", "figd_",
      // Messages and mail.
      "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xapp-", "SG.", "xkeysib-", "ntn_",
      "whsec_",
      // Payment and shops.
      "sk_live_", "sk_test_", "rk_live_", "rk_test_", "sq0atp-", "sq0csp-", "shpat_", "shpss_",
      "shpca_", "shppa_",
      // Models.
      "sk-", "hf_", "r8_", "gsk_", "xai-", "pplx-",
      // Operations.
      "sntrys_", "PMAK-", "NRAK-", "glsa_", "phx_", "tskey-",
    ].map { Array($0.utf8) }, by: { $0[0] })

  /// Returns the length of the prefix at the start of bytes, or `nil` if there is none.
  package static func length(in bytes: some Collection<UInt8>) -> Int? {
    guard let first = bytes.first, let candidates = prefixes[first] else { return nil }
    return candidates.first { bytes.starts(with: $0) }?.count
  }

  /// Finds the end of the token that starts with a prefix at a position.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - start: The position.
  /// - Returns: The end, or `nil` if there is no token.
  static func end(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    guard isFirst[Int(bytes[start])], let length = length(in: bytes[start...]) else { return nil }
    var position = start + length
    var (piece, pieceHasDigit, isToken) = (0, false, false)
    while position < bytes.count {
      let byte = bytes[position]
      if byte.isASCIIAlphanumeric {
        piece += 1
        if byte <= UInt8(ascii: "9") { pieceHasDigit = true }
        if piece >= 16, pieceHasDigit { isToken = true }
      } else if byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        || byte == UInt8(ascii: ".")
      {
        (piece, pieceHasDigit) = (0, false)
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
