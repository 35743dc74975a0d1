import Foundation

extension OfflineStore {
  /// What a replay has come to.
  public struct Report: Sendable {
    /// What was sent and answered, and has left the store, in the order of the answers.
    public var delivered: [Entry] = []
    /// What was refused for good, and has left the store, each with the reason.
    public var failed: [Unsent] = []
    /// What is still in the store, each with the reason; nil where an earlier one of the same queue
    /// was kept, so that it was not tried.
    public var kept: [Unsent] = []
    /// What had expired, and has left the store unsent.
    public var expired: [Entry] = []
    /// What was no entry, and was set aside.
    public var quarantined: [Quarantined] = []
    /// What the disk has failed at, reading an entry or setting one aside: it is still in the store.
    ///
    /// So are the later ones of the queue of an entry that cannot be read, where it is known which that
    /// is; what is no entry holds up none.
    public var errors: [any Error] = []
  }

  /// An entry that was not delivered.
  public struct Unsent: Sendable {
    /// The entry.
    public let entry: Entry
    /// Why; nil when it was not tried.
    public let error: (any Error)?
  }

  /// Something that was found among the entries and is none.
  public struct Quarantined: Sendable, Hashable {
    /// Where it is now.
    public let location: URL
    /// What is wrong with it, as part of a sentence.
    public let reason: String
  }

  /// What has become of one entry in a replay.
  public enum Outcome: Sendable {
    /// It was answered, and has left the store.
    case delivered(Response)
    /// It was refused for good, and has left the store.
    case failed(any Error)
    /// It is still in the store; nil when it was not tried, as an earlier one of its queue was kept.
    case kept((any Error)?)
    /// It had expired, and has left the store.
    case expired
    /// It was no entry, and was set aside.
    case quarantined(Quarantined)
    /// Somebody removed it before its turn came.
    case removed
  }

  /// How far a replay has come.
  public struct Progress: Sendable {
    /// How many of the entries have had their outcome, this one included.
    public let completed: Int
    /// How many there were when the replay began.
    public let total: Int
    /// The entry whose outcome it is; nil for what is none, was removed or cannot be read.
    public let entry: Entry?
    /// What has become of it.
    public let outcome: Outcome
  }
}
