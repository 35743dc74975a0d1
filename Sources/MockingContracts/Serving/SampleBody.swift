import CatenaSystem
import Foundation
import Mocking
import Networking

/// The bytes of a value in a media type.
struct SampleBody {
  let program: SchemaProgram
  let media: ContractMedia

  /// Returns the bytes of a value, or `nil` if JSON cannot express it.
  ///
  /// An example that is a text is sent as it is, except for JSON. A value of a type without a form of
  /// its own is sent as JSON.
  func data(of value: JSON) -> Data? {
    let subtype = media.type.subtype
    guard !media.isJSON, media.type.type != "*", subtype != "*" else { return try? value.data() }
    if case .string(let text) = value { return Data(text.utf8) }
    if subtype == "xml" || subtype.hasSuffix("+xml") {
      var writer = SampleXML(program)
      return Data(writer.document(of: value, media.schema).utf8)
    }
    guard subtype == "x-www-form-urlencoded", case .dictionary(let members) = value else {
      return Data(value.description.utf8)
    }
    let fields = members.sorted { $0.key < $1.key }.map { name, value in
      [name, value.string ?? value.description].map(PercentEncoding.form.encoded).joined(
        separator: "=")
    }
    return Data(fields.joined(separator: "&").utf8)
  }
}
