import Foundation
import Mocking
import Networking

/// Texts and numbers for members with common names.
enum SampleNames {
  static let words = [
    "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "harbor", "island", "juniper",
    "kite", "lagoon", "maple", "north", "ocean", "pebble", "quartz", "river", "summit", "timber",
  ]
  private static let firstNames = [
    "Ada", "Ben", "Clara", "David", "Elena", "Farid", "Grace", "Hugo", "Ines", "Jonas", "Keiko",
    "Liam", "Mara", "Noah", "Olga", "Pablo", "Rosa", "Samir", "Tara", "Yusuf",
  ]
  private static let lastNames = [
    "Adams", "Berg", "Costa", "Dubois", "Evans", "Fischer", "Garcia", "Hansen", "Ito", "Jansen",
    "Keller", "Lopez", "Moreau", "Novak", "Okafor", "Patel", "Rossi", "Silva", "Tanaka", "Weber",
  ]
  private static let cities = [
    "Amsterdam", "Berlin", "Cape Town", "Denver", "Edinburgh", "Florence", "Geneva", "Helsinki",
    "Kyoto", "Lisbon", "Montreal", "Nairobi", "Oslo", "Porto", "Quito", "Seville",
  ]
  private static let countries = [
    "Brazil", "Canada", "Denmark", "France", "Germany", "Italy", "Japan", "Kenya", "Norway",
    "Portugal", "Spain", "Switzerland",
  ]
  private static let streets = [
    "Market Street", "Mill Lane", "Oak Avenue", "Park Road", "Station Road",
  ]
  private static let companies = [
    "Alder & Co", "Bluefin Labs", "Corner Press", "Daybreak Foods", "Evergreen Tools",
  ]
  private static let colors = ["blue", "green", "orange", "purple", "red", "white", "yellow"]

  /// Returns the words of a name, in lower case: `createdAt` and `created_at` have the same.
  private static func parts(of name: String) -> [String] {
    var parts: [String] = []
    var current = ""
    for character in name {
      if character.isUppercase, let last = current.last, !last.isUppercase {
        parts.append(current)
        current = ""
      }
      if character.isLetter || character.isNumber {
        current.append(character)
      } else if !current.isEmpty {
        parts.append(current)
        current = ""
      }
    }
    if !current.isEmpty { parts.append(current) }
    return parts.map { $0.lowercased() }
  }

  // MARK: Texts

  static func text(for name: String, _ sampler: inout SchemaSampler) -> String {
    let parts = parts(of: name)
    let joined = parts.joined()
    switch joined {
    case "firstname", "givenname", "forename": return sampler.pick(firstNames)
    case "lastname", "surname", "familyname": return sampler.pick(lastNames)
    case "username", "login", "handle", "nickname", "slug":
      return "\(sampler.pick(firstNames).lowercased())\(10 + sampler.below(90))"
    case "fullname", "author", "owner", "customer", "displayname":
      return "\(sampler.pick(firstNames)) \(sampler.pick(lastNames))"
    default: break
    }
    switch parts.last ?? "" {
    case "email", "mail": return email(&sampler)
    case "url", "uri", "link", "href", "website", "homepage": return url(&sampler)
    case "uuid", "guid": return uuid(&sampler)
    case "id", "identifier", "key": return "\(sampler.pick(words))-\(100 + sampler.below(900))"
    case "phone", "telephone", "mobile", "fax": return "+1 555 01\(10 + sampler.below(90))"
    case "city", "town", "location": return sampler.pick(cities)
    case "country": return sampler.pick(countries)
    case "street", "address", "address1":
      return "\(1 + sampler.below(120)) \(sampler.pick(streets))"
    case "zip", "zipcode", "postcode", "postalcode": return "\(10_000 + sampler.below(89_999))"
    case "company", "organization", "employer", "vendor": return sampler.pick(companies)
    case "currency": return sampler.pick(["CHF", "EUR", "GBP", "JPY", "USD"])
    case "locale", "language", "lang": return sampler.pick(["de", "en", "es", "fr", "ja"])
    case "timezone": return sampler.pick(["Asia/Tokyo", "Europe/Berlin", "UTC"])
    case "color", "colour": return sampler.pick(colors)
    case "date", "day", "birthday", "dob":
      return String(time(&sampler).prefix(10))
    case "at", "time", "timestamp", "created", "updated", "modified":
      return time(&sampler)
    case "price", "amount", "cost", "total":
      return "\(1 + sampler.below(200)).\(10 + sampler.below(90))"
    case "version": return "\(1 + sampler.below(4)).\(sampler.below(10)).\(sampler.below(10))"
    case "status", "state": return sampler.pick(["active", "closed", "open", "pending"])
    case "description", "summary", "text", "message", "comment", "content", "body", "bio", "note":
      return sentence(&sampler)
    case "title", "name", "label", "subject":
      return "\(sampler.pick(words).capitalized) \(sampler.pick(words).capitalized)"
    default: return sampler.pick(words)
    }
  }

  private static func sentence(_ sampler: inout SchemaSampler) -> String {
    let text = (0..<(4 + sampler.below(5))).map { _ in sampler.pick(words) }.joined(separator: " ")
    return text.prefix(1).uppercased() + text.dropFirst() + "."
  }

  /// Returns a date and time of 2025, such as `2025-01-31T12:00:00Z`.
  static func time(_ sampler: inout SchemaSampler) -> String {
    let seconds = 1_735_689_600 + Double(sampler.below(365 * 86_400))
    return Date(timeIntervalSince1970: seconds).formatted(.iso8601)
  }

  static func email(_ sampler: inout SchemaSampler) -> String {
    "\(sampler.pick(firstNames)).\(sampler.pick(lastNames))@example.com".lowercased()
  }

  static func url(_ sampler: inout SchemaSampler) -> String {
    "https://example.com/\(sampler.pick(words))/\(1 + sampler.below(999))"
  }

  static func uuid(_ sampler: inout SchemaSampler) -> String {
    func digits(_ count: Int) -> String {
      String(
        (0..<count).map { _ in
          "0123456789abcdef".utf8.map { Character(Unicode.Scalar($0)) }[sampler.below(16)]
        })
    }
    let variant = ["8", "9", "a", "b"][sampler.below(4)]
    return "\(digits(8))-\(digits(4))-4\(digits(3))-\(variant)\(digits(3))-\(digits(12))"
  }

  // MARK: Numbers

  /// Returns the usual range of a number.
  static func range(ofNumber name: String, isInteger: Bool) -> ClosedRange<Double> {
    switch parts(of: name).last ?? "" {
    case "id", "identifier": return 1...9_999
    case "age": return 18...90
    case "year": return 1990...2025
    case "month": return 1...12
    case "day": return 1...28
    case "hour": return 0...23
    case "minute", "second": return 0...59
    case "latitude", "lat": return -60...70
    case "longitude", "lng", "lon": return -180...180
    case "price", "cost", "amount", "total", "subtotal", "balance": return 1...500
    case "percent", "percentage", "progress": return 0...100
    case "rating", "stars", "score": return 1...5
    case "quantity", "count", "stock", "pages": return 1...20
    case "size", "bytes", "length", "width", "height": return 10...2_000
    case "at", "timestamp", "created", "updated": return 1_735_689_600...1_767_225_599
    case "port": return 1_024...49_151
    default: return isInteger ? 1...1_000 : 0...1_000
    }
  }
}
