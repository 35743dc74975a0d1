import CatenaSystem
import Mocking
import Networking

/// The names that a template can use besides those of the request.
package struct TemplateScope: Sendable {
  /// The variables of the route's path.
  ///
  /// `nil` allows all names, for a template whose route is not known.
  var pathVariables: [String]?
  /// The names of `let`, in the order of their values.
  package var constants: [String] = []
  /// The path before the paths of resources.
  var basePath = ""
  /// The paths of the resources.
  ///
  /// `nil` allows all paths, for a template whose backend is not known.
  var resources: [String]?
  /// The ranks of the names of members, in whose order objects are written.
  package var ranks: [String: Int] = [:]
  /// The list of the resources and the values of `let` that templates use.
  package var references: TemplateReferences?
  /// Whether the template is rendered after the response, and may use it.
  package var hasResponse = false
  /// Whether the template may generate values.
  var hasFunctions = true
  /// The names of the elements of the enclosing loops, from the outside in.
  ///
  /// `nil` for a loop whose element has no name.
  package var loops: [String?] = []

  /// The names with which an expression can begin.
  var names: [String] {
    var names = TemplateRoot.allCases.map(\.rawValue).filter { $0 != "response" || hasResponse }
    names += constants + loops.compactMap(\.self)
    if !loops.isEmpty { names += TemplateExpression.LoopMember.allCases.map(\.rawValue) }
    return hasFunctions ? names + TemplateFunction.allCases.map(\.rawValue) : names
  }
}

/// The resources and the values of `let` that templates use.
package final class TemplateReferences: Sendable {
  private let names = Mutex<(paths: Set<String>, constants: Set<String>)>(([], []))

  /// Creates an empty list.
  package init() {}

  /// The paths of the resources.
  package var paths: Set<String> { names.withLock { $0.paths } }
  /// The names of the values of `let`.
  package var constants: Set<String> { names.withLock { $0.constants } }

  /// Adds the path of a resource.
  package func insert(_ path: String) { names.withLock { _ = $0.paths.insert(path) } }

  func insert(constant name: String) { names.withLock { _ = $0.constants.insert(name) } }
}

extension TemplateScope {
  /// Creates the scope of the templates of a route.
  ///
  /// - Parameters:
  ///   - pathVariables: The variables of the route's path.
  ///   - basePath: The path before the paths of resources.
  ///   - resources: The paths of the resources. `nil` if they are not known yet.
  ///   - references: The list that receives the names that templates use.
  package init(
    pathVariables: [String]?, basePath: String, resources: [String]?,
    references: TemplateReferences
  ) {
    self.pathVariables = pathVariables
    self.basePath = basePath
    self.resources = resources
    self.references = references
  }

  /// The names that values of `let` and named items must not have, whatever the scope.
  package static let reservedNames =
    TemplateRoot.allCases.map(\.rawValue) + TemplateFunction.allCases.map(\.rawValue)
    + ["request", "true", "false", "null", "and", "or", "not", "in", "else"]

  /// Returns the whole path of a resource, and records that it is used.
  ///
  /// - Parameters:
  ///   - name: The path without the base path.
  ///   - offset: The position of the name in the template.
  /// - Returns: The path.
  /// - Throws: ``TemplateSyntaxError`` if the resources are known and it is none of them.
  package func resourcePath(_ name: String, at offset: Int) throws(TemplateSyntaxError) -> String {
    let path = basePath + name
    references?.insert(path)
    guard let resources, !resources.contains(where: { $0.isResourcePath(path) }) else {
      return path
    }
    guard name.hasPrefix(basePath + "/"), !basePath.isEmpty,
      resources.contains(where: { $0.isResourcePath(name) })
    else {
      throw TemplateSyntaxError(unknown: path, "resource", at: offset, among: resources)
    }
    throw TemplateSyntaxError(
      "unknown resource \"\(path)\": the base path is added; write "
        + "\"\(name.dropFirst(basePath.count))\"", at: offset)
  }
}
