import CatenaSystem
import Networking

/// A route of a backend, with its identity, its place in the order and the number of its uses.
final class RegisteredRoute: Sendable {
  let id: RouteID
  let route: Route
  let template: PathTemplate
  /// The number of the route, which no other route of the backend has, not even a removed one.
  let number: Int
  /// The place among the routes with the same priority.
  let position: Int
  let isUnconditional: Bool
  private let uses = Atomic(0)
  private let enabled = Atomic(true)
  /// The route whose uses are counted, if this one is a copy for a single request.
  private let original: RegisteredRoute?

  init(id: RouteID, route: Route, template: PathTemplate, number: Int, position: Int) {
    self.id = id
    self.route = route
    self.template = template
    self.number = number
    self.position = position
    isUnconditional = route.isUnconditional
    original = nil
  }

  /// Creates a copy for a single request with another handler.
  init(_ original: RegisteredRoute, handler: RouteResponder.Handler) {
    var route = original.route
    route.responder.handler = handler
    id = original.id
    self.route = route
    template = original.template
    number = original.number
    position = original.position
    isUnconditional = original.isUnconditional
    self.original = original.original ?? original
  }

  /// Whether the route is for all methods and for all paths below a prefix.
  var isGeneral: Bool { route.method == nil && template.hasRest }

  /// The number of requests that the route has responded to since the journal was reset.
  var useCount: Int { uses.load(ordering: .relaxed) }

  /// Whether requests find the route.
  ///
  /// Only the table that contains the route sets it.
  var isEnabled: Bool {
    get { enabled.load(ordering: .relaxed) }
    set { enabled.store(newValue, ordering: .relaxed) }
  }

  func countUse() { (original ?? self).uses.add(1, ordering: .relaxed) }

  func resetUses() { uses.store(0, ordering: .relaxed) }

  /// Returns whether this route is preferred to another one.
  func precedes(_ other: RegisteredRoute) -> Bool {
    (other.route.rank, position) < (route.rank, other.position)
  }
}

/// The numbers of the routes of a backend, which are never used again.
final class RouteNumbers: Sendable {
  private let count = Atomic(0)

  /// Returns a number that has not been returned before, counted from 0.
  func next() -> Int { count.add(1, ordering: .relaxed).oldValue }
}
