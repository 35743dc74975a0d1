import CatenaSystem
import Foundation
import Mocking
import Networking

/// The bytes of a value in a media type.
struct SampleBody {
  let program: SchemaProgram
  let media: ContractMedia

  private static let jpeg =
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP///////////////////////////////////////////////////////////////"
    + "///////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAA"
    + "AAD/2gAIAQEAAD8AR//Z"
  /// Images of one pixel, which pages can show.
  private static let images = [
    "png":
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
    "jpeg": jpeg, "jpg": jpeg,
    "webp": "UklGRhoAAABXRUJQVlA4TA4AAAAvAAAAAAcQEf0PRET/Aw==",
    "gif": "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
    "svg+xml": Data(
      #"<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>"#.utf8
    ).base64EncodedString(),
  ]

  /// The media type of the body: of a range the one that is sent.
  var contentType: String {
    guard media.type.subtype == "*" || media.type.type == "*" else { return media.text }
    return media.type.type == "image" ? "image/png" : "application/json"
  }

  /// Returns the bytes of a value, or `nil` if JSON cannot express it.
  ///
  /// A text is sent as it is, except for JSON and for XML without an example. An image without an example
  /// has one pixel. A value of a type without a form of its own is sent as JSON.
  func data(of value: JSON, isExample: Bool) -> Data? {
    let subtype = media.type.subtype
    if !isExample, media.type.type == "image",
      let image = Self.images[subtype == "*" ? "png" : subtype].flatMap({ Data(base64Encoded: $0) })
    {
      return image
    }
    guard !media.isJSON, media.type.type != "*", subtype != "*" else { return try? value.data() }
    let isXML = subtype == "xml" || subtype.hasSuffix("+xml")
    if case .string(let text) = value, isExample || !isXML { return Data(text.utf8) }
    if isXML {
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
