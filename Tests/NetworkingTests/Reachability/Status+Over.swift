@testable import Networking

extension NetworkReachability.Status {
  /// Reachable over interfaces told by their names.
  static func over(_ names: String...) -> Self {
    let interfaces = names.map { NetworkReachability.Interface(name: $0) }
    return .reachable(
      via: .init(interfaces: interfaces, isExpensive: interfaces.first?.kind == .cellular))
  }
}
