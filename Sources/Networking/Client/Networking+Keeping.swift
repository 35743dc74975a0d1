extension Networking {
  /// What it takes to keep a request; nil for one that is not to be kept.
  ///
  /// - Parameters:
  ///   - endpoint: what was asked for.
  ///   - asked: its request.
  ///   - request: the same as the client's hook has made it.
  ///   - isForMemory: whether the body of the answer goes into memory.
  /// - Returns: what the pipeline's stage does it by.
  func capture<Asked: RequestConvertible>(
    _ endpoint: Asked, _ asked: Request, as request: Request, isForMemory: Bool
  ) -> OfflineCapture? {
    guard request.storePolicy == .offline else { return nil }
    var kept = asked.storing(.offline, key: request.storeKey)
    kept.headers = Asked.headers.merging(asked.headers)
    var capture = OfflineCapture(
      request: kept, isForMemory: isForMemory, shelf: shelf, automatic: automaticReplay,
      scheduler: plan.scheduler)
    // Asked again at the replay, so that what stands in then is what is right then.
    if mockProvider != nil || scope != nil || TransportScope.innermost != nil {
      capture.standIn = { [weak self] in self?.standIn(for: endpoint) }
    }
    return capture
  }
}
