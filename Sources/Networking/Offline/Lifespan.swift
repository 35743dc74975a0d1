import Foundation

/// When an entry was accepted, and until when it is to be sent, by a clock that may have been wrong.
///
/// A machine without a clock of its own begins in 1970, or at another time long ago, until it has asked
/// the network. So what lies ahead of the clock by more than a day, or was over more than ten years ago,
/// was not measured by the clock that is asked now: then nobody knows its age, and it is not held to be
/// over. A clock that was wrong by less is believed.
struct Lifespan {
  let created: Date
  let expires: Date?

  private static let day: TimeInterval = 24 * 3_600
  private static let decade = 3_652 * day

  /// Whether it is over.
  func isOver(at now: Date) -> Bool {
    guard let expires else { return false }
    return expires <= now && !isImplausible(at: now)
  }

  /// Whether it was measured by another clock than the one that shows this time.
  func isImplausible(at now: Date) -> Bool {
    guard let expires else { return false }
    return now.timeIntervalSince(expires) > Self.decade
      || created.timeIntervalSince(now) > Self.day
  }

  /// As long a one from now on.
  func beginning(at now: Date) -> Lifespan {
    Lifespan(
      created: now, expires: expires.map { now.addingTimeInterval($0.timeIntervalSince(created)) })
  }
}
