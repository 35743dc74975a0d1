import Testing

@testable import Mocking

struct MockDelayTests {
  @Test func aFixedDelayIsAlwaysTheSame() {
    #expect(MockDelay.milliseconds(200).duration(7) == .milliseconds(200))
    #expect(MockDelay.seconds(1.5).duration(0) == .milliseconds(1_500))
    #expect(MockDelay.fixed(.seconds(-1)).duration(0) == .zero)
    #expect(MockDelay.seconds(.nan).duration(0) == .zero)
    #expect(!MockDelay.zero.isRandom)
  }

  @Test func evenlyDrawnDelaysFillTheirRange() {
    let delay = MockDelay.uniform(.milliseconds(80), .milliseconds(300))
    let draws = (0..<1_000).map { delay.duration($0) }
    #expect(draws.allSatisfy { (.milliseconds(80)...(.milliseconds(300))).contains($0) })
    #expect(draws.contains { $0 < .milliseconds(90) } && draws.contains { $0 > .milliseconds(290) })
    let mean = draws.reduce(.zero, +) / 1_000
    #expect((.milliseconds(180)...(.milliseconds(200))).contains(mean))
  }

  @Test func logNormalDelaysLieAroundTheirMedianAndUnderTheirCap() {
    let delay = MockDelay.logNormal(median: .milliseconds(100), sigma: 0.8, cap: .milliseconds(500))
    let draws = (0..<2_001).map { delay.duration($0) }.sorted()
    #expect((.milliseconds(90)...(.milliseconds(110))).contains(draws[1_000]))
    #expect(draws.last == .milliseconds(500))
    #expect(draws[0] > .zero)
    let still = MockDelay.logNormal(median: .seconds(1), sigma: .nan, cap: .seconds(5))
    #expect(still.duration(3) == .seconds(1))
    let wild = MockDelay.logNormal(median: .seconds(1), sigma: .infinity, cap: .seconds(5))
    #expect((0..<100).allSatisfy { (.zero...(.seconds(5))).contains(wild.duration($0)) })
  }

  @Test func aSeedDecidesTheDraws() {
    func draws(_ seed: UInt64) -> [Duration] {
      let delay = MockDelay.uniform(.zero, .seconds(1), seed: seed)
      return (0..<20).map { delay.duration($0) }
    }
    #expect(draws(1) == draws(1))
    #expect(draws(1) != draws(2))
    #expect(Set(draws(1)).count == 20)
  }
}
