import Foundation

/// A request as a ``ScriptedServer`` received it, byte for byte.
package struct ReceivedRequest: Sendable {
  /// The request line, without its line break.
  package var line = ""
  /// The lines of the header fields in order, read as ISO-8859-1 where they are not UTF-8.
  package var fields: [String] = []
  /// The body, without the frames of chunks.
  package var body = Data()
  /// How many bytes of it came, kept or not.
  package var bodyCount = 0
  /// Which connection it came on, from 0.
  package var connection = 0

  package var method: String { String(line.prefix { $0 != " " }) }
  package var target: String {
    line.split(separator: " ").dropFirst().first.map(String.init) ?? ""
  }

  /// The values of a field, in order.
  package func values(of name: String) -> [String] {
    fields.compactMap { field in
      guard let colon = field.firstIndex(of: ":"),
        field[..<colon].lowercased() == name.lowercased()
      else { return nil }
      return field[field.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
  }

  /// Takes the head apart, up to its empty line.
  package init(head: Data, connection: Int) {
    let text = String(data: head, encoding: .utf8) ?? String(data: head, encoding: .isoLatin1) ?? ""
    var lines = text.components(separatedBy: "\r\n")
    line = lines.removeFirst()
    fields = lines.filter { !$0.isEmpty }
    self.connection = connection
  }
}
