/// The rules about cookies: each hop has those that its host has set and that have not expired.
struct CookieRules {
  private struct StoredCookie {
    let name: String
    var value: Int
    var expires: Duration?
  }

  private let settings: StorySettings
  private let entries: [StoryLog.Entry]

  init(_ settings: StorySettings, _ entries: [StoryLog.Entry]) {
    self.settings = settings
    self.entries = entries
  }

  var violations: [String] {
    var found: [String] = []
    var hops: [Int: StoryHop] = [:]
    // The cookies of each host, in the order of their creation.
    var jar: [String: [StoredCookie]] = [:]
    for entry in entries {
      switch entry.event {
      case .hop(let hop):
        hops[hop.number] = hop
        jar[hop.host]?.removeAll { $0.expires.map { $0 <= entry.time } ?? false }
        let cookies = jar[hop.host, default: []].map { "\($0.name)=\($0.value)" }
        let expected = cookies.isEmpty ? nil : cookies.joined(separator: "; ")
        if hop.cookies != expected {
          found.append(
            "hop \(hop.number) had the cookies \(hop.cookies ?? "none")"
              + " instead of \(expected ?? "none")")
        }
      case .ended(let number, .complete):
        guard settings.hasCookies, let hop = hops[number], let cookie = hop.reply?.cookie else {
          break
        }
        Self.receive(cookie, hop.number, at: entry.time, into: &jar[hop.host, default: []])
      default: break
      }
    }
    return found
  }

  /// Source: RFC 6265bis section 5.7.
  private static func receive(
    _ cookie: StoryCookie, _ value: Int, at now: Duration, into cookies: inout [StoredCookie]
  ) {
    cookies.removeAll { $0.expires.map { $0 <= now } ?? false }
    let index = cookies.firstIndex { $0.name == cookie.name }
    var expires: Duration?
    switch cookie.kind {
    case .foreign: return
    case .deleted:
      if let index { cookies.remove(at: index) }
      return
    case .expiring(let seconds): expires = now + .seconds(seconds)
    case .plain: break
    }
    let stored = StoredCookie(name: cookie.name, value: value, expires: expires)
    // A cookie that is set again keeps its place.
    if let index { cookies[index] = stored } else { cookies.append(stored) }
  }
}
