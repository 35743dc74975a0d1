import Foundation
public import Networking
import Promises

/// The record of a webhook that a backend has sent or will send.
public struct WebhookDelivery: Sendable, Hashable {
  /// An attempt to send a webhook.
  public struct Attempt: Sendable, Hashable {
    /// The time of the attempt, on the ``Scheduler`` of the backend.
    public let time: Duration
    /// The status of the response, or `nil` if there is none.
    public let status: Int?
    /// The failure, or `nil` if there is a response.
    public let failure: NetworkError.Code?
  }

  /// The outcome of a webhook.
  public enum Outcome: Sendable, Hashable {
    /// The webhook waits for its delay, for a response or for a retry.
    case pending
    /// The receiver has responded with a status of 2xx.
    case delivered
    /// No attempt has been successful, and there are no more retries.
    case failed
    /// The webhook was not sent, for this reason.
    case refused(reason: String)
    /// The backend has been stopped.
    case cancelled

    /// The outcome in one word, such as `refused`.
    package var name: String {
      switch self {
      case .pending: "pending"
      case .delivered: "delivered"
      case .failed: "failed"
      case .refused: "refused"
      case .cancelled: "cancelled"
      }
    }
  }

  /// The index of the delivery, counted from 0.
  public let number: Int
  /// The method and the path of the request that caused the webhook, such as `POST /payments`.
  public let cause: String
  /// The method.
  public let method: HTTPMethod
  /// The URL, with secrets masked.
  public let url: String
  /// The attempts in order.
  public internal(set) var attempts: [Attempt] = []
  /// The outcome.
  public internal(set) var outcome = Outcome.pending
}

extension WebhookDelivery: CustomStringConvertible {
  /// The webhook and its outcome on one line, such as
  /// `POST http://127.0.0.1:9000/paid: failed after 503, 503`.
  public var description: String {
    let results = attempts.map { attempt in
      attempt.status.map(String.init) ?? attempt.failure.map { "\($0)" } ?? "no response"
    }
    let list = results.isEmpty ? "" : " after \(results.joined(separator: ", "))"
    let reason = if case .refused(let reason) = outcome { ": \(reason)" } else { "" }
    return "\(method) \(url): \(outcome.name)\(reason)\(list)"
  }
}

/// The deliveries of one backend, and the callers that wait for one.
///
/// The lists are bounded: of the finished deliveries only the latest are kept.
struct WebhookJournal {
  typealias Waiters = WaiterList<WebhookDelivery>

  /// The recorded deliveries, with ascending numbers.
  private(set) var deliveries: [WebhookDelivery] = []
  /// The finished deliveries that have not been taken, in the order of their ends.
  private var finished = FIFO<WebhookDelivery>()
  private var waiters = Waiters()
  private(set) var pendingCount = 0
  private(set) var isStopped = false
  private var count = 0

  /// The maximum number of deliveries that wait, and of those that are kept.
  static let limit = 1_000

  /// Records a delivery and returns its number.
  mutating func add(_ webhook: Webhook, cause: String) -> Int {
    defer { count += 1 }
    deliveries.append(
      WebhookDelivery(
        number: count, cause: cause, method: webhook.method,
        url: Redactor.standard.maskedURL(webhook.url)))
    pendingCount += 1
    // Many are removed at once, so that the average cost of an addition is constant.
    if deliveries.count > Self.limit * 4 {
      let oldest = deliveries.dropLast(Self.limit * 2).filter { $0.outcome == .pending }
      deliveries = oldest + deliveries.suffix(Self.limit * 2)
    }
    return count
  }

  mutating func record(_ attempt: WebhookDelivery.Attempt, of number: Int) {
    update(number) { $0.attempts.append(attempt) }
  }

  /// Ends a delivery.
  ///
  /// - Returns: The waiter that receives the delivery, if there is one, and the delivery.
  mutating func finish(
    _ number: Int, _ outcome: WebhookDelivery.Outcome
  ) -> (waiter: Resolver<WebhookDelivery>, delivery: WebhookDelivery)? {
    var ended: WebhookDelivery?
    update(number) { delivery in
      guard delivery.outcome == .pending else { return }
      delivery.outcome = outcome
      ended = delivery
    }
    guard let ended else { return nil }
    pendingCount -= 1
    while let waiter = waiters.removeFirst() {
      if !waiter.isSettled { return (waiter, ended) }
    }
    finished.append(ended)
    if finished.count > Self.limit { _ = finished.popFirst() }
    return nil
  }

  /// Returns whether a delivery has not ended.
  func isPending(_ number: Int) -> Bool {
    deliveries.last { $0.number <= number }
      .map { $0.number == number && $0.outcome == .pending } ?? false
  }

  private mutating func update(_ number: Int, _ change: (inout WebhookDelivery) -> Void) {
    // Usually one of the last ones.
    guard let index = deliveries.lastIndex(where: { $0.number <= number }),
      deliveries[index].number == number
    else { return }
    change(&deliveries[index])
  }

  /// Returns the next finished delivery, or stores a waiter for it.
  mutating func take(_ resolver: Resolver<WebhookDelivery>) -> Waiters.Start {
    if let delivery = finished.popFirst() { return .settled(.success(delivery)) }
    return isStopped ? .settled(.failure(.stopped)) : waiters.add(resolver)
  }

  mutating func cancelWaiter(_ id: Int) -> Resolver<WebhookDelivery>? { waiters.remove(id) }

  /// Ends all deliveries and returns the waiters, which receive none.
  mutating func stop() -> [Resolver<WebhookDelivery>] {
    isStopped = true
    for index in deliveries.indices where deliveries[index].outcome == .pending {
      deliveries[index].outcome = .cancelled
    }
    pendingCount = 0
    defer { waiters = Waiters() }
    return waiters.resolvers
  }
}
