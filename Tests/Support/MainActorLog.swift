import Dispatch

/// A list of entries that belongs to the main actor, like the state of a view model.
@MainActor
package final class MainActorLog<Entry: Sendable> {
  package private(set) var entries: [Entry] = []
  private var places: [Bool] = []

  package nonisolated init() {}

  /// Whether there are entries, and all of them were appended on the main queue.
  package var isOfMainQueue: Bool { !places.isEmpty && places.allSatisfy { $0 } }

  package func append(_ entry: Entry) {
    entries.append(entry)
    places.append(isOnMainQueue)
  }
}

/// Waits until the main queue has run all blocks that it has now.
package func mainQueueHasRun() async {
  await withCheckedContinuation { continuation in
    DispatchQueue.main.async { continuation.resume() }
  }
}
