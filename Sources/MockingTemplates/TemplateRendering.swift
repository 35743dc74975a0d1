import Foundation
package import Mocking
import Networking

/// An error that occurs when a template is rendered.
package enum TemplateRenderError: Error, Hashable {
  case tooLarge
  case tooManyElements
  case tooMuchWork
  case notJSON(String)
  case invalidStatus(String)
  case unknownResource(String)
}

extension TemplateRenderError: CustomStringConvertible {
  package var description: String {
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
package struct TemplateRendering {
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

  package let request: ReceivedRequest
  package let values: TemplateValues
  /// The values of `let`.
  package var constants: [JSON] = []
  /// The response, for a template that is rendered after it.
  package var response: JSON = .null
  var loops: [Loop] = []
  /// The items of the resources, read at one time.
  ///
  /// `nil` before the first use.
  package var items: (any RequestItems)?
  private lazy var body = request.json
  private lazy var query = request.query
  private lazy var form = request.form
  /// Other values of the request, made on first use.
  private var roots: [TemplateRoot: JSON] = [:]
  private var remainingSteps = Self.loopLimit
  var work = TemplateWork()

  /// Creates the state for one request.
  package init(_ request: ReceivedRequest, _ values: TemplateValues) {
    self.request = request
    self.values = values
  }

  /// The limit for the size of an output, in bytes.
  package static let outputLimit = 16 << 20
  static let loopLimit = 100_000

  // MARK: Loops

  /// Calls a closure for each element of a list, or for each member of an object by name.
  ///
  /// - Parameters:
  ///   - list: The list. Any other value has no elements.
  ///   - body: A closure that renders one element.
  /// - Returns: Whether the list has elements.
  /// - Throws: ``TemplateRenderError`` of the closure, or if there are too many elements.
  package mutating func forEach(
    in list: JSON,
    _ body: (inout TemplateRendering) throws(TemplateRenderError) -> Void
  ) throws(TemplateRenderError) -> Bool {
    let (keys, values): ([String]?, [JSON])
    switch list {
    case .array(let elements): (keys, values) = (nil, elements)
    case .dictionary:
      let members = try work.members(of: list)
      (keys, values) = (members.map(\.key), members.map(\.value))
    default: return false
    }
    try work.charge(32, times: values.count)
    remainingSteps -= values.count
    guard remainingSteps >= 0 else { throw .tooManyElements }
    for (index, value) in values.enumerated() {
      loops.append(Loop(value: value, key: keys?[index], index: index, count: values.count))
      try body(&self)
      loops.removeLast()
    }
    return !values.isEmpty
  }

  /// Calls a closure with a value as the element of an inner loop.
  ///
  /// - Parameters:
  ///   - value: The element.
  ///   - body: A closure that renders it.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  package mutating func withElement(
    _ value: JSON, _ body: (inout TemplateRendering) throws(TemplateRenderError) -> JSON
  ) throws(TemplateRenderError) -> JSON {
    loops.append(Loop(value: value, key: nil, index: 0, count: 1))
    defer { loops.removeLast() }
    return try body(&self)
  }

  /// Charges for work, in bytes to read or to build.
  ///
  /// - Throws: ``TemplateRenderError/tooMuchWork`` if it exceeds the limit.
  package mutating func charge(_ size: Int, times count: Int) throws(TemplateRenderError) {
    try work.charge(size, times: count)
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
      try work.charge(list.approximateSize)
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
    return try TemplateFilter.find.value(of: list, arguments, &work)
  }

  private mutating func resources(
    with path: String
  ) throws(TemplateRenderError) -> any RequestItems {
    if items == nil { items = request.session.resources?.items(for: request.session.client) }
    guard let items, items.key(at: path) != nil else { throw .unknownResource(path) }
    return items
  }

  // MARK: Values of the request

  mutating func value(
    of root: TemplateRoot, _ steps: [JSONValuePath.Step]
  ) throws(TemplateRenderError) -> JSON {
    // Fast path: most expressions name one value of the request.
    if steps.count == 1, case .member(let name) = steps[0] {
      switch root {
      case .path: return request.path.variables[name].map { .string($0) } ?? .null
      case .query:
        try work.charge(query.items.count)
        return query[name].map { .string($0) } ?? .null
      case .headers:
        let value = request.headers[name]
        try work.charge(min(request.headers.count, 32) + (value?.utf8.count ?? 0))
        return value.map { .string($0) } ?? .null
      case .form:
        try work.charge(form.items.count)
        return form[name].map { .string($0) } ?? .null
      default: break
      }
    }
    return value(of: root).value(at: steps[...])
  }

  private mutating func value(of root: TemplateRoot) -> JSON {
    switch root {
    case .body: return body
    case .variables: return .dictionary(request.variables)
    case .response: return response
    default:
      if let value = roots[root] { return value }
      let value = newValue(of: root)
      roots[root] = value
      return value
    }
  }

  /// Returns a value of the request, whose size is in proportion to that of the request.
  private mutating func newValue(of root: TemplateRoot) -> JSON {
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
        Dictionary(grouping: request.headers) { $0.name.lowercased() }.mapValues {
          .string($0.map(\.value).joined(separator: ", "))
        })
    case .cookies:
      .dictionary(
        Dictionary(request.cookies.items.map { ($0.name, .string($0.value)) }) { first, _ in first }
      )
    case .form: Self.object(form) { .string($0[0]) }
    case .parts: parts
    case .text: .string(request.text)
    // An expression for a resource has a case of its own.
    case .resources, .body, .variables, .response: .null
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

  /// The parts of a multipart body by name.
  ///
  /// Of several parts with one name, the first one is used.
  private var parts: JSON {
    .dictionary(Dictionary(request.parts.map { ($0.name, Self.object($0)) }) { first, _ in first })
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
}
