import Foundation
import Mocking
import MockingDocuments
import MockingTemplates
import Networking

/// The properties of the file and the route that contain a value of a stub file.
struct StubContext {
  /// The variables of the route's path.
  ///
  /// `nil` outside of a route.
  var pathVariables: [String]?
  /// The last segment of the route's path, if it is a variable.
  var lastVariable: String?
  /// Whether the strings of the route can be templates.
  var hasTemplates = true
  /// The path before the paths of the routes and the resources of the file.
  var basePath = ""
  /// The paths of the resources of all files.
  ///
  /// `nil` allows all paths.
  var resources: [String]?
  /// The resources that the templates of the file use.
  var references = TemplateReferences()
  /// The text of the route, for the order of members.
  ///
  /// `nil` if there is no text.
  var text: Data?
  /// The location of the route.
  var routePath = JSONValuePath()
  /// The limits for the numbers of requests, which the routes of one object share.
  let rateLimits = StubRateLimits()
  /// Whether routes may forward requests, which only those of files may.
  var allowsProxies = false
  /// The files with templates and those with the items of resources that the file uses.
  let templateFiles = StubList<URL>()
  /// The warnings about values that have no effect, or another one than their names tell.
  let warnings = StubList<JSONDocumentError>()

  /// The names that the templates of a response can use.
  var scope: TemplateScope {
    TemplateScope(
      pathVariables: pathVariables, basePath: basePath, resources: resources,
      references: references)
  }
}

/// The limits that have been read, by their locations, on one thread.
final class StubRateLimits {
  var limits: [JSONValuePath: RateLimit] = [:]
}

/// A list without duplicates that grows while a stub file is parsed, on one thread.
final class StubList<Element: Hashable> {
  private(set) var elements: [Element] = []
  private var known: Set<Element> = []

  func append(_ element: Element) {
    if known.insert(element).inserted { elements.append(element) }
  }
}
