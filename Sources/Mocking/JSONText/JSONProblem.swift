import Foundation
import Networking

/// A mistake in a JSON text.
struct JSONProblem: Error, Hashable {
  /// Where it is, as the value is reached from the root.
  var path = JSONValuePath()
  /// Whether it is the name of the member that is wrong, not its value.
  var isAboutName = false
  /// Where it is in bytes, in a text without values.
  var offset: Int?
  /// What was expected, and what is there.
  let text: String

  /// Where it is in the text.
  func place(in data: Data) -> TextPlace {
    TextPlace(offset ?? JSONLocator.offset(of: path, isName: isAboutName, in: data), in: data)
  }

  /// Why a text that cannot be read as JSON is none.
  static func syntax(of data: Data) -> JSONProblem {
    // Foundation guesses at other encodings, in which places would mean something else.
    guard String(validating: data, as: UTF8.self) != nil else {
      return JSONProblem(offset: 0, text: "expected a text in UTF-8")
    }
    let (offset, reason) = SyntaxPosition.find(in: data)
    return JSONProblem(offset: offset ?? 0, text: "expected JSON: \(reason)")
  }

  /// The text of a file, without a byte order mark.
  static func text(of file: Data) -> Data {
    Data(file.starts(with: [0xEF, 0xBB, 0xBF]) ? file.dropFirst(3) : file)
  }
}
