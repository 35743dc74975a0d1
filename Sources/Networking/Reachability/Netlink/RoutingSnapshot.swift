/// The links, addresses and default routes of one moment.
struct RoutingSnapshot {
  private struct Place: Hashable {
    let family: UInt8
    let index: Int32
  }

  private var links: [Int32: RoutingMessage.Link] = [:]
  private var addresses: Set<Place> = []
  private var routes: [RoutingMessage.Route] = []

  mutating func add(_ message: RoutingMessage) {
    switch message {
    case .link(let link): links[link.index] = link
    case .address(let address) where address.isUsable:
      addresses.insert(Place(family: address.family, index: address.index))
    case .route(let route) where route.isDefault && route.isForwarding: routes.append(route)
    default: break
    }
  }

  /// What all this comes to.
  var status: NetworkReachability.Status {
    let preferred = routes.sorted { $0.metric < $1.metric }
    var interfaces: [NetworkReachability.Interface] = []
    for route in preferred {
      for index in route.interfaces {
        guard let link = links[index], leadsOut(link, route.family) else { continue }
        let interface = NetworkReachability.Interface(name: link.name)
        if !interfaces.contains(interface) { interfaces.append(interface) }
      }
    }
    guard let first = interfaces.first else { return .unreachable }
    return .reachable(
      via: NetworkReachability.Path(
        interfaces: interfaces, isExpensive: first.kind == .cellular))
  }

  private func leadsOut(_ link: RoutingMessage.Link, _ family: UInt8) -> Bool {
    guard link.isRunning, !link.isLoopback else { return false }
    return addresses.contains { place in
      place.family == family
        && (place.index == link.index || links[place.index]?.isLoopback == true)
    }
  }
}
