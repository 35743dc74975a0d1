import CatenaSystem

extension Networking {
  /// Adds a monitor that observes the calls made from now on.
  ///
  /// ```swift
  /// networking.addMonitor(Metrics())
  /// ```
  ///
  /// A client may have any number of monitors. Each observes whole calls, from the first event to
  /// the last, even after the client has been released. Without monitors no events are created.
  ///
  /// - Parameter monitor: The monitor. The client retains it until it is removed. A monitor that is
  ///   added twice receives each event twice.
  /// - Returns: A registration that removes the monitor.
  @discardableResult
  public func addMonitor(_ monitor: any NetworkMonitor) -> MonitorRegistration {
    let queue = MonitorQueue(monitor, scheduler: runner.scheduler)
    add(queue)
    return MonitorRegistration { [weak self] in
      queue.close()
      self?.remove(queue)
    }
  }

  /// Adds a closure that observes the calls made from now on.
  ///
  /// ```swift
  /// let registration = networking.addMonitor { event in print(event) }
  /// registration.remove()
  /// ```
  ///
  /// A closure that is written in the code of an actor, such as a view model, runs on this actor:
  ///
  /// ```swift
  /// networking.addMonitor { [weak self] event in self?.recentEvents.append(event) }
  /// ```
  ///
  /// - Parameter observe: The closure. It receives one event at a time, in order, on its actor or,
  ///   without one, on a serial queue, like ``NetworkMonitor/observe(_:)``. If it is removed on its
  ///   actor, it is not called again.
  /// - Returns: A registration that removes the closure.
  @discardableResult
  public func addMonitor(
    @_inheritActorContext _ observe:
      @escaping @Sendable @isolated(any) (
        _ event: NetworkEvent
      ) -> Void
  ) -> MonitorRegistration {
    addMonitor(ClosureMonitor(observe))
  }

  /// The events of the calls made from now on, as an asynchronous sequence.
  ///
  /// Each access makes a new sequence.
  ///
  /// ```swift
  /// for await event in networking.events { metrics.record(event) }
  /// ```
  ///
  /// The sequence buffers up to 10,000 events.
  public var events: NetworkEvents { events(bufferingNewest: 10_000) }

  /// Returns the events of the calls made from now on, as an asynchronous sequence with a buffer of
  /// a given size.
  ///
  /// - Parameter limit: The size of the buffer, at least 1. When it is full, the oldest event is
  ///   dropped.
  /// - Returns: The sequence.
  public func events(bufferingNewest limit: Int) -> NetworkEvents {
    let buffer = EventBuffer(limit: limit)
    let sink = EventBufferSink(buffer)
    add(sink)
    return NetworkEvents(
      subscription: EventSubscription(buffer) { [weak self, weak sink] in
        if let sink { self?.remove(sink) }
      })
  }

  private func add(_ sink: any EventSink) {
    change { $0.eventSinks = EventSinkList($0.eventSinks, adding: sink) }
  }

  private func remove(_ sink: any EventSink) {
    change { $0.eventSinks = $0.eventSinks?.removing(sink) }
  }
}

extension Networking {
  /// The log level of the calls made from now on.
  ///
  /// The initial value is that of ``NetworkingConfiguration/logging``.
  ///
  /// ```swift
  /// networking.logLevel = .info
  /// ```
  ///
  /// It may be changed at any time, from any thread. A call is logged to its end at the level at
  /// which it was made, so no call is logged in part. The logger and the limit of logged bodies are
  /// those of the configuration; the default logger is ``StandardLogger``.
  public var logLevel: LoggingConfiguration.Level {
    get { settings.withLock { $0.settings.log.level } }
    set {
      // Made before the lock is taken, because the scheduler may be code of the user.
      let isFirst = newValue > .none && settings.withLock { $0.settings.log.sink == nil }
      let first = isFirst ? LogSink(logging, at: newValue, scheduler: runner.scheduler) : nil
      change { settings in
        guard settings.log.level != newValue else { return }
        if let old = settings.log.sink { settings.eventSinks = settings.eventSinks?.removing(old) }
        settings.log.level = newValue
        guard let sink = settings.log.sink ?? first, newValue > .none else { return }
        let next = sink.withLevel(newValue)
        settings.log.sink = next
        settings.eventSinks = EventSinkList(settings.eventSinks, adding: next)
      }
    }
  }
}
