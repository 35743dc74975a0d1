import Foundation
import Mocking

/// A printer of the webhooks of a server when they end, with secrets masked.
final class WebhookLog: Sendable {
  private let webhooks: WebhookSender
  private let writesJSON: Bool
  private let console: Console

  /// Creates a log that follows the webhooks, or returns `nil` with `--quiet`.
  init?(_ webhooks: WebhookSender, _ options: Options, _ console: Console) {
    guard options.output != .quiet else { return nil }
    self.webhooks = webhooks
    self.console = console
    writesJSON = options.writesJSON
    takeNext()
  }

  /// Prints the next webhook that ends, and waits for the one after it until the server stops.
  private func takeNext() {
    webhooks.takeDelivery().always(on: .inline) { [weak self] result in
      guard case .success(let delivery) = result else { return }
      self?.add(delivery)
      self?.takeNext()
    }
  }

  private func add(_ delivery: WebhookDelivery) {
    let date = Date()
    console.lines { [writesJSON] in
      writesJSON ? Console.text(of: delivery.object(at: date)) : delivery.line(at: date)
    }
  }
}

extension WebhookDelivery {
  /// Returns a line with the time, the request, the outcome and the cause.
  fileprivate func line(at date: Date) -> String {
    "\(date.clockTime)  webhook \(self), caused by \(cause)"
  }

  /// Returns the delivery as a JSON object.
  fileprivate func object(at date: Date) -> [String: JSON] {
    [
      "event": "webhook",
      "time": .string(date.logTime),
      "method": .string(method.rawValue), "url": .string(url), "cause": .string(cause),
      "outcome": .string(outcome.name), "description": .string("\(self)"),
      "statuses": .array(attempts.map { $0.status.map { .int($0) } ?? .null }),
    ]
  }
}
