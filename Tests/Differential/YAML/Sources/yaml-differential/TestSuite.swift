import Foundation
import Networking

@testable import MockingContracts

/// The cases of the branch `data` of https://github.com/yaml/yaml-test-suite.
enum TestSuite {
  /// Runs all cases, and prints those that fail.
  ///
  /// A case that is valid YAML may be refused for one of the reasons that the reader documents, and one
  /// that is not may be read if the reader documents it: further lines of a quoted text may have any
  /// indentation.
  static func run(_ root: URL) throws -> (summary: String, failures: Int) {
    let documented = [
      "the tag ", "a key that is a collection", "occurs twice", "at most one anchor",
    ]
    let lenient = ["QB6E/", "DK95/01/"]
    var (passed, refused, failures) = (0, 0, 0)
    let files =
      FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
    for file in files.sorted() where file.hasSuffix("/in.yaml") {
      guard !file.hasPrefix("name/"), !file.hasPrefix("tags/") else { continue }
      let folder = root.appending(path: file).deletingLastPathComponent()
      let isError =
        FileManager.default.fileExists(atPath: folder.appending(path: "error").path)
        && !lenient.contains(where: file.hasPrefix)
      do throws(DocumentSyntaxError) {
        let text = (try? Data(contentsOf: root.appending(path: file))) ?? Data()
        let values = try YAMLReader.documents(in: text).map(\.json)
        let expected = (try? Data(contentsOf: folder.appending(path: "in.json"))).map(jsonTexts)
        if isError || expected != nil && expected != values {
          failures += 1
          print("FAILED: \(file): \(values), expected \(String(describing: expected))")
        } else {
          passed += 1
        }
      } catch {
        if isError {
          passed += 1
        } else if documented.contains(where: { error.reason.contains($0) }) {
          refused += 1
        } else {
          failures += 1
          print("FAILED: \(file): \(error.reason) at byte \(error.offset)")
        }
      }
    }
    let summary =
      "yaml-test-suite: \(passed) passed, \(refused) refused as documented, \(failures) failed"
    return (summary, failures)
  }

  /// Splits a text with several JSON values, each of which begins on a new line.
  private static func jsonTexts(_ data: Data) -> [JSON] {
    var (values, pending): ([JSON], String) = ([], "")
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
      pending += line + "\n"
      guard let value = try? JSON(parsing: Data(pending.utf8)) else { continue }
      values.append(value)
      pending = ""
    }
    return values
  }
}
