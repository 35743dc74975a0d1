public import Networking

#if canImport(os)
  import os
#endif

/// A monitor that shows the calls of a client as intervals in Instruments, on Apple platforms.
///
/// ```swift
/// configuration.monitors = [SignpostMonitor(subsystem: "com.example.boards")]
/// ```
///
/// Each call is an interval of the name `Call`, from its queue to its end. Each hop, redirect and retry is an
/// event of the name `Step`. Choose the instrument `os_signpost` and the subsystem.
///
/// An interval begins and ends on the thread and at the time of its event. It shows no secrets. On other platforms it
/// does nothing.
public struct SignpostMonitor: ImmediateMonitor {
  #if canImport(os)
    private let signposter: OSSignposter
  #endif

  /// Creates a monitor.
  ///
  /// - Parameters:
  ///   - subsystem: The subsystem, such as the identifier of the app's bundle.
  ///   - category: The category.
  public init(subsystem: String = "Catena", category: String = "Calls") {
    #if canImport(os)
      signposter = OSSignposter(subsystem: subsystem, category: category)
    #endif
  }

  /// Shows an event.
  ///
  /// - Parameter event: The event.
  public func observe(_ event: NetworkEvent) {
    #if canImport(os)
      guard signposter.isEnabled, let signpost = Signpost(event) else { return }
      let id = OSSignpostID(signpost.id)
      // Public because events have no secrets.
      switch signpost.phase {
      case .begin:
        _ = signposter.beginInterval("Call", id: id, "\(signpost.text, privacy: .public)")
      case .step: signposter.emitEvent("Step", id: id, "\(signpost.text, privacy: .public)")
      case .end:
        signposter.endInterval(
          "Call", .beginState(id: id), "\(signpost.text, privacy: .public)")
      }
    #endif
  }
}

/// The signpost of an event.
struct Signpost: Equatable {
  enum Phase: Equatable { case begin, step, end }

  let phase: Phase
  /// The number of the call, which no other call of the process has.
  let id: UInt64
  let text: String

  /// Creates a signpost, or returns `nil` for an event that is not shown.
  init?(_ event: NetworkEvent) {
    guard let id = UInt64("\(event.call)".drop { $0 == "#" }) else { return nil }
    self.id = id
    let request = event.request.map { "\($0)" } ?? "call"
    switch event.kind {
    case .queued: (phase, text) = (.begin, request)
    case .sending: (phase, text) = (.step, "attempt \(event.attempt), hop \(event.hop): \(request)")
    case .redirected, .challenged, .retrying, .credentialsRefreshed, .servedFromCache, .shared,
      .waiting:
      (phase, text) = (.step, event.description)
    case .finished(let status, _): (phase, text) = (.end, "\(status)")
    case .failed(let failure): (phase, text) = (.end, "failed: \(failure)")
    case .cancelled: (phase, text) = (.end, "cancelled")
    default: return nil
    }
  }
}
