import CatenaSystem
import Promises

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
    addMonitor(isImmediate: monitor is any ImmediateMonitor) { monitor.observe($0) }
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
    let closure = IsolatedClosure(observe)
    // `try?` ignores no error, because the closure does not throw.
    return addMonitor(on: closure.context) { try? closure($0) }
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
    let sink = EventSink(EventQueue(limit: limit, scheduler: runner.scheduler))
    change { $0.eventSinks.append(sink) }
    return NetworkEvents(
      subscription: EventSubscription(sink.queue) { [weak self, weak sink] in
        if let sink { self?.remove(sink) }
      })
  }

  private func addMonitor(
    on context: ExecutionContext? = nil, isImmediate: Bool = false,
    _ observe: @escaping @Sendable (NetworkEvent) -> Void
  ) -> MonitorRegistration {
    let scheduler = runner.scheduler
    let sink = EventSink(
      EventQueue(on: context, isImmediate: isImmediate, scheduler: scheduler) { observe($0.event) })
    change { $0.eventSinks.append(sink) }
    return MonitorRegistration { [weak self] in
      sink.queue.close()
      self?.remove(sink)
    }
  }

  private func remove(_ sink: EventSink) { change { $0.eventSinks.removeAll { $0 === sink } } }
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
      let isFirst = newValue > .none && settings.withLock { $0.settings.log.queue == nil }
      let first = isFirst ? LogMonitor.queue(logging, scheduler: runner.scheduler) : nil
      let bodyLimit = newValue == .verbose ? max(logging.maximumBodySize, 0) : 0
      change { settings in
        guard settings.log.level != newValue else { return }
        settings.log.level = newValue
        settings.log.queue = settings.log.queue ?? first
        settings.eventSinks.removeAll { $0.level != nil }
        guard newValue > .none, let queue = settings.log.queue else { return }
        settings.eventSinks.append(EventSink(queue, level: newValue, bodyLimit: bodyLimit))
      }
    }
  }
}
