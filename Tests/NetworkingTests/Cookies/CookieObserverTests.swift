import TestGate
import Testing

@testable import Networking

/// The changes of a jar wait for one delivery at a time.
@Suite(.gated)
struct CookieObserverTests {
  @Test func aChangeDuringADeliveryIsPartOfIt() {
    var observers = CookieObservers()
    let first = observers.add { _ in }
    let change = CookieJar.Change.stored(Cookie("a", "1", domain: "a.test"), replacing: nil)
    var starts = [observers.record([change]), observers.record([change])]
    let second = observers.add { _ in }
    starts.append(observers.record([change]))
    #expect(starts == [true, false, false])
    let deliveries = observers.takeDeliveries()
    #expect(deliveries?.map(\.observers) == [[first], [first], [first, second]])
    // The delivery goes on until there is nothing left.
    starts = [observers.record([change])]
    let counts = [observers.takeDeliveries()?.count, observers.takeDeliveries()?.count]
    starts.append(observers.record([change]))
    #expect(starts == [false, true] && counts == [1, nil])
  }
}
