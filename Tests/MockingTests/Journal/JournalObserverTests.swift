import CatenaSystem
import TestGate
import Testing

@testable import Mocking

/// The admin API observes each request of a server, for as long as it runs.
@Suite(.gated)
struct JournalObserverTests {
  @Test func anObserverIsCalledAtTheSameDepthForEachChange() {
    let journal = RequestJournal(limits: JournalLimits())
    let addresses = Mutex<[UInt]>([])
    journal.observe { _ in
      var local = 0
      let address = withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
      addresses.withLock { $0.append(address) }
    }
    for _ in 0..<1_000 { journal.notify(.reset) }
    let seen = addresses.withLock { $0 }
    #expect(seen.count == 1_000 && Set(seen).count == 1)
  }
}
