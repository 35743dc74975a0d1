import CatenaSystem
import Foundation
import TestGate
import TestSupport
import Testing

@testable import Promises

/// The lock, the mutex and the atomic values, which are types of the module Synchronization or, with
/// the compilation condition `CATENA_LOCKS` and on Apple's platforms, types of CatenaSystem.
@Suite(.gated)
struct SynchronizationTests {
  static let threads = 8
  static let rounds = 2_000

  /// Runs a closure on several threads, many times on each.
  private func repeatOnThreads(_ body: @escaping @Sendable (_ thread: Int, _ round: Int) -> Void) {
    DispatchQueue.concurrentPerform(iterations: Self.threads) { thread in
      for round in 0..<Self.rounds { body(thread, round) }
    }
  }

  @Test func aMutexLetsOneThreadInAtATime() {
    let list = Mutex([Int]())
    repeatOnThreads { thread, _ in list.withLock { $0.append(thread) } }
    let counts = list.withLock { list in
      Dictionary(grouping: list) { $0 }.mapValues(\.count)
    }
    #expect(counts.count == Self.threads && counts.values.allSatisfy { $0 == Self.rounds })
  }

  @Test func aLockProtectsThePropertiesOfItsOwner() {
    final class Account: @unchecked Sendable {
      let lock = Lock()
      var (from, to) = (SynchronizationTests.threads * SynchronizationTests.rounds, 0)
    }
    let account = Account()
    repeatOnThreads { _, _ in
      let sum = account.lock.withLock {
        account.from -= 1
        account.to += 1
        return account.from + account.to
      }
      precondition(sum == Self.threads * Self.rounds)
    }
    #expect(account.from == 0 && account.to == Self.threads * Self.rounds)
  }

  @Test func anErrorReleasesALock() {
    let lock = Lock()
    let mutex = Mutex(1)
    #expect(throws: TestError.self) { try lock.withLock { throw TestError("a") } }
    #expect(throws: TestError.self) {
      try mutex.withLock { value in
        value = 2
        throw TestError("b")
      }
    }
    #expect(lock.withLock { true })
    #expect(mutex.withLock { $0 } == 2)
  }

  @Test func aMutexOwnsAValueThatCannotBeCopied() throws {
    struct Owner: ~Copyable {
      let object: Log<String>
      deinit { object.append("released") }
    }
    let log = Log<String>()
    do {
      let mutex = Mutex<Owner?>(Owner(object: log))
      let taken = mutex.withLock { $0.take() }
      #expect(log.entries.isEmpty)
      let isTaken = taken != nil
      #expect(isTaken)
      mutex.withLock { $0 = Owner(object: log) }
      #expect(log.entries.isEmpty)
    }
    #expect(log.entries == ["released", "released"])
  }

  @Test func sumsOfThreadsAreExact() {
    let (number, signed, wide) = (Counters(), Counters(), Counters())
    repeatOnThreads { _, _ in
      number.int.add(3, ordering: .relaxed)
      signed.int.subtract(2, ordering: .acquiringAndReleasing)
      wide.wide.add(1 << 40, ordering: .sequentiallyConsistent)
    }
    let count = Self.threads * Self.rounds
    #expect(number.int.load(ordering: .relaxed) == 3 * count)
    #expect(signed.int.load(ordering: .acquiring) == -2 * count)
    #expect(wide.wide.load(ordering: .sequentiallyConsistent) == UInt64(count) << 40)
  }

  @Test func operationsReturnTheFormerValueAndTheNewOne() {
    let values = Counters()
    #expect(values.int.add(-5, ordering: .relaxed) == (0, -5))
    #expect(values.int.subtract(-6, ordering: .relaxed) == (-5, 1))
    #expect(values.int.exchange(.min, ordering: .relaxed) == 1)
    #expect(values.int.load(ordering: .relaxed) == .min)
    #expect(values.byte.bitwiseOr(0b101, ordering: .acquiringAndReleasing) == (0, 0b101))
    #expect(values.byte.bitwiseAnd(0b110, ordering: .acquiringAndReleasing) == (0b101, 0b100))
    let former = values.flag.exchange(true, ordering: .acquiringAndReleasing)
    let isSet = values.flag.load(ordering: .acquiring)
    #expect(!former && isSet)
    values.flag.store(false, ordering: .releasing)
    let isStillSet = values.flag.load(ordering: .acquiring)
    #expect(!isStillSet)
  }

  @Test func aComparedValueIsReplacedOnlyIfItIsTheExpectedOne() {
    let values = Counters()
    let missed = values.byte.compareExchange(
      expected: 1, desired: 2, ordering: .acquiringAndReleasing)
    #expect(missed == (false, 0))
    let hit = values.byte.compareExchange(
      expected: 0, desired: 255, ordering: .acquiringAndReleasing)
    #expect(hit == (true, 0))
    #expect(values.byte.load(ordering: .acquiring) == 255)
  }

  @Test func oneOfAllThreadsWinsEachExchange() {
    let turns = Counters()
    let wins = Mutex([Int](repeating: 0, count: Self.rounds))
    repeatOnThreads { _, round in
      let (isFirst, _) = turns.int.compareExchange(
        expected: round, desired: round + 1, ordering: .acquiringAndReleasing)
      if isFirst { wins.withLock { $0[round] += 1 } }
    }
    #expect(wins.withLock { $0.allSatisfy { $0 == 1 } })
    #expect(turns.int.load(ordering: .acquiring) == Self.rounds)
  }

  /// A reader who sees the flag also sees the value that was written before it.
  @Test func aReleasedValueIsSeenAfterItsFlag() {
    for value in 1...Self.rounds {
      let message = Message()
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        if thread == 0 {
          message.value = value
          message.isWritten.store(true, ordering: .releasing)
        } else {
          while !message.isWritten.load(ordering: .acquiring) { sched_yield() }
          precondition(message.value == value)
        }
      }
    }
  }

  @Test func aPromiseIsOneAllocationWithItsLockAndItsStateInIt() {
    let (promise, resolver) = Promise<Int>.pending()
    let object = UInt(bitPattern: Unmanaged.passUnretained(promise).toOpaque())
    let lock = withUnsafePointer(to: promise.lock) { UInt(bitPattern: $0) }
    let state = withUnsafePointer(to: promise.deliveryState) { UInt(bitPattern: $0) }
    #expect((object..<object + 160).contains(lock) && (object..<object + 160).contains(state))
    resolver.fulfill(1)
  }
}

/// Atomic values of all types that are used.
private final class Counters: Sendable {
  let int = Atomic(0)
  let byte = Atomic<UInt8>(0)
  let wide = Atomic<UInt64>(0)
  let flag = Atomic(false)
}

/// A value that a flag protects.
private final class Message: @unchecked Sendable {
  var value = 0
  let isWritten = Atomic(false)
}
