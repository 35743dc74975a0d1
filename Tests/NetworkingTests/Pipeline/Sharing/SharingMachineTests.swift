import Promises
import TestSupport
import Testing

@testable import Networking

struct SharingMachineTests {
  private let key = SharingMachineTests.key("https://a.example/x")

  private static func key(_ url: StaticString) -> SharingKey? {
    SharingKey(Exchange(HTTPRequest(url: .of(url)), over: FakeTransport { _ in [] }))
  }

  private func caller() -> Resolver<Response> {
    let (promise, resolver) = NetworkPromise.pending(on: .inline)
    promise.cancel()
    return resolver
  }

  private func kind(_ departure: SharingMachine.LeaveResult) -> String {
    switch departure {
    case .callersRemain(let caller): caller == nil ? "was over" : "stays"
    case .abandoned(let work, _): work == nil ? "abandoned before it began" : "abandoned"
    }
  }

  @Test func theFirstStartsItAndTheOthersJoin() throws {
    var machine = SharingMachine()
    let key = try #require(key)
    let entries = (1...3).map { _ in machine.enter(key, caller()) }
    #expect(entries.map(\.isFirst) == [true, false, false])
    #expect(entries.map(\.ticket.caller) == [0, 1, 2] && machine.count == 1)
    let other = try #require(Self.key("https://a.example/y"))
    let isFirst = machine.enter(other, caller()).isFirst
    #expect(isFirst && machine.count == 2)
  }

  @Test func theEndIsForAllWhoAreStillThereInTheirOrder() throws {
    var machine = SharingMachine()
    let key = try #require(key)
    let callers = (1...4).map { _ in caller() }
    let entries = callers.map { machine.enter(key, $0) }
    let departure = machine.left(entries[1].ticket)
    let (told, again) = (machine.ended(entries[0].ticket), machine.ended(entries[0].ticket))
    let late = machine.left(entries[2].ticket)
    #expect(
      told.map { ObjectIdentifier($0) }
        == [callers[0], callers[2], callers[3]].map { ObjectIdentifier($0) })
    #expect(again.isEmpty && machine.count == 0)
    #expect([departure, late].map(kind) == ["stays", "was over"])
  }

  @Test func theLastOneToGoTakesTheWorkAlong() throws {
    var machine = SharingMachine()
    let key = try #require(key)
    let (first, second) = (machine.enter(key, caller()), machine.enter(key, caller()))
    let work = NetworkPromise.pending(on: .inline)
    work.promise.cancel()
    let isWanted = machine.began(first.ticket, work.promise)
    let departures = [machine.left(first.ticket), machine.left(second.ticket)]
    #expect(isWanted && departures.map(kind) == ["stays", "abandoned"] && machine.count == 0)
  }

  @Test func workThatBeginsWhenAllHaveGoneIsNotWanted() throws {
    var machine = SharingMachine()
    let key = try #require(key)
    let first = machine.enter(key, caller())
    let departure = machine.left(first.ticket)
    let next = machine.enter(key, caller())
    let work = NetworkPromise.pending(on: .inline)
    work.promise.cancel()
    let isWanted = machine.began(first.ticket, work.promise)
    #expect(kind(departure) == "abandoned before it began" && next.isFirst && !isWanted)
    // Nor does its end concern the exchange that came after it.
    let (told, late) = (machine.ended(first.ticket), machine.left(first.ticket))
    #expect(told.isEmpty && kind(late) == "was over" && machine.count == 1)
  }
}
