/// The location of a client's offline store.
///
/// The store contains requests with the policy ``Request/StorePolicy/offline`` that failed for lack
/// of a network.
///
/// ```swift
/// let networking = Networking<BoardsAPI>()              // no configuration is necessary
///
/// networking.request(.delete(board.id), .storedOffline)
///   .validate()
///   .done { _ in list.remove(board) }
///   .fail { error in
///     if (error as? NetworkError)?.isStoredOffline == true { note("will be deleted later") }
///   }
///
/// networking.replay { progress in print("\(progress.completed) of \(progress.total)") }
///   .done { report in
///     print(report.delivered.count, "delivered,", report.kept.count, "still offline")
///   }
///
/// try networking.offlineStore.removeAll()               // the user has signed out
/// ```
///
/// These settings are fixed when the client is made:
///
/// ```swift
/// var configuration = NetworkingConfiguration()
/// configuration.offline = .store(
///   try OfflineStore(key: "account-\(user.id)", lifetime: .seconds(3_600)))
/// configuration.whenUnreachable = .fail    // or .wait(atMost: .seconds(30)); nil sends anyway
/// configuration.replaysWhenReachable = true
/// let networking = Networking<BoardsAPI>(configuration: configuration)
/// networking.onAutomaticReplay { result in log(result) }
/// ```
public enum OfflinePolicy: Sendable {
  /// A store in ``OfflineStore/folder(key:)``, with the name of the client's endpoint type as the
  /// key.
  ///
  /// It is opened when the first request is stored or a replay starts. Clients with the same
  /// endpoint type share it, in all runs of the program. It does not accept requests with secrets
  /// in them (``OfflineStore/storesSecrets``).
  ///
  /// A client does not send a request that it has stored itself after the session of its user has ended.
  /// A store on disk does not know the users of earlier runs of the program. If one program serves several
  /// users, give each of them a separate ``store(_:)``, because a replay uses the credentials that are
  /// current then.
  ///
  /// Clients that are made inside `withMocks`, or in a test with the trait `.mocked`, share a
  /// temporary store instead, which is removed with the last of them. Another client with a mock
  /// provider has a temporary store of its own, so that no mocked request is sent to the real server
  /// later.
  case automatic
  /// The given store.
  case store(OfflineStore)
  /// A store in a temporary folder that is removed with the client, for tests and previews.
  ///
  /// If the client exists until the process ends, the folder is not removed.
  case temporary
  /// No store.
  ///
  /// Requests that would be stored fail like all others, and the error says that they were not
  /// stored.
  case none
}
