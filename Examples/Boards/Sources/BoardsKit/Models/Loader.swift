import Networking
import Observation

/// A value that a screen loads from the server, and shows until it has loaded a newer one.
@MainActor @Observable
public final class Loader<Value: Sendable> {
  /// The newest value, if one has been loaded.
  public internal(set) var value: Value?
  /// The reason for the failure of the last request, if it has failed.
  public private(set) var message: String?
  /// Whether a request is in progress.
  public private(set) var isLoading = false
  private let fetch: @MainActor () -> Promise<Value>

  init(fetch: @escaping @MainActor () -> Promise<Value>) {
    self.fetch = fetch
  }

  /// Loads the value.
  ///
  /// Cancelling the task, as SwiftUI does when the screen disappears, cancels the request.
  public func load() async {
    isLoading = true
    defer { isLoading = false }
    do {
      value = try await fetch().value
      message = nil
    } catch is CancellationError {
      // The user has left the screen.
    } catch {
      message = error.message
    }
  }
}
