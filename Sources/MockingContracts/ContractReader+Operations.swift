import Foundation
import Networking

/// The parts of an operation: parameters, bodies and responses.
extension ContractReader {
  // MARK: Parameters

  mutating func parameters(_ value: JSON?, _ place: SchemaPlace) -> [ContractParameter] {
    guard let value else { return [] }
    guard let values = value.array else {
      assume(place, "expected an array")
      return []
    }
    return values.indices.compactMap { parameter(at: place.appending("\($0)")) }
  }

  private mutating func parameter(at place: SchemaPlace) -> ContractParameter? {
    guard let (members, place) = object(at: place) else { return nil }
    guard let name = members["name"]?.string else {
      assume(place, "expected the member name", "the parameter is ignored")
      return nil
    }
    guard let location = members["in"]?.string.flatMap(ContractParameter.Location.init) else {
      assume(
        place,
        "expected the member in: query, header, path or cookie"
          + (members["in"]?.string == "body" ? "; in OpenAPI 3 a body is a requestBody" : ""),
        "the parameter is ignored")
      return nil
    }
    let isMarked = members["required"]?.bool ?? false
    let isRequired = isMarked || location == .path
    if isRequired != isMarked {
      assume(place, "a path parameter needs required: true", "it is required")
    }
    let standard: ContractParameter.Style =
      location == .query || location == .cookie ? .form : .simple
    let styleName = members["style"]?.string
    var style = styleName.flatMap(ContractParameter.Style.init) ?? standard
    if styleName != nil, !Self.styles(location).contains(style) || styleName != style.rawValue {
      let names = Self.styles(location).map(\.rawValue).joined(separator: ", ")
      assume(
        place.appending("style"), "expected a style for \(location.rawValue): \(names)",
        "it is \(standard.rawValue)")
      style = standard
    }
    var parameter = ContractParameter(
      name: name, location: location, isRequired: isRequired, style: style,
      explodes: members["explode"]?.bool ?? (style == .form), schema: schema(of: members, place))
    parameter.allowsEmpty = members["allowEmptyValue"]?.bool ?? false
    if members["schema"] == nil, case .dictionary(let content)? = members["content"],
      let type = content.keys.first
    {
      let media = media(type, place.appending("content", type))
      parameter = ContractParameter(
        name: name, location: location, isRequired: isRequired, style: style,
        explodes: parameter.explodes, schema: media?.schema, content: type)
    }
    return parameter
  }

  private static func styles(_ location: ContractParameter.Location) -> [ContractParameter.Style] {
    switch location {
    case .path: [.simple, .label, .matrix]
    case .query: [.form, .spaceDelimited, .pipeDelimited, .deepObject]
    case .header: [.simple]
    case .cookie: [.form]
    }
  }

  private mutating func schema(of members: [String: JSON], _ place: SchemaPlace) -> Int? {
    members["schema"] == nil ? nil : compiler.compile(place.appending("schema"))
  }

  // MARK: Bodies

  mutating func body(_ place: SchemaPlace) -> ContractBody? {
    guard let (members, place) = object(at: place, else: "any body is accepted") else {
      return nil
    }
    let content = content(place.appending("content"))
    if members["content"] == nil {
      assume(place, "the member content is missing", "any body is accepted")
    }
    guard !content.isEmpty else { return nil }
    return ContractBody(isRequired: members["required"]?.bool ?? false, content: content)
  }

  private mutating func content(_ place: SchemaPlace) -> [ContractMedia] {
    guard compiler.documents.value(at: place) != nil,
      let (_, place) = object(at: followed(place))
    else { return [] }
    // A client without a wish receives the first type.
    let names = compiler.documents.names(at: place)
    let first = names.first {
      compiler.documents.value(at: place.appending($0))?["schema"].isNull == false
    }
    guard let first, names.allSatisfy({ MediaType($0) == nil }) else {
      return names.compactMap { media($0, place.appending($0)) }
    }
    assume(place, "\(first) is not a media type", "read as application/json")
    return media("application/json", place.appending(first)).map { [$0] } ?? []
  }

  private mutating func media(_ text: String, _ place: SchemaPlace) -> ContractMedia? {
    guard let type = MediaType(text) else {
      assume(place, "\(text) is not a media type")
      return nil
    }
    guard let (members, place) = object(at: place) else { return nil }
    var media = ContractMedia(text: text, type: type, schema: schema(of: members, place))
    if let example = members["example"] { media.examples.append(("example", example)) }
    for name in compiler.documents.names(at: place.appending("examples")) {
      guard let (example, place) = object(at: place.appending("examples", name)) else { continue }
      guard let value = example["value"] else {
        if example["externalValue"] != nil {
          warn(place, "the value of externalValue is not read")
        }
        continue
      }
      media.examples.append((name, value))
    }
    return media
  }

  // MARK: Responses

  mutating func responses(
    _ operation: [String: JSON], _ place: SchemaPlace
  ) -> [ContractResponse] {
    let place = place.appending("responses")
    // OpenAPI 3.1 allows an operation without responses.
    if operation["responses"] == nil, !dialect.isOpenAPI30 { return [] }
    guard case .dictionary(let members)? = operation["responses"], !members.isEmpty else {
      let similar = NameSuggestion.of(
        "responses", among: operation.keys.filter { $0 != "responses" }.sorted())
      assume(
        place,
        "expected an object with at least one response"
          + (similar.map { "; \($0) is not a member of OpenAPI" } ?? ""),
        "the status is 200, without a body")
      return []
    }
    return members.keys.filter { !$0.hasPrefix("x-") }.sorted().compactMap { name in
      let text = name.filter { !$0.isWhitespace }
      if text != name { assume(place.appending(name), "a status has no spaces", "read as \(text)") }
      guard let code = Self.code(text) else {
        assume(
          place.appending(name), "expected a status such as 200 or 2XX, or default", "left out")
        return nil
      }
      guard let (members, place) = object(at: place.appending(name), else: "it has no body") else {
        return ContractResponse(code: code, content: [], headers: [])
      }
      return ContractResponse(
        code: code, content: content(place.appending("content")),
        headers: headers(members["headers"], place.appending("headers")))
    }
  }

  private static func code(_ text: String) -> ContractResponse.Code? {
    if text == "default" { return .default }
    if text.count == 3, text.uppercased().hasSuffix("XX"), let digit = Int(text.prefix(1)),
      (1...5).contains(digit)
    {
      return .class(digit)
    }
    guard text.count == 3, let status = Int(text), (100...599).contains(status) else { return nil }
    return .status(status)
  }

  private mutating func headers(_ value: JSON?, _ place: SchemaPlace) -> [ContractHeader] {
    guard case .dictionary(let members)? = value else { return [] }
    return members.keys.sorted().compactMap { name in
      guard let (members, place) = object(at: place.appending(name)) else { return nil }
      // These fields have their own rules.
      guard !["content-type", "content-length", "transfer-encoding"].contains(name.lowercased())
      else { return nil }
      let examples = members["examples"]?.dictionary ?? [:]
      return ContractHeader(
        name: name, isRequired: members["required"]?.bool ?? false,
        schema: schema(of: members, place),
        example: members["example"] ?? examples.sorted { $0.key < $1.key }.first?.value["value"])
    }
  }
}
