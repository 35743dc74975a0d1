/// The prefixes of well-known keys and tokens, such as `ghp_` and `sk_live_`.
///
/// Publishable keys, such as `pk_live_`, are not secret. After the prefix, a token has hyphens,
/// underscores, periods, and at least 16 letters and digits without an interruption. A digit is
/// among them, or, after a prefix that no other text starts with, anywhere in the token.
enum TokenPrefixes {
  /// A prefix, and whether other texts do not start with it.
  private typealias Prefix = (bytes: [UInt8], isDistinct: Bool)

  /// The prefixes by their first byte.
  private static let prefixes: [[Prefix]] = {
    func prefixes(_ text: String, isDistinct: Bool) -> [Prefix] {
      text.utf8.split { $0 <= 0x20 }.map { (Array($0), isDistinct) }
    }
    let all = prefixes(distinct, isDistinct: true) + prefixes(ambiguous, isDistinct: false)
    return (UInt8.min...UInt8.max).map { first in all.filter { $0.bytes[0] == first } }
  }()

  private static let distinct = """
    ya29. GOCSPX- dop_v1_ doo_v1_ dor_v1_ AGE-SECRET-KEY-1 pscale_tkn_ pscale_pw_ pscale_oauth_
    HRKU- nfp_ sbp_ pul- CFPAT- ghp_ gho_ ghs_ ghu_ ghr_ github_pat_ glpat- gldt- glrt- glptt-
    glcbt- glsoat- gloas- glagent- dckr_pat_ dckr_oat_ ATATT3 ATCTT3 lin_api_ lin_oauth_ CLOJARS_
    xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxe. xapp- xkeysib- whsec_ sk_live_ sk_test_ rk_live_
    rk_test_ sq0atp- sq0csp- shpat_ shpss_ shpca_ shppa_ shippo_live_ FLWSECK sk-ant- sk-proj-
    sk-or-v1- sntrys_ sntryu_ PMAK- NRAK- glsa_ glc_ dp.pt. dp.st. dp.ct.
    """

  private static let ambiguous = """
    AKIA ASIA ABIA ACCA AIza dapi hvs. hvb. hvr. LTAI npm_ pypi- rubygems_ ATBB figd_ SG. ntn_ sk-
    hf_ r8_ gsk_ xai- pplx- phx_ tskey- rdme_ tfp_ sgp_ EZAK aio_
    """

  /// Returns the length of the prefix at the start of bytes, or `nil` if there is none.
  static func length(in bytes: some Collection<UInt8>) -> Int? { prefix(of: bytes)?.bytes.count }

  private static func prefix(of bytes: some Collection<UInt8>) -> Prefix? {
    bytes.first.flatMap { prefixes[Int($0)].first { bytes.starts(with: $0.bytes) } }
  }

  /// Finds the end of the token that starts with a prefix at a position.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - start: The position.
  /// - Returns: The end, or `nil` if there is no token.
  static func end(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    guard let prefix = prefix(of: bytes[start...]) else { return nil }
    var position = start + prefix.bytes.count
    var (piece, hasDigit, isToken) = (0, false, false)
    // The limit keeps the search linear.
    while position < bytes.count, isToken || position - start <= 128 {
      let byte = bytes[position]
      if byte.isASCIIAlphanumeric {
        piece += 1
        hasDigit = hasDigit || byte.isASCIIDigit
        isToken = isToken || piece >= 16 && hasDigit
      } else if byte.isOne(of: "-_.") {
        piece = 0
        hasDigit = hasDigit && prefix.isDistinct
      } else {
        break
      }
      position += 1
    }
    guard isToken else { return nil }
    while bytes[position - 1] == UInt8(ascii: ".") { position -= 1 }
    return position
  }
}
