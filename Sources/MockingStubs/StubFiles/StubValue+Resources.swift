import Foundation
import Mocking
import MockingDocuments
import MockingResources
import MockingTemplates
import Networking

extension StubValue {
  private static let resourceKeys =
    [
      "resource", "data", "comment", "key", "ids", "required", "unique", "readOnly", "types",
      "defaults", "createdAt", "updatedAt", "nestedPaths", "foreignKeys", "references",
      "onParentDelete", "methods",
      "createsOnPut", "requiresIfMatch", "pageSize", "maximumPageSize", "parameters",
      "maximumItems", "maximumItemBytes",
    ] + StubObject.conditionKeys
    + ["headers", "delay", "bodyDelay", "bytesPerSecond", "dribble", "fault"]

  /// Whether the value is a resource, not a route.
  var isResource: Bool { json.dictionary?["resource"] != nil }

  /// Parses a resource.
  ///
  /// - Parameters:
  ///   - folder: The folder of the stub file.
  ///   - defaults: The defaults of the file for all responses.
  ///   - resources: The store or the draft to which the resource is added.
  ///   - text: The text of the stub file from this value on, for the order of members.
  /// - Returns: The routes of the resource.
  /// - Throws: ``JSONDocumentError``.
  func resource(
    in folder: URL, defaults: Mock?, to resources: some ResourceCollection, text: Data
  ) throws(JSONDocumentError) -> [Stub] {
    for name in ["webhook", "changes"] where json.dictionary?[name] != nil {
      throw JSONDocumentError(
        path: path.appending(.member(name)),
        text:
          "a resource has no \"\(name)\"; a route with the same path before it can have both "
          + "\"changes\" of its items and a \"webhook\"")
    }
    let object = try object(
      Self.resourceKeys, "a resource, such as {\"resource\": \"/carts\", \"data\": []}")
    let path = try object.required("resource", "such as \"/carts\"")
    let (items, order, file, isObject) = try object.initialItems(in: folder, text)
    var options = try object.resourceOptions()
    if isObject { try object.makeObject(&options) }
    let definition = ResourceDefinition(try path.resourceTemplate(), options)
    if isObject, definition.name.contains("{") {
      throw path.expected("a path without variables, because \"data\" is one object")
    }
    guard !resources.contains(definition) else {
      throw JSONDocumentError(
        path: path.path, text: "another resource has the path \"\(definition.name)\"")
    }
    var outer = try object.response(in: folder)
    if let defaults { outer = outer.inheriting(defaults) }
    let added: (routes: [(route: Route, mock: Mock)], itemCount: Int)
    do throws(ResourceStore.InvalidItem) {
      added = try resources.add(definition, items: items, order: order, defaults: outer)
    } catch {
      let data = self.path.appending(.member("data"))
      guard let file else {
        let place = isObject ? data : data.appending(.element(error.index))
        throw JSONDocumentError(path: place, text: error.reason)
      }
      throw JSONDocumentError(path: data, text: "\(file)[\(error.index)]: \(error.reason)")
    }
    var stubs: [Stub] = []
    for (route, mock) in added.routes {
      var route = route
      try object.addConditions(to: &route)
      stubs.append(
        Stub(
          path: self.path, route: route, mock: mock,
          resource: (definition.name, added.itemCount)))
    }
    return stubs
  }

  /// Parses the path of a resource.
  fileprivate func resourceTemplate() throws(JSONDocumentError) -> String {
    let text = try template().bracedVariables
    guard !text.contains(":"), !text.contains("**") else {
      throw JSONDocumentError(
        path: path,
        text: "expected variables such as {user} in the path of a resource, found \"\(text)\"")
    }
    guard !text.hasSuffix("*}"), !text.hasSuffix("/"), !text.hasSuffix("}") else {
      throw expected("the path of a list, such as \"/carts\" or \"/users/{user}/carts\"")
    }
    return text
  }

  /// Parses the location of the file for the items.
  func storeFile(in folder: URL) throws(JSONDocumentError) -> URL {
    let name = try string("the name of a file, such as \"shop-data.json\"")
    let inner = try checkingName { () throws(InnerPath.Violation) in try InnerPath(name) }
    guard !inner.components.isEmpty else {
      throw expected("the name of a file, such as \"shop-data.json\"")
    }
    return try checkingName { () throws(InnerPath.Violation) in try inner.location(in: folder) }
  }

  /// Parses the part of a request that identifies its client, and the maximum number of clients.
  func isolation() throws(JSONDocumentError) -> (ResourceStore.Isolation, Int) {
    let expectation = "{\"header\": \"X-Client\"} or {\"cookie\": \"client\"}"
    let object = try object(["header", "cookie", "maximumClients"], expectation)
    let clients = try object["maximumClients"]?.int(1...100_000, "a number from 1 to 100000") ?? 100
    switch (object["header"], object["cookie"]) {
    case (let header?, nil):
      let name = try header.string("the name of a header field")
      guard name.isToken else { throw header.expected("the name of a header field") }
      return (.header(name), clients)
    case (nil, let cookie?):
      let name = try cookie.string("the name of a cookie")
      guard name.isToken else { throw cookie.expected("the name of a cookie") }
      return (.cookie(name), clients)
    default: throw expected(expectation)
    }
  }

  fileprivate func strings(_ expectation: String) throws(JSONDocumentError) -> [String] {
    var texts: [String] = []
    for element in try elements(expectation) { texts.append(try element.string("a string")) }
    return texts
  }

  fileprivate func memberType() throws(JSONDocumentError) -> ResourceOptions.MemberType? {
    let types = ResourceOptions.MemberType.allCases.map(\.rawValue)
    return ResourceOptions.MemberType(rawValue: try name(of: types))
  }

  /// Parses the type of a member with the rules for its values.
  fileprivate func memberRule() throws(JSONDocumentError) -> (
    ResourceOptions.MemberType?, ResourceOptions.MemberRule
  ) {
    let object = try object(
      ["type", "minimum", "maximum", "minLength", "maxLength", "pattern", "enum"],
      "a type, such as \"integer\" or {\"type\": \"integer\", \"minimum\": 1}")
    func number(_ name: String) throws(JSONDocumentError) -> Double? {
      guard let value = object[name] else { return nil }
      guard let number = value.json.double else { throw value.expected("a number") }
      return number
    }
    let count = "a number, 0 or more"
    var rule = ResourceOptions.MemberRule(
      minimum: try number("minimum"), maximum: try number("maximum"),
      minLength: try object["minLength"]?.int(0...Int.max, count),
      maxLength: try object["maxLength"]?.int(0...Int.max, count))
    if let least = rule.minimum, let most = rule.maximum, least > most {
      throw expected("a \"minimum\" that is not greater than \"maximum\"")
    }
    if let least = rule.minLength, let most = rule.maxLength, least > most {
      throw expected("a \"minLength\" that is not greater than \"maxLength\"")
    }
    if let pattern = object["pattern"] {
      let text = try pattern.string("a regular expression")
      if let reason = RegularExpression(text).validationError {
        throw JSONDocumentError(
          path: pattern.path, text: "\(pattern.expected("a regular expression").text): \(reason)")
      }
      rule.pattern = text
    }
    if let allowed = object["enum"] {
      let values = try allowed.elements("an array of values").map(\.json)
      guard !values.isEmpty else { throw allowed.expected("an array of at least one value") }
      rule.allowed = values
    }
    return (try object["type"]?.memberType(), rule)
  }

  fileprivate func bool() throws(JSONDocumentError) -> Bool {
    guard let value = json.bool else { throw expected("true or false") }
    return value
  }

  fileprivate func idRule() throws(JSONDocumentError) -> ResourceOptions.IDRule {
    let expectation =
      "\"counter\", \"uuid\", \"client\" or a pattern such as \"cart-{counter}\" or "
      + "\"SHP-{counter:0000}\""
    let text = try string(expectation)
    switch text {
    case "counter": return .counter
    case "uuid": return .uuid
    case "client": return .client
    default:
      guard let rule = ResourceOptions.IDRule.checkedPattern(text), text.utf8.count <= 100 else {
        throw expected(expectation)
      }
      return rule
    }
  }

  fileprivate func parameterNames() throws(JSONDocumentError) -> ResourceOptions.ParameterNames {
    let members: [(String, WritableKeyPath<ResourceOptions.ParameterNames, String>)] = [
      ("search", \.search), ("sort", \.sort), ("order", \.order), ("page", \.page),
      ("limit", \.limit), ("offset", \.offset), ("cursor", \.cursor), ("fields", \.fields),
      ("embed", \.embed), ("expand", \.expand),
    ]
    let object = try object(
      members.map(\.0), "names of parameters, such as {\"page\": \"page\", \"limit\": \"size\"}")
    var names = ResourceOptions.ParameterNames()
    for (name, keyPath) in members {
      guard let value = object[name] else { continue }
      let text = try value.string("the name of a parameter")
      guard !text.isEmpty else { throw value.expected("the name of a parameter") }
      names[keyPath: keyPath] = text
    }
    return names
  }
}

extension StubObject {
  fileprivate func resourceOptions() throws(JSONDocumentError) -> ResourceOptions {
    var options = ResourceOptions()
    let name = "the name of a member"
    if let key = self["key"] {
      options.key = try key.string(name)
      guard !options.key.isEmpty else { throw key.expected(name) }
    }
    options.ids = try self["ids"]?.idRule() ?? .automatic
    options.required = try self["required"]?.strings("an array of names") ?? []
    for value in try self["unique"]?.elements("an array of names") ?? [] {
      if case .array = value.json {
        let names = try value.strings("an array of names")
        guard names.count > 1, Set(names).count == names.count else {
          throw value.expected("an array of at least two different names")
        }
        options.uniqueTogether.append(names)
      } else {
        options.unique.append(
          try value.string("a name, or an array of names such as [\"cartId\", \"product\"]"))
      }
    }
    options.readOnly = try self["readOnly"]?.strings("an array of names") ?? []
    for (name, value) in try self["types"]?.members("an object of types") ?? [] {
      if case .dictionary = value.json {
        (options.types[name], options.rules[name]) = try value.memberRule()
      } else {
        options.types[name] = try value.memberType()
      }
    }
    for (name, value) in try self["defaults"]?.members("an object of values") ?? [] {
      guard !Template.isTemplate(value.json) else {
        throw JSONDocumentError(
          path: value.path,
          text:
            "a default value cannot have templates; a route with \"changes\" can create an item "
            + "with templates")
      }
      options.defaults[name] = value.json
    }
    options.createdAt = try self["createdAt"]?.string(name)
    options.updatedAt = try self["updatedAt"]?.string(name)
    for path in try self["nestedPaths"]?.elements("an array of paths") ?? [] {
      options.nestedPaths.append(try path.resourceTemplate())
    }
    for (name, value) in try self["foreignKeys"]?.members("an object of names") ?? [] {
      options.foreignKeys[name] = try value.string("the name of a member")
    }
    for (name, value) in try self["references"]?.members("an object of paths") ?? [] {
      options.references[name] = try value.resourceTemplate()
    }
    if let value = self["onParentDelete"] {
      let names = ResourceOptions.ParentDeletion.allCases.map(\.rawValue)
      options.onParentDelete =
        ResourceOptions.ParentDeletion(rawValue: try value.name(of: names)) ?? .cascade
    }
    if let value = self["methods"] {
      let all = options.methods
      options.methods = []
      for element in try value.elements("an array of methods") {
        let method = HTTPMethod(
          rawValue: try element.name(of: all.map(\.rawValue).sorted()))
        options.methods.insert(method)
      }
    }
    options.createsOnPut = try self["createsOnPut"]?.bool()
    options.requiresIfMatch = try self["requiresIfMatch"]?.bool() ?? false
    let count = "a number, 1 or more"
    options.pageSize = try self["pageSize"]?.int(1...Int.max, count)
    options.maximumPageSize = try self["maximumPageSize"]?.int(1...Int.max, count)
    options.parameters = try self["parameters"]?.parameterNames() ?? .init()
    options.maximumItems = try self["maximumItems"]?.int(1...Int.max, count) ?? options.maximumItems
    options.maximumItemBytes =
      try self["maximumItemBytes"]?.int(1...Int.max, count) ?? options.maximumItemBytes
    return options
  }

  /// Makes a resource one object, which has no ids, lists and parents.
  fileprivate func makeObject(_ options: inout ResourceOptions) throws(JSONDocumentError) {
    let others = [
      "key", "ids", "unique", "nestedPaths", "foreignKeys", "onParentDelete", "createsOnPut",
      "pageSize", "maximumPageSize", "maximumItems",
    ]
    for name in others {
      guard let value = self[name] else { continue }
      throw JSONDocumentError(
        path: value.path, refersToName: true,
        text: "\"\(name)\" is for a list of items, and \"data\" is one object")
    }
    options.isObject = true
  }

  /// Parses the initial items, from the stub file or from another file.
  ///
  /// - Returns: The items, the order of their members, the name of the other file, and whether the data
  ///   is one object.
  fileprivate func initialItems(
    in folder: URL, _ text: Data
  ) throws(JSONDocumentError) -> (
    items: [JSON], order: MemberOrder, file: String?, isObject: Bool
  ) {
    let expectation = "an array of items, one object, or the name of a file with one of them"
    var isObject = false
    var order = MemberOrder()
    var items: [JSON] = []
    var file: String?
    if let value = self["data"] {
      switch value.json {
      case .array, .dictionary:
        isObject = value.json.array == nil
        items = value.json.array ?? [value.json]
        let text = Data(text)
        order.learn(from: text.dropFirst(JSONLocator.offset(of: ["data"], in: text)))
      case .string(let name):
        file = name
        let content = try value.items(in: name, folder)
        (items, isObject) = (content.items, content.isObject)
        order.learn(from: content.text)
      default: throw value.expected(expectation)
      }
    }
    return (items, order, file, isObject)
  }
}

extension ResourceDraft.Content {
  /// Checks that resources refer to existing resources, and their initial items to existing items.
  ///
  /// - Parameter stubs: The routes of a file.
  /// - Throws: ``JSONDocumentError`` for the first one that does not.
  func checkReferences(of stubs: [Stub]) throws(JSONDocumentError) {
    var known: Set<String> = []
    for stub in stubs {
      guard let path = stub.resource?.path, known.insert(path).inserted else { continue }
      if let unknown = unknownReference(at: path) {
        throw JSONDocumentError(
          path: stub.path.appending(.member("references")).appending(.member(unknown.member)),
          text:
            "there is no resource \(ReportFormatter.quoted(unknown.resource)) in this file or in "
            + "its includes")
      }
      if let broken = brokenReference(at: path) {
        throw JSONDocumentError(
          path: stub.path.appending(.member("data")).appending(.element(broken.index)),
          text: "the item refers to nothing: its member \"\(broken.member)\" must be the "
            + "id of an item of \(broken.resource)")
      }
    }
  }
}
