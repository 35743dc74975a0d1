import Foundation

/// Where a JSON text stops being one, as Foundation's reader tells it.
enum SyntaxPosition {
  /// The place as a count of bytes before it, where it is known, and what is wrong there.
  static func find(in data: Data) -> (offset: Int?, reason: String) {
    var description = ""
    do {
      _ = try JSONSerialization.jsonObject(with: data)
    } catch {
      description = (error as NSError).userInfo["NSDebugDescription"] as? String ?? ""
    }
    if description.contains("end of file") || data.isEmpty {
      return (data.count, "the file ends too soon")
    }
    // `Invalid value around character 16.`: a count of bytes.
    let words = description.split(separator: " around ")
    let digits = words.count == 2 ? words[1].filter(\.isNumber) : ""
    guard let offset = Int(digits) else { return (nil, "it is something else") }
    return (offset, words[0].lowercased())
  }
}
