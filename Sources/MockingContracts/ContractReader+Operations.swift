import Foundation
import Networking

/// The parts of an operation: parameters, bodies and responses.
extension ContractReader {
  // MARK: Parameters

  mutating func parameters(_ value: JSON?, _ place: SchemaPlace) -> [ContractParameter] {
    guard let value else { return [] }
    guard let values = value.array else {
      fail(place, "expected an array")
      return []
    }
    return values.indices.compactMap { parameter(at: place.appending("\($0)")) }
  }

  private mutating func parameter(at place: SchemaPlace) -> ContractParameter? {
    guard let (members, place) = object(at: place) else { return nil }
    guard let name = members["name"]?.string else {
      fail(place, "expected the member name")
      return nil
    }
    guard let location = members["in"]?.string.flatMap(ContractParameter.Location.init) else {
      fail(
        place,
        "expected the member in: query, header, path or cookie"
          + (members["in"]?.string == "body" ? "; in OpenAPI 3 a body is a requestBody" : ""))
      return nil
    }
    let isRequired = members["required"]?.bool ?? false
    if location == .path, !isRequired { fail(place, "a path parameter needs required: true") }
    let standard: ContractParameter.Style =
      location == .query || location == .cookie ? .form : .simple
    let styleName = members["style"]?.string
    let style = styleName.flatMap(ContractParameter.Style.init) ?? standard
    if styleName != nil, !Self.styles(location).contains(style) || styleName != style.rawValue {
      let names = Self.styles(location).map(\.rawValue).joined(separator: ", ")
      fail(place.appending("style"), "expected a style for \(location.rawValue): \(names)")
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
    guard let (members, place) = object(at: place) else { return nil }
    guard members["content"] != nil else {
      fail(place, "the member content is missing")
      return nil
    }
    return ContractBody(
      isRequired: members["required"]?.bool ?? false, content: content(place.appending("content")))
  }

  private mutating func content(_ place: SchemaPlace) -> [ContractMedia] {
    guard let value = compiler.documents.value(at: place) else { return [] }
    guard case .dictionary = value else {
      fail(place, "expected an object")
      return []
    }
    // A client without a wish receives the first type.
    return compiler.documents.names(at: place).compactMap { media($0, place.appending($0)) }
  }

  private mutating func media(_ text: String, _ place: SchemaPlace) -> ContractMedia? {
    guard let type = MediaType(text) else {
      fail(place, "\(text) is not a media type")
      return nil
    }
    guard let (members, place) = object(at: place) else { return nil }
    var media = ContractMedia(text: text, type: type, schema: schema(of: members, place))
    if let example = members["example"] { media.examples.append(("", example)) }
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
      fail(place, "expected an object with at least one response")
      return []
    }
    return members.keys.filter { !$0.hasPrefix("x-") }.sorted().compactMap { name in
      guard let code = Self.code(name) else {
        fail(place.appending(name), "expected a status such as 200 or 2XX, or default")
        return nil
      }
      guard let (members, place) = object(at: place.appending(name)) else { return nil }
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
