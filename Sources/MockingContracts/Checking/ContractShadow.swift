import CatenaSystem
import Foundation
import Mocking
public import Networking

/// A transport between the mock of a contract and a new backend: each operation is answered by the mock, by
/// the backend, or by the mock while the backend is asked, too.
///
/// ```swift
/// let shadow = ContractShadow(contract, over: CurlTransport())
/// shadow.setMode(.shadowed)                          // all operations
/// try shadow.setMode(.real, for: "getPet", "listPets")   // these are ready
/// let networking = Networking<PetsAPI>(transport: shadow)
/// // ... requests ...
/// print(shadow.readiness)
/// ```
///
/// - **Modes.** An operation is `Mode.mocked` at first. Requests without an operation are sent to the
///   backend. A change affects later requests.
/// - **Shadowed requests** are sent to the backend as well, with their bodies and credentials: those of a
///   POST have their effects there. The client does not wait for the response, and does not see it. A
///   request whose body is a stream is not sent twice; the mock alone responds.
/// - **Checks.** All responses of the backend are checked against the contract. Those to shadowed requests
///   are also compared with the mock: members of JSON objects that only one side has, and values of
///   different types.
/// - **Threads.** A shadow may be used from any thread.
public final class ContractShadow: Transport {
  /// The way in which an operation is answered.
  public enum Mode: String, Sendable, Hashable, CaseIterable {
    /// By the mock.
    case mocked
    /// By the mock; the backend is asked, too, and its response is checked and compared.
    case shadowed
    /// By the backend, whose response is checked.
    case real
  }

  /// The contract.
  public let contract: Contract
  private let mock: MockTransport
  private let backend: any Transport
  private let monitor: ContractMonitor
  private let operations: OperationTable
  private let state: Mutex<State>

  private struct State {
    var modes: [Mode]
    /// The differences of each operation, with their counts.
    var differences: [Int: [String: Int]] = [:]
  }

  /// The number of differences of an operation that are kept.
  private static let limit = 100

  /// Creates a shadow.
  ///
  /// - Parameters:
  ///   - contract: The contract.
  ///   - backend: The transport to the backend.
  ///   - mode: The mode of all operations.
  ///   - seed: The seed of the bodies of the mock.
  public init(
    _ contract: Contract, over backend: some Transport, mode: Mode = .mocked, seed: UInt64 = 0
  ) {
    self.contract = contract
    self.backend = backend
    mock = MockTransport(contract: contract, seed: seed)
    monitor = ContractMonitor(contract)
    operations = OperationTable(contract.content)
    state = Mutex(State(modes: contract.operations.map { _ in mode }))
  }

  // MARK: Modes

  /// Sets the mode of all operations.
  ///
  /// - Parameter mode: The mode.
  public func setMode(_ mode: Mode) {
    state.withLock { state in
      for index in state.modes.indices { state.modes[index] = mode }
    }
  }

  /// Sets the mode of operations.
  ///
  /// - Parameters:
  ///   - mode: The mode.
  ///   - names: The identifiers of the operations (`getPet`), or their methods and paths
  ///     (`GET /pets/{id}`).
  /// - Throws: ``UnknownOperationError`` for a name that the contract does not have. No mode is then
  ///   changed.
  public func setMode(_ mode: Mode, for names: String...) throws(UnknownOperationError) {
    var indices: [Int] = []
    for name in names {
      let found = contract.operations.indices.filter {
        let operation = contract.operations[$0]
        return operation.id == name || "\(operation.method) \(operation.path)" == name
      }
      guard !found.isEmpty else {
        throw UnknownOperationError(name: name, known: contract.operations.map(\.name))
      }
      indices += found
    }
    state.withLock { state in
      for index in indices { state.modes[index] = mode }
    }
  }

  /// The error for the name of an operation that a contract does not have.
  public struct UnknownOperationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name.
    public let name: String
    /// The names of the operations.
    public let known: [String]

    /// The name, and those of at most 20 operations.
    public var description: String {
      let more = known.count > 20 ? " and \(known.count - 20) more" : ""
      return "the contract has no operation \(name); it has "
        + known.prefix(20).joined(separator: ", ") + more
    }
  }

  // MARK: Requests

  /// Starts an exchange with the mock or the backend.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - receive: The receiver of the events.
  /// - Returns: The handle of the exchange.
  public func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
  ) -> any TransportHandle {
    let index = operations.find(request.method, request.target)?.index
    let mode = index.map { index in state.withLock { $0.modes[index] } } ?? .real
    switch mode {
    case .mocked: return mock.start(request, receive)
    case .real: return monitor.checking(backend).start(request, receive)
    case .shadowed:
      guard let index, request.body.isRepeatable else { return mock.start(request, receive) }
      let pair = ResponsePair { [self] in compare($0, with: $1, of: index) }
      let handle = mock.start(request) { event in
        pair.add(event, of: .mock)
        receive(event)
      }
      _ = monitor.checking(backend).start(request) { pair.add($0, of: .backend) }
      return handle
    }
  }

  private func compare(_ mock: Data, with backend: Data, of index: Int) {
    monitor.enqueue { [self] in
      guard let mock = try? JSON(parsing: mock), let backend = try? JSON(parsing: backend) else {
        return
      }
      let found = JSONStructure.differences(between: mock, and: backend)
      state.withLock { state in
        for difference in found {
          let isKnown = state.differences[index]?[difference] != nil
          guard isKnown || state.differences[index]?.count ?? 0 < Self.limit else { continue }
          state.differences[index, default: [:]][difference, default: 0] += 1
        }
      }
    }
  }

  // MARK: Results

  /// The report on the responses of the backend.
  ///
  /// Blocks until the exchanges that have ended have been checked.
  public var report: ContractReport { monitor.report }

  /// The readiness of the backend, operation by operation.
  ///
  /// Blocks until the exchanges that have ended have been checked.
  public var readiness: ContractReadiness {
    let report = monitor.report
    let (modes, differences) = state.withLock { ($0.modes, $0.differences) }
    let violations = Dictionary(grouping: report.violations, by: \.operation)
    let exercised = Set(report.exercised)
    let rows = contract.operations.enumerated().map { index, operation in
      ContractReadiness.Row(
        operation: operation, mode: modes[index], isExercised: exercised.contains(operation),
        violations: violations[operation] ?? [],
        differences: (differences[index] ?? [:]).sorted { $0.key < $1.key }.map {
          $0.value == 1 ? $0.key : "\($0.key), \($0.value) times"
        })
    }
    return ContractReadiness(rows: rows)
  }
}

extension Contract.Operation {
  /// The identifier, or without one the method and the path.
  var name: String { id ?? "\(method) \(path)" }
}
