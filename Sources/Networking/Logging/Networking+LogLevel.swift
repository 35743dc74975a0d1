extension Networking {
  /// How much is written about the calls that are made from now on; at first what
  /// ``NetworkingConfiguration/logging`` says.
  ///
  /// ```swift
  /// networking.logLevel = .info
  /// ```
  ///
  /// It may be changed at any time and from any thread, and holds from the next request on. A call that was made before
  /// is logged to its end at the level that held then, so that no call is logged by half. Who writes it,
  /// and how large the bodies may be, stays as the configuration says: without more that is the ``StandardLogger``.
  public var logLevel: LoggingConfiguration.Level {
    get { settings.withLock { $0.settings.log.level } }
    set {
      // Before the lock is taken, as the scheduler may be anybody's.
      let isFirst = newValue > .none && settings.withLock { $0.settings.log.feed == nil }
      let first = isFirst ? LogFeed(logging, at: newValue, scheduler: plan.scheduler) : nil
      change { settings in
        guard settings.log.level != newValue else { return }
        if let old = settings.log.feed { settings.watchers = settings.watchers?.removing(old) }
        settings.log.level = newValue
        guard let feed = settings.log.feed ?? first, newValue > .none else { return }
        let next = feed.changed(to: newValue)
        settings.log.feed = next
        settings.watchers = EventWatchers(settings.watchers, adding: next)
      }
    }
  }
}
