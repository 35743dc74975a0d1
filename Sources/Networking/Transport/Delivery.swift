import Foundation

/// What becomes of the body of a response, and who is told how it gets on.
struct Delivery: Sendable {
  /// Where the body of a success, 2xx, goes; any other stays in memory.
  enum Destination: Sendable {
    case memory
    case file(FileTarget)
    case stream
  }

  var destination = Destination.memory
  /// The most that is taken into memory; nil is without limit.
  var maximumBodySize: Int?
  var progress: (any ProgressReporting)?

  var isToMemory: Bool {
    if case .memory = destination { true } else { false }
  }
}

/// A place for a file, and whether it may take that of another.
struct FileTarget: Sendable {
  let url: URL
  let replaces: Bool
}
