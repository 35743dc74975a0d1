// Compares the YAML reader of `MockingContracts` with Yams:
//
// - random documents with known values, which both must read
// - the same documents with changed bytes: if both read one, the values must be equal
// - the cases of the yaml-test-suite, if a folder of its branch `data` is given
//
//     yaml-differential [COUNT [SEED [FOLDER]]]
import Foundation
import Networking
import Yams

@testable import MockingContracts

/// Returns the value of a node of Yams by the core schema.
///
/// Yams resolves scalars by YAML 1.1, so only its texts and styles are used.
func json(_ node: Node) throws -> JSON {
  switch node {
  case .scalar(let scalar):
    return try CoreSchema.value(of: scalar.string, isPlain: scalar.style == .plain, tag: nil)
  case .sequence(let sequence): return .array(try sequence.map(json))
  case .mapping(let mapping):
    var members: [String: JSON] = [:]
    for (key, value) in mapping {
      guard case .scalar(let key) = key else { throw CoreSchemaError(reason: "a collection") }
      members[key.string] = try json(value)
    }
    return .dictionary(members)
  case .alias: throw CoreSchemaError(reason: "an alias")
  }
}

/// Returns whether a text may have an anchor with a character that libyaml does not take for a part of
/// its name.
func hasUnusualAnchor(_ text: String) -> Bool {
  var isInName = false
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "*"):
      if isInName { return true }
      isInName = true
    case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
      isInName = false
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): break
    default: if isInName { return true }
    }
  }
  return false
}

/// Returns whether a text may have a plain scalar of a flow collection that begins with `?`, which
/// libyaml takes for a key, as in YAML 1.1.
func hasUnusualQuestionMark(_ text: String) -> Bool {
  let bytes = Array(text.utf8)
  return bytes.indices.dropFirst().dropLast().contains { index in
    bytes[index] == UInt8(ascii: "?") && " \n,[{\t".utf8.contains(bytes[index - 1])
      && !" \n".utf8.contains(bytes[index + 1])
  }
}

let arguments = CommandLine.arguments
let count = arguments.count > 1 ? Int(arguments[1]) ?? 2_000 : 2_000
let seed = arguments.count > 2 ? UInt64(arguments[2]) ?? 1 : 1
var failures = 0

@MainActor func fail(_ reason: String, _ text: String) {
  failures += 1
  guard failures <= 10 else { return }
  print("FAILED: \(reason)\n----\n\(text)\n----")
}

var generator = DocumentGenerator(seed: seed)
var changed = (both: 0, neither: 0, onlyYams: 0, onlyCatena: 0)
for _ in 0..<count {
  let (text, value) = generator.document()
  // Yams has no core schema, so tags are compared with the known value only.
  let hasTags = text.contains("!")
  do throws(DocumentSyntaxError) {
    let read = try YAMLReader.read(Data(text.utf8)).json
    if read != value { fail("expected \(value), read \(read)", text) }
  } catch { fail("\(error.reason) at byte \(error.offset)", text) }
  do {
    let node = try Parser(yaml: text, encoding: .utf8).singleRoot()
    let read = try node.map(json) ?? .null
    if read != value, !hasTags { fail("Yams: expected \(value), read \(read)", text) }
  } catch { fail("Yams: \(error)", text) }

  var bytes = Array(text.utf8)
  for _ in 0...generator.below(2) where !bytes.isEmpty {
    let index = generator.below(bytes.count)
    let replacements = Array("\n  -:?#\"'[]{},|>&*!a1".utf8)
    switch generator.below(3) {
    case 0: bytes.remove(at: index)
    case 1: bytes.insert(replacements[generator.below(replacements.count)], at: index)
    default: bytes[index] = replacements[generator.below(replacements.count)]
    }
  }
  // Without a line break at the end, the value of a last block scalar differs.
  bytes.append(UInt8(ascii: "\n"))
  guard let changedText = String(validating: bytes, as: UTF8.self), !changedText.contains("!"),
    !hasUnusualAnchor(changedText), !hasUnusualQuestionMark(changedText)
  else { continue }
  let mine = try? YAMLReader.read(Data(bytes)).json
  var other: JSON?
  if let node = try? Parser(yaml: changedText, encoding: .utf8).singleRoot() {
    other = try? json(node)
  }
  switch (mine, other) {
  case (let mine?, let other?):
    changed.both += 1
    if mine != other { fail("a changed document: \(mine) is \(other) for Yams", changedText) }
  case (nil, nil): changed.neither += 1
  case (nil, _?): changed.onlyYams += 1
  case (_?, nil): changed.onlyCatena += 1
  }
}
print("\(count) documents: both read all of them, apart from \(failures) failures")
print(
  "changed documents: both read \(changed.both), neither \(changed.neither), "
    + "only Yams \(changed.onlyYams), only Catena \(changed.onlyCatena)")

if arguments.count > 3 {
  let result = try TestSuite.run(URL(fileURLWithPath: arguments[3]))
  print(result.summary)
  failures += result.failures
}
exit(failures == 0 ? 0 : 1)
