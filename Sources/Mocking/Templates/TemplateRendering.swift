import Foundation
import Networking

/// An error that occurs when a template is rendered.
enum TemplateRenderError: Error, Hashable {
  case tooLarge
  case tooManyElements
  case tooMuchWork
  case notJSON(String)
  case invalidStatus(String)
  case unknownResource(String)
}

extension TemplateRenderError: CustomStringConvertible {
  var description: String {
    switch self {
    case .tooLarge:
      "the output of the template exceeds \(TemplateRendering.outputLimit >> 20) MiB"
    case .tooManyElements:
      "the loops of the template have more than \(TemplateRendering.loopLimit) steps"
    case .tooMuchWork: "the template processes too much data"
    case .notJSON(let reason): "a value of the template cannot be written as JSON: \(reason)"
    case .invalidStatus(let text):
      "the status of the template is not a number from 200 to 599: \(text.prefix(40))"
    case .unknownResource(let path): "there is no resource \(path.debugDescription)"
    }
  }
}

/// The state of the rendering of a template for one request.
///
/// The body, the query and the cookies of the request are parsed on first use, once.
struct TemplateRendering {
  /// The current element of a loop.
  struct Loop {
    var value: JSON
    var key: String?
    var index: Int
    let count: Int

    func value(of member: TemplateExpression.LoopMember) -> JSON {
      switch member {
      case .value: value
      case .index: .int(index)
      case .number: .int(index + 1)
      case .isFirst: .bool(index == 0)
      case .isLast: .bool(index == count - 1)
      case .key: key.map { .string($0) } ?? .int(index)
      }
    }
  }

  let request: ReceivedRequest
  let values: TemplateValues
  /// The values of `let`.
  var constants: [JSON] = []
  /// The response, for a template that is rendered after it.
  var response: JSON = .null
  var loops: [Loop] = []
  /// The items of the resources, read at one time.
  ///
  /// `nil` before the first use.
  var items: (any RequestItems)?
  private var parsedBody: JSON?
  private var parsedQuery: RequestQuery?
  private var parsedForm: RequestQuery?
  private var parsedParts: JSON?
  private var parsedCookies: [String: JSON]?
  private var remainingSteps = Self.loopLimit
  private var remainingWork = Self.workLimit

  init(_ request: ReceivedRequest, _ values: TemplateValues) {
    self.request = request
    self.values = values
  }

  static let outputLimit = 16 << 20
  static let loopLimit = 100_000
  private static let workLimit = 128 << 20

  /// Counts work that depends on the size of the request.
  mutating func charge(_ byteCount: Int) throws(TemplateRenderError) {
    remainingWork -= byteCount
    guard remainingWork >= 0 else { throw .tooMuchWork }
  }

  // MARK: Loops

  /// Calls a closure for each element of a list, or for each member of an object by name.
  ///
  /// - Parameters:
  ///   - list: The list. Any other value has no elements.
  ///   - body: A closure that renders one element.
  /// - Returns: Whether the list has elements.
  /// - Throws: ``TemplateRenderError`` of the closure, or if there are too many elements.
  mutating func forEach(
    in list: JSON,
    _ body: (inout TemplateRendering) throws(TemplateRenderError) -> Void
  ) throws(TemplateRenderError) -> Bool {
    let elements: [(key: String?, value: JSON)]
    switch list {
    case .array(let values): elements = values.map { (nil, $0) }
    case .dictionary(let members):
      elements = members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    default: return false
    }
    try charge(elements.count * 32)
    remainingSteps -= elements.count
    guard remainingSteps >= 0 else { throw .tooManyElements }
    for (index, element) in elements.enumerated() {
      loops.append(
        Loop(value: element.value, key: element.key, index: index, count: elements.count))
      try body(&self)
      loops.removeLast()
    }
    return !elements.isEmpty
  }

  // MARK: Resources

  /// Returns the items of a resource, or a part of the item whose id is the first step.
  mutating func resource(
    _ path: String, _ steps: [JSONValuePath.Step]
  ) throws(TemplateRenderError) -> JSON {
    let items = try resources(with: path)
    let id: JSON
    switch steps.first {
    case nil:
      let list = JSON.array(items.items(at: path))
      try charge(list.approximateSize)
      return list
    case .member(let name): id = .string(name)
    case .element(let index): id = .int(index)
    }
    return (items.item(id, at: path) ?? .null).value(at: steps.dropFirst())
  }

  /// Returns the first item of a resource that meets the condition of the filter `find`.
  mutating func item(
    where arguments: [JSON], at path: String
  ) throws(TemplateRenderError) -> JSON {
    let items = try resources(with: path)
    // Fast path: an item is found by its id without a search.
    if arguments.count == 2, arguments[0].string == items.key(at: path) {
      return items.item(arguments[1], at: path) ?? .null
    }
    let list = try resource(path, [])
    return TemplateFilter.find.value(of: list, arguments)
  }

  private mutating func resources(
    with path: String
  ) throws(TemplateRenderError) -> any RequestItems {
    if items == nil { items = request.session.resources?.items(for: request.session.client) }
    guard let items, items.key(at: path) != nil else { throw .unknownResource(path) }
    return items
  }

  // MARK: Values of the request

  mutating func value(of root: TemplateRoot, _ steps: [JSONValuePath.Step]) -> JSON {
    // Fast path: most expressions name one value of the request.
    if steps.count == 1, case .member(let name) = steps[0] {
      switch root {
      case .path: return request.path.variables[name].map { .string($0) } ?? .null
      case .query: return query[name].map { .string($0) } ?? .null
      case .headers: return request.headers[name].map { .string($0) } ?? .null
      case .form: return form[name].map { .string($0) } ?? .null
      default: break
      }
    }
    return value(of: root).value(at: steps[...])
  }

  private mutating func value(of root: TemplateRoot) -> JSON {
    switch root {
    case .method: .string(request.method.rawValue)
    case .target: .string(request.target)
    case .url: .string(baseURL + request.target)
    case .baseUrl: .string(baseURL)
    case .path: .string(request.path.text)
    case .query: Self.object(query) { .string($0[0]) }
    case .queries: Self.object(query) { .array($0.map { .string($0) }) }
    case .headers:
      .dictionary(
        Dictionary(request.headers.map { ($0.name.lowercased(), .string($0.value)) }) {
          .string($0.templateText + ", " + $1.templateText)
        })
    case .cookies: .dictionary(cookies)
    case .form: Self.object(form) { .string($0[0]) }
    case .parts: parts
    case .body: body
    case .text: .string(request.text)
    case .variables: .dictionary(request.variables)
    case .response: response
    // An expression for a resource has a case of its own.
    case .resources: .null
    }
  }

  /// The scheme and the host to which the client has sent the request.
  private var baseURL: String {
    "\(request.scheme)://" + (request.headers["Host"] ?? "localhost")
  }

  private static func object(_ query: RequestQuery, _ value: ([String]) -> JSON) -> JSON {
    .dictionary(
      Dictionary(grouping: query.items, by: \.name).mapValues { items in
        value(items.map(\.value))
      })
  }

  private var query: RequestQuery {
    mutating get {
      if let parsedQuery { return parsedQuery }
      let query = request.query
      parsedQuery = query
      return query
    }
  }

  private var form: RequestQuery {
    mutating get {
      if let parsedForm { return parsedForm }
      let form = request.form
      parsedForm = form
      return form
    }
  }

  /// The parts of a multipart body by name.
  ///
  /// Of several parts with one name, the first one is used.
  private var parts: JSON {
    mutating get {
      if let parsedParts { return parsedParts }
      let parts = JSON.dictionary(
        Dictionary(request.parts.map { ($0.name, Self.object($0)) }) { first, _ in first })
      parsedParts = parts
      return parts
    }
  }

  private static func object(_ part: RequestPart) -> JSON {
    var members: [String: JSON] = ["size": .int(part.body.count)]
    if let type = part.contentType { members["contentType"] = .string(type) }
    if let name = part.fileName {
      members["fileName"] = .string(name)
    } else {
      members["text"] = .string(part.text)
    }
    return .dictionary(members)
  }

  private var body: JSON {
    mutating get {
      if let parsedBody { return parsedBody }
      let body = request.json
      parsedBody = body
      return body
    }
  }

  private var cookies: [String: JSON] {
    mutating get {
      if let parsedCookies { return parsedCookies }
      var cookies: [String: JSON] = [:]
      for field in request.headers.values(for: "Cookie") {
        for pair in field.split(separator: ";") {
          let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
          guard sides.count == 2 else { continue }
          let name = String(sides[0]).trimmingOptionalWhitespace
          let value = String(sides[1]).trimmingOptionalWhitespace
          if cookies[name] == nil { cookies[name] = .string(value) }
        }
      }
      parsedCookies = cookies
      return cookies
    }
  }
}
