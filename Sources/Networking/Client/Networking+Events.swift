import Promises

extension Networking {
  /// Has a monitor told what happens to the calls that are made from now on.
  ///
  /// ```swift
  /// networking.addMonitor(Metrics())
  /// ```
  ///
  /// There may be any number of them; each is told of whole calls, and of those on the way to their end when the
  /// client has been released. A client that nobody watches spends nothing on events.
  ///
  /// - Parameter monitor: whom to tell; the client keeps it until it is removed. One that is added twice is told
  ///   twice.
  /// - Returns: a handle to remove it by.
  @discardableResult
  public func addMonitor(_ monitor: any NetworkMonitor) -> MonitorRegistration {
    let queue = MonitorQueue(monitor, scheduler: runner.scheduler)
    add(queue)
    return MonitorRegistration { [weak self] in
      queue.close()
      self?.remove(queue)
    }
  }

  /// Has a closure told what happens to the calls that are made from now on.
  ///
  /// ```swift
  /// let registration = networking.addMonitor { event in print(event) }
  /// registration.remove()
  /// ```
  ///
  /// - Parameter observe: runs as ``NetworkMonitor/observe(_:)`` does, on a serial queue of its own.
  /// - Returns: a handle to remove it by.
  @discardableResult
  public func addMonitor(
    _ observe: @escaping @Sendable (_ event: NetworkEvent) -> Void
  ) -> MonitorRegistration {
    addMonitor(ClosureMonitor(closure: observe))
  }

  /// What happens to the calls that are made from now on, as a sequence; each time it is asked for another one.
  ///
  /// ```swift
  /// for await event in networking.events { metrics.record(event) }
  /// ```
  ///
  /// It keeps up to 10,000 events that nobody has asked for yet.
  public var events: NetworkEvents { events(bufferingNewest: 10_000) }

  /// What happens to the calls that are made from now on, as a sequence with a buffer of another size.
  ///
  /// - Parameter limit: how many events are kept that nobody has asked for yet, at least 1; of more the oldest
  ///   are dropped.
  /// - Returns: the sequence.
  public func events(bufferingNewest limit: Int) -> NetworkEvents {
    let buffer = EventBuffer(limit: limit)
    let feed = EventBufferSink(buffer)
    add(feed)
    return NetworkEvents(
      subscription: EventSubscription(buffer) { [weak self, weak feed] in
        if let feed { self?.remove(feed) }
      })
  }

  private func add(_ sink: any EventSink) {
    change { $0.eventSinks = EventSinkList($0.eventSinks, adding: sink) }
  }

  private func remove(_ sink: any EventSink) {
    change { $0.eventSinks = $0.eventSinks?.removing(sink) }
  }
}

/// A monitor that is a closure.
private struct ClosureMonitor: NetworkMonitor {
  let closure: @Sendable (NetworkEvent) -> Void

  func observe(_ event: NetworkEvent) { closure(event) }
}

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
      let first = isFirst ? LogSink(logging, at: newValue, scheduler: runner.scheduler) : nil
      change { settings in
        guard settings.log.level != newValue else { return }
        if let old = settings.log.feed { settings.eventSinks = settings.eventSinks?.removing(old) }
        settings.log.level = newValue
        guard let feed = settings.log.feed ?? first, newValue > .none else { return }
        let next = feed.withLevel(newValue)
        settings.log.feed = next
        settings.eventSinks = EventSinkList(settings.eventSinks, adding: next)
      }
    }
  }
}
