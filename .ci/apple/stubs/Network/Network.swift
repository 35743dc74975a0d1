// The part of Network that the sources use, after developer.apple.com/documentation/network.
import Dispatch

/// No Sendable, as it is declared (SDK 27.1).
public final class NWPathMonitor {
  public init() {}
  public init(requiredInterfaceType: NWInterface.InterfaceType) {}
  @preconcurrency public final var pathUpdateHandler: (@Sendable (NWPath) -> Void)?
  public final var currentPath: NWPath { fatalError() }
  public final func start(queue: DispatchQueue) {}
  public final func cancel() {}
}

public struct NWPath: Equatable, Sendable {
  public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
  public let status: Status
  public let availableInterfaces: [NWInterface]
  public let isExpensive: Bool
  public let isConstrained: Bool
  public let supportsIPv4: Bool
  public let supportsIPv6: Bool
  public let supportsDNS: Bool
  public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool { false }
  public static func == (left: NWPath, right: NWPath) -> Bool { true }
}

public struct NWInterface: Hashable, Sendable {
  public enum InterfaceType: Sendable { case other, wifi, cellular, wiredEthernet, loopback }
  public let type: InterfaceType
  public let name: String
  public let index: Int
}
