/// What an exchange has to do with an offline store.
enum OfflineRole: Sendable {
  /// It is kept when there is no network for it.
  case keeping(OfflineCapture)
  /// It comes from a store, with the idempotency key that it was first sent with, and is not kept again.
  case replaying(key: String)
}
