// Names of other libraries, and common mistakes, for which the compiler states the mend. The compiler
// considers an unavailable declaration only if no other one fits.

extension Promise where Value: Sendable {
  /// The name of PromiseKit and JavaScript for `fail`.
  @available(*, unavailable, renamed: "fail(_:)") @discardableResult
  public func `catch`(_ handler: (_ error: any Error) -> Void) -> Promise { self }

  /// The name of PromiseKit and JavaScript for `always`.
  @available(*, unavailable, renamed: "always(_:)") @discardableResult
  public func finally(_ handler: () -> Void) -> Promise { self }

  /// The name of PromiseKit for `tap`.
  @available(*, unavailable, renamed: "tap(_:)")
  public func get(_ action: (_ value: Value) throws -> Void) -> Promise { self }

  /// The name of Combine for `then`.
  @available(*, unavailable, renamed: "then(_:)")
  public func flatMap<T>(_ next: (Value) throws -> Promise<T>) -> Promise<T> { fatalError() }

  /// The name of Combine for `done` and `fail`.
  @available(*, unavailable, message: "use done { value in } and fail { error in }")
  public func sink(receiveCompletion: (Any) -> Void = { _ in }, receiveValue: (Value) -> Void) {}

  /// The name of Combine for `on`.
  @available(*, unavailable, message: "use on(.main), or done(on: .main) { value in }")
  public func receive<Queue>(on queue: Queue) -> Promise { self }

  /// Repeats work, which is impossible after its start.
  @available(*, unavailable, message: "use retry(.immediate(limit: 3)) { _ in work() }")
  public func retry(_ limit: Int) -> Promise { self }

  /// An observer that returns a value, throws, or awaits.
  @available(*, unavailable, message: "it only observes; use then { value in }") @discardableResult
  public func done<T>(_ step: (Value) async throws -> T) -> Promise<T> { fatalError() }

  /// An observer that throws.
  @available(*, unavailable, message: "it only observes; use recover { error in }")
  @discardableResult
  public func fail(_ handler: (_ error: any Error) throws -> Void) -> Promise { self }

  /// The name of other libraries for ``value``.
  @available(*, unavailable, message: "use 'try await promise.value'")
  public func await() async throws -> Value { fatalError() }

  /// The name of PromiseKit for `fulfilled`.
  @available(*, unavailable, renamed: "fulfilled(_:)")
  public static func value(_ value: Value) -> Promise { fatalError() }

  /// The initializer of PromiseKit for `rejected`.
  @available(*, unavailable, renamed: "Promise.rejected(_:)")
  public convenience init(error: any Error) { fatalError() }

  /// The initializer of other libraries for `fulfilled`.
  @available(*, unavailable, renamed: "Promise.fulfilled(_:)")
  public convenience init(value: Value) { fatalError() }
}

@available(*, unavailable, message: "this is a promise; use 'try await promise.value' before")
extension Promise where Value: Collection & Sendable {
  /// A property of the value.
  public var count: Int { 0 }
}

/// The name of Google's Promises for `when`.
@available(*, unavailable, renamed: "when(_:)")
public func all<Value>(_ promises: [Promise<Value>]) -> Promise<[Value]> { fatalError() }

/// The label of PromiseKit for `when`.
@available(*, unavailable, renamed: "when(_:)")
public func when<Value>(fulfilled promises: [Promise<Value>]) -> Promise<[Value]> { fatalError() }

/// The label of PromiseKit for `when`.
@available(*, unavailable, renamed: "when(_:_:)")
public func when<A, B>(fulfilled a: Promise<A>, _ b: Promise<B>) -> Promise<(A, B)> { fatalError() }

/// The name of PromiseKit for `settled`.
@available(*, unavailable, renamed: "settled(_:)")
public func when<Value>(resolved promises: [Promise<Value>]) -> Promise<[Value]> { fatalError() }

/// A delay without a unit.
@available(*, unavailable, message: "a Duration has a unit: after(.seconds(2))")
public func after(_ seconds: some Numeric) -> Promise<Void> { fatalError() }
