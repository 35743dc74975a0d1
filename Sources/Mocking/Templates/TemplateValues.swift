import CatenaSystem
public import Foundation
import Networking
import Promises

/// Generated values for responses: counters, identifiers, random values and the current date.
///
/// A closure of `Mock.template { request, values in ... }` receives them with the request. The
/// templates of stub files use the same values.
///
/// ```swift
/// Route(.post, "/orders", .template { request, values in
///   .json(["id": .int(values.counter("orders")), "token": .string(values.uuid().uuidString)])
/// })
/// ```
///
/// The server, provider or transport that serves the response owns the counters and the source of
/// random numbers, so two servers count independently. New routes of a server start new counters,
/// and ``ScenarioStates/reset()`` restarts them.
/// All members may be used from any thread.
public struct TemplateValues: Sendable {
  let random: SeededRandom
  let counters: TemplateCounters
  let scheduler: any Scheduler
  /// The isolated client whose counters are used.
  private var client: String?
  private var maximumClients = 1

  init(
    random: SeededRandom = SeededRandom(), counters: TemplateCounters = TemplateCounters(),
    scheduler: any Scheduler = .live
  ) {
    self.random = random
    self.counters = counters
    self.scheduler = scheduler
  }

  /// Creates values that belong to no backend, with the system clock.
  ///
  /// - Parameter seed: The seed of the random values. `nil` uses a random seed.
  package init(seed: UInt64?) {
    self.init(random: SeededRandom(seed: seed))
  }

  /// Returns a copy with the counters of a client.
  ///
  /// - Parameters:
  ///   - client: The client. `nil` uses the shared counters.
  ///   - limit: The maximum number of clients.
  /// - Returns: The values.
  func counting(for client: String?, atMost limit: Int) -> TemplateValues {
    var values = self
    values.client = client
    values.maximumClients = limit
    return values
  }

  /// The current date.
  ///
  /// In virtual time it is 1 January 2025, 00:00 UTC, plus the virtual time, so that each run has
  /// the same dates. Otherwise it is the date of the system clock.
  public var now: Date {
    guard (scheduler as? LiveScheduler) !== LiveScheduler.system else { return Date() }
    return Date(timeIntervalSince1970: 1_735_689_600 + scheduler.now / .seconds(1))
  }

  /// Returns the next number of a counter.
  ///
  /// - Parameters:
  ///   - name: The name of the counter.
  ///   - first: The first number. Only the first use of the counter evaluates it.
  /// - Returns: The number. Each call returns a greater one.
  public func counter(_ name: String = "", from first: Int = 1) -> Int {
    counters.next(name, from: first, for: client, atMost: maximumClients)
  }

  /// Returns a random identifier of version 4.
  ///
  /// Source: RFC 9562 section 5.4.
  ///
  /// - Returns: The identifier. With a seed, the same calls return the same identifiers.
  public func uuid() -> UUID {
    func byte(_ bits: UInt64, _ index: UInt64) -> UInt8 {
      UInt8(truncatingIfNeeded: bits >> (56 - 8 * index))
    }
    let (high, low) = (random.bits(), random.bits())
    return UUID(
      uuid: (
        byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5),
        byte(high, 6) & 0x0F | 0x40, byte(high, 7), byte(low, 0) & 0x3F | 0x80, byte(low, 1),
        byte(low, 2), byte(low, 3), byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
      ))
  }

  /// Returns a random integer.
  ///
  /// - Parameter range: The range of the integer.
  /// - Returns: The integer.
  public func int(in range: ClosedRange<Int>) -> Int { random.int(in: range) }

  /// Returns a random number.
  ///
  /// - Parameter range: The range of the number. The upper bound itself is not returned, unless it
  ///   equals the lower bound.
  /// - Returns: The number.
  public func double(in range: ClosedRange<Double>) -> Double {
    let unit = random.unit()
    return range.lowerBound * (1 - unit) + range.upperBound * unit
  }

  /// Returns a random Boolean.
  ///
  /// - Returns: `true` or `false`, with equal probability.
  public func bool() -> Bool { random.bits() & 1 == 1 }

  /// Returns a random text of lowercase letters and digits.
  ///
  /// - Parameter length: The number of characters, at most 10,000. A negative number counts as 0.
  /// - Returns: The text.
  public func text(length: Int) -> String {
    text(length, of: "abcdefghijklmnopqrstuvwxyz0123456789")
  }

  /// Returns a random element of a list.
  ///
  /// - Parameter elements: The list.
  /// - Returns: The element, or `nil` if the list is empty.
  public func pick<Element>(_ elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[random.int(in: 0...(elements.count - 1))]
  }

  /// The maximum length of a random text.
  package static let maximumTextLength = 10_000

  /// Returns a random text.
  ///
  /// - Parameters:
  ///   - length: The number of characters, at most ``maximumTextLength``.
  ///   - characters: The characters, in ASCII.
  /// - Returns: The text.
  package func text(_ length: Int, of characters: StaticString) -> String {
    let count = UInt64(characters.utf8CodeUnitCount)
    return characters.withUTF8Buffer { characters in
      String(
        decoding: (0..<min(max(length, 0), Self.maximumTextLength)).map { _ in
          characters[Int(random.bits() % count)]
        }, as: UTF8.self)
    }
  }
}

/// The named counters of one provider, transport or server.
final class TemplateCounters: Sendable {
  private let numbers = Mutex(ClientValues<[String: Int]>([:]))

  /// Starts all counters again with their first numbers.
  func restart() { numbers.withLock { $0 = ClientValues([:]) } }

  /// Returns the next number of a counter.
  ///
  /// The names may come from requests. Beyond 10,000 counters, or for a name of more than 1,024 bytes,
  /// new ones always return `first`.
  func next(
    _ name: String, from first: Int, for client: String? = nil, atMost limit: Int = 1
  ) -> Int {
    numbers.withLock {
      $0.update(client, atMost: limit) { numbers in
        guard let last = numbers[name] else {
          if numbers.count < 10_000, name.utf8.count <= 1_024 { numbers[name] = first }
          return first
        }
        numbers[name] = last &+ 1
        return last &+ 1
      }
    }
  }
}
