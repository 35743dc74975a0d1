import Foundation
import Mocking
import MockingDocuments
import Networking

extension StubValue {
  /// Reads the initial items of a resource from another file, or from a member of it, such as
  /// `db.json#/posts`.
  ///
  /// - Parameters:
  ///   - name: The name of the file, and the JSON pointer of the member after `#`.
  ///   - folder: The folder of the stub file.
  /// - Returns: The items, whether they are one object, and their text.
  /// - Throws: ``JSONDocumentError``.
  ///
  /// Source: RFC 6901 section 6.
  func items(
    in name: String, _ folder: URL
  ) throws(JSONDocumentError) -> (items: [JSON], isObject: Bool, text: Data) {
    let mark = name.firstRange(of: "#/")?.lowerBound ?? name.endIndex
    let file = MockFile(String(name[..<mark]), in: folder)
    for url in file.candidates { context.templateFiles.append(url) }
    var (json, text) = try content(of: file)
    if mark < name.endIndex {
      let pointer = String(name[mark...].dropFirst())
      let path = JSONValuePath(pointer: pointer)
      let value = path?.tokens.reduce(Optional(json)) { $0?.dictionary?[$1] }
      guard let path, let value else {
        let names = json.collectionNames.joined(separator: ", ")
        throw JSONDocumentError(
          path: self.path,
          text: "\(file.name) has no member \(pointer); "
            + (names.isEmpty ? "it has no collections" : "its collections: \(names)"))
      }
      (json, text) = (value, text.dropFirst(JSONLocator.offset(of: path, in: text)))
    } else if !json.collectionNames.isEmpty {
      warn(
        "\(file.name) is served as one object; to serve its collections, write "
          + Self.resources(json.collectionNames, of: file.name))
    }
    switch json {
    case .array(let items): return (items, false, text)
    case .dictionary: return ([json], true, text)
    default:
      throw JSONDocumentError(
        path: path, text: "\(name): expected an array of items, or one object")
    }
  }

  /// Reads another file.
  private func content(of file: MockFile) throws(JSONDocumentError) -> (JSON, Data) {
    let text: Data
    do throws(MockFile.ReadError) {
      text = JSONDocumentError.text(of: try file.read())
    } catch {
      throw JSONDocumentError(path: path, text: error.reason)
    }
    do throws(JSONDocumentError) {
      return (try JSONDocumentError.json(in: text), text)
    } catch {
      let place = error.place(in: text)
      throw JSONDocumentError(
        path: path, text: "\(file.name):\(place.line):\(place.column): \(error.text)")
    }
  }

  /// Returns the resources of a stub file that serve the members of another file.
  static func resources(_ names: [String], of file: String) -> String {
    let resources = names.prefix(8).map { name in
      let pointer = ([.member(name)] as JSONValuePath).pointer
      return "{\"resource\": \"/\(name)\", \"data\": \"\(file)#\(pointer)\"}"
    }
    return resources.joined(separator: ", ") + (names.count > 8 ? ", ..." : "")
  }
}

extension JSON {
  /// The names of the collections and the single objects of a database of json-server, in order.
  ///
  /// Empty for another value. A database is an object whose members are arrays and objects, of which one
  /// is an array of items. An array of routes is no collection.
  var collectionNames: [String] {
    guard let members = dictionary?.filter({ $0.key != "$schema" }),
      members.values.allSatisfy({ $0.array != nil || $0.dictionary != nil })
    else { return [] }
    let isDatabase = members.values.contains { value in
      guard let item = value.array?.first?.dictionary else { return false }
      return item["path"] == nil && item["resource"] == nil
    }
    guard isDatabase else { return [] }
    return members.filter { $0.value.array?.allSatisfy { $0.dictionary != nil } ?? true }.keys
      .sorted()
  }
}
