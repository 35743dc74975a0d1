import Testing

@testable import Mocking

/// Requests changed at random, always the same ones.
struct RequestFuzzTests {
  /// SplitMix64.
  private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  private static let seeds = [
    RequestMachineTests.get, RequestMachineTests.sized, RequestMachineTests.chunked,
    RequestMachineTests.get + RequestMachineTests.chunked + RequestMachineTests.sized,
  ].map { Array($0.utf8) }

  @Test(.timeLimit(.minutes(10)))
  func tenThousandMutatedRequestsNeitherTrapNorDependOnTheirCuts() throws {
    var random = Seeded(state: 20_240_601)
    var refused = 0
    for _ in 0..<10_000 {
      let bytes = mutated(try #require(Self.seeds.randomElement(using: &random)), &random)
      let whole = Reading([bytes])
      if whole.parseError != nil { refused += 1 }
      let cuts = (0..<3).map { _ in Int.random(in: 0...bytes.count, using: &random) }.sorted()
      let pieces = zip([0] + cuts, cuts + [bytes.count]).map { Array(bytes[$0..<$1]) }
      #expect(Reading(pieces) == whole)
    }
    // Neither all nor none: so the changes reach both sides of the parser.
    #expect((2_000...9_900).contains(refused))
  }

  private func mutated(_ seed: [UInt8], _ random: inout Seeded) -> [UInt8] {
    var bytes = seed
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let at = Int.random(in: 0..<max(bytes.count, 1), using: &random)
      guard bytes.indices.contains(at) else { break }
      let odd: [UInt8] = [0, 9, 10, 13, 32, 37, 45, 48, 57, 58, 59, 65, 70, 127, 128, 255]
      switch Int.random(in: 0..<5, using: &random) {
      case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes[at] = odd.randomElement(using: &random) ?? 0
      case 2: bytes.insert(odd.randomElement(using: &random) ?? 0, at: at)
      case 3: bytes.remove(at: at)
      default:
        let end = min(bytes.count, at + Int.random(in: 1...20, using: &random))
        bytes.insert(contentsOf: bytes[at..<end], at: Int.random(in: 0...at, using: &random))
      }
    }
    return bytes
  }
}
