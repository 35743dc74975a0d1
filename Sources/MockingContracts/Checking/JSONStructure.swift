import CatenaSystem
import Foundation
import MockingDocuments
import Networking

/// A comparison of two JSON values by their members and types.
enum JSONStructure {
  /// The depth below which values are not compared.
  private static let maximumDepth = 64

  /// Returns the differences between the body of a mock and that of a backend.
  ///
  /// All elements of an array count as one: `*` stands for the index.
  ///
  /// - Parameters:
  ///   - mock: The value of the mock.
  ///   - backend: The value of the backend.
  /// - Returns: A line for each place, without the values.
  static func differences(between mock: JSON, and backend: JSON) -> [String] {
    var lines: Set<String> = []
    compare([mock], [backend], at: [], &lines)
    return lines.sorted()
  }

  /// Compares all values at a place of one side with those of the other side.
  private static func compare(
    _ mock: [JSON], _ backend: [JSON], at path: [String], _ lines: inout Set<String>
  ) {
    guard path.count < maximumDepth, !mock.isEmpty, !backend.isEmpty else { return }
    let place = path.isEmpty ? "the value" : JSONValuePath(tokens: path).pointer
    let types = (types(of: mock), Self.types(of: backend))
    if types.0.isDisjoint(with: types.1) {
      lines.insert("\(place): \(text(types.0)) in the mock, \(text(types.1)) in the backend")
      return
    }
    let members = (mock.compactMap(\.dictionary), backend.compactMap(\.dictionary))
    let names = (Set(members.0.flatMap(\.keys)), Set(members.1.flatMap(\.keys)))
    if !members.0.isEmpty, !members.1.isEmpty {
      for name in names.0.symmetricDifference(names.1) {
        let side = names.0.contains(name) ? "mock" : "backend"
        lines.insert("\(JSONValuePath(tokens: path + [name]).pointer): only in the \(side)")
      }
      for name in names.0.intersection(names.1) {
        compare(
          members.0.compactMap { $0[name] }, members.1.compactMap { $0[name] }, at: path + [name],
          &lines)
      }
    }
    compare(
      mock.compactMap(\.array).flatMap { $0 }, backend.compactMap(\.array).flatMap { $0 },
      at: path + ["*"], &lines)
  }

  private static func types(of values: [JSON]) -> Set<String> {
    Set(values.map(type))
  }

  private static func text(_ types: Set<String>) -> String {
    types.sorted().joined(separator: " or ")
  }

  private static func type(of value: JSON) -> String {
    switch value {
    case .null: "null"
    case .bool: "a Boolean"
    case .int, .double, .decimal: "a number"
    case .string: "a string"
    case .array: "an array"
    case .dictionary: "an object"
    }
  }
}

/// The bodies of the two responses to a shadowed request.
final class ResponsePair: Sendable {
  enum Side: Int {
    case mock
    case backend
  }

  private struct State {
    /// `nil` after a body that is too large, a failure, or a status that is not 2xx.
    var bodies: [Data?] = [Data(), Data()]
    var endedCount = 0
  }

  private let state = Mutex(State())
  private let onEnd: @Sendable (_ mock: Data, _ backend: Data) -> Void

  /// - Parameter onEnd: A closure that receives the bodies of two successful responses.
  init(onEnd: @escaping @Sendable (_ mock: Data, _ backend: Data) -> Void) {
    self.onEnd = onEnd
  }

  /// Adds an event of one side.
  func add(_ event: TransportEvent, of side: Side) {
    let bodies = state.withLock { state -> (Data, Data)? in
      switch event {
      case .head(let head):
        if !(200...299).contains(head.status) { state.bodies[side.rawValue] = nil }
        return nil
      case .body(let data):
        if let count = state.bodies[side.rawValue]?.count,
          count + data.count <= CheckedExchange.bodyLimit
        {
          state.bodies[side.rawValue]?.append(data)
        } else {
          state.bodies[side.rawValue] = nil
        }
        return nil
      case .failure: state.bodies[side.rawValue] = nil
      case .end: break
      default: return nil
      }
      state.endedCount += 1
      guard state.endedCount == 2, let mock = state.bodies[0], let backend = state.bodies[1] else {
        return nil
      }
      return (mock, backend)
    }
    if let bodies { onEnd(bodies.0, bodies.1) }
  }
}
