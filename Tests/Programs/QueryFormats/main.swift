// Prints seeded trees of parameters, and their encoding by each query format, as JSON lines.
//
//   query-formats [TREES] [SEED]
//
// For each format there are TREES trees that it must be able to encode, and as many with names and shapes of
// any kind, which it may reject. A line has the members `format`, `case` ("fitting" or "any"), `options` and
// `tree`, and either `text`, the query or the form, or `error`. A value of the tree is an array of its kind and
// its content: ["n"], ["b", true], ["i", 1], ["d", 0.5], ["s", "text"], ["t", seconds since 1970],
// ["x", Base64], ["a", [elements]], ["o", [[name, value], ...]].
//
// The comparison `query` of Tests/Differential decodes the texts with the decoders of servers.

import Foundation
import Networking
import ProgramSupport

let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let treeCount = max(arguments.first ?? 5_000, 1)
let seed = UInt64(max(arguments.dropFirst().first ?? 1, 0))
let jsonEncoder = JSONParameterEncoder()

func printLine(_ line: Parameters) throws {
  guard case .body(let pieces, _) = try jsonEncoder.encode(line),
    case .data(let data)? = pieces.first
  else { return }
  FileHandle.standardOutput.write(data + Data("\n".utf8))
}

for (index, tested) in TestedFormat.all.enumerated() {
  for fits in [true, false] where fits || tested.hasAnyCase {
    var trees = TreeGenerator(
      tested, fits: fits, seed: seed &* 1_000 &+ UInt64(index * 2 + (fits ? 0 : 1)))
    for _ in 0..<treeCount {
      let (format, options) = trees.format()
      let tree = trees.root()
      var line: Parameters = [
        "format": .string(tested.name), "case": fits ? "fitting" : "any", "options": options,
        "tree": tree.described,
      ]
      do {
        line["text"] = .string(try trees.text(of: tree, in: format))
      } catch {
        line["error"] = .string("\(error)")
      }
      try printLine(line)
    }
  }
}
