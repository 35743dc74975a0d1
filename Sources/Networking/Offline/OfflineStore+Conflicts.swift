extension OfflineStore {
  /// What becomes of a new request that is for the same resource as one that is kept.
  ///
  /// The same resource is the same URL but for the query, in the same queue, whatever the methods.
  public enum ConflictResolution: Sendable, Hashable {
    /// Both are kept, and sent in their order.
    case keepBoth
    /// The new one is kept, at the end of its queue, and the kept one is removed.
    case replace
    /// The kept one stays, and the new one is not kept.
    case drop
  }
}
