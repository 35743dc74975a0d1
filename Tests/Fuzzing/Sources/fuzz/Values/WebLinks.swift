import Foundation

@testable import Networking
@testable import NetworkingStreams

extension FuzzTarget {
  /// The parser of the header field `Link`.
  ///
  /// Each line of the input is the value of a field.
  static let webLinks = FuzzTarget("web-links", maximumLength: 1_024) { input in
    for line in input.lines {
      let links = WebLink.parse(line)
      expect(links.count <= line.utf8.count / 2, "a link has at least two characters")
      for link in links {
        expect(!link.target.contains(">"), "a target ends at its bracket: \(line)")
        expect(
          link.parameters.allSatisfy { !$0.name.isEmpty && $0.name == $0.name.lowercased() },
          "names are in lower case: \(line)")
        expect(link.relations.allSatisfy { !$0.isEmpty }, "no relation is empty: \(line)")
      }
      let written = links.map(text).joined(separator: ",")
      expect(WebLink.parse(written) == links, "links that are written again are equal: \(written)")
    }
    Growth.checkLinear(input) { bytes in
      _ = WebLink.parse(String(decoding: bytes, as: UTF8.self))
    }
  }

  /// Returns the text of a link, with quoted values.
  private static func text(of link: WebLink) -> String {
    link.parameters.reduce("<\(link.target)>") { text, parameter in
      // As scalars, because a quotation mark with a combining character is another `Character`.
      var value = "".unicodeScalars
      for scalar in parameter.value.unicodeScalars {
        if scalar == "\\" || scalar == "\"" { value.append("\\") }
        value.append(scalar)
      }
      return "\(text);\(parameter.name)=\"\(String(value))\""
    }
  }
}
