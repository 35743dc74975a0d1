import Foundation

/// Where a client keeps the requests that ask for it and for which there is no network.
///
/// ```swift
/// let networking = Networking<BoardsAPI>()              // nothing need be set up
///
/// networking.request(BoardsAPI.delete(board.id).storing(.offline))
///   .validate()
///   .done { _ in list.remove(board) }
///   .fail { error in
///     if (error as? NetworkError)?.isKept == true { note("will be deleted once there is a network") }
///   }
///
/// networking.replay { progress in print("\(progress.completed) of \(progress.total)") }
///   .done { report in print(report.delivered.count, "delivered,", report.kept.count, "still offline") }
///
/// try networking.offlineStore.removeAll()               // the user has signed out
/// ```
///
/// What is laid down when a client is made:
///
/// ```swift
/// var configuration = NetworkingConfiguration()
/// configuration.offline = .store(try OfflineStore(key: "account-\(user.id)", lifetime: .seconds(3_600)))
/// configuration.whenUnreachable = .fail                 // or .wait(atMost: .seconds(30)); nil tries
/// configuration.replaysWhenReachable = true
/// let networking = Networking<BoardsAPI>(configuration: configuration)
/// networking.onAutomaticReplay = { result in log(result) }
/// ```
public enum OfflinePolicy: Sendable {
  /// In ``OfflineStore/folder(key:)`` for the name of the client's type of endpoints, opened when the
  /// first request is to be kept or replayed: clients of one type share it, in whatever runs of the program.
  /// It keeps no requests with secrets in them (``OfflineStore/keepsSecrets``).
  ///
  /// Where one program serves several users, each of them should have a ``store(_:)`` of their own, as
  /// what is kept is replayed with the credentials that are in force then.
  case automatic
  /// In a store of your own.
  case store(OfflineStore)
  /// In a temporary folder, which is removed with the client: for tests and previews.
  ///
  /// A client that lives to the end of the process leaves it to whoever cleans temporary folders.
  case temporary
  /// Nowhere: such requests fail like all others, and the error says that they were not kept.
  case none
}
