/// What an exchange has to do with an offline store.
///
/// Indirect, so that the exchanges of all other requests are no larger for it.
indirect enum OfflineRole: Sendable {
  /// It is kept when there is no network for it.
  case keeping(OfflineCapture)
  /// It comes from a store, with the idempotency key that it was first sent with, and is not kept again.
  case replaying(key: String)
}
