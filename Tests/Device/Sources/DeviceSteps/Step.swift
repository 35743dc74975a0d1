import Foundation
import Promises

/// A step of Tests/DEVICE.md, or a part of one.
public struct Step: Sendable, Identifiable {
  /// The number in the plan, and a letter if the step has parts.
  public let id: String
  /// The action.
  public let title: String
  /// Whether the step needs neither a person nor the bundle of an app.
  public let isAutomatic: Bool
  private let body: @Sendable (Device) async throws -> String

  init(
    _ id: String, _ title: String, isAutomatic: Bool = false,
    _ body: @escaping @Sendable (Device) async throws -> String
  ) {
    self.id = id
    self.title = title
    self.isAutomatic = isAutomatic
    self.body = body
  }

  /// Runs the step.
  ///
  /// - Parameter device: The server and the app.
  /// - Returns: Whether it passed, and a line for the tester.
  public func run(on device: Device) async -> (passed: Bool, text: String) {
    do {
      return (true, try await body(device))
    } catch {
      return (false, "\(error)")
    }
  }

  /// All steps, in the order of the plan.
  public static let all: [Step] = signIn + suspension + background + trust + streams + storage
}
