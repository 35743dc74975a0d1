// Names of other libraries, and common mistakes, for which the compiler states the mend. The compiler
// considers an unavailable declaration only if no other one fits.

extension Promise where Value: Sendable {
  /// The name of PromiseKit and JavaScript for `fail`.
  @available(*, unavailable, renamed: "fail(_:)") @discardableResult
  public func `catch`(_ handler: (_ error: any Error) -> Void) -> Promise { self }

  /// The name of PromiseKit and JavaScript for `always`.
  @available(*, unavailable, renamed: "always(_:)") @discardableResult
  public func finally(_ handler: () -> Void) -> Promise { self }

  /// The name of Combine for `then`.
  @available(*, unavailable, renamed: "then(_:)")
  public func flatMap<T>(_ next: (Value) throws -> Promise<T>) -> Promise<T> { fatalError() }

  /// Repeats work, which is impossible after its start.
  @available(*, unavailable, message: "use retry(.immediate(limit: 3)) { _ in work() }")
  public func retry(_ limit: Int) -> Promise { self }

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

/// A delay without a unit.
@available(*, unavailable, message: "a Duration has a unit: after(.seconds(2))")
public func after(_ seconds: some Numeric) -> Promise<Void> { fatalError() }

/// The label of PromiseKit for `settled`.
///
/// Without this declaration, the compiler proposes to omit the label, which fails fast.
@available(*, unavailable, renamed: "settled(_:)")
public func when<Value>(resolved promises: [Promise<Value>]) -> Promise<[Value]> { fatalError() }
