import Networking
import Observation

/// The models that the screens share, on one backend.
@MainActor
public final class Workspace {
  /// The user's sign-in.
  public let account: Account
  /// The changes on their way to the server.
  public let outbox: Outbox
  /// The list of the boards.
  public let boards: Loader<[Board]>
  let backend: Backend

  init(_ backend: Backend) {
    self.backend = backend
    outbox = Outbox(backend.networking)
    account = Account(backend, outbox: outbox)
    boards = Loader { backend.networking.request(.boards).validate().decode() }
  }
}
