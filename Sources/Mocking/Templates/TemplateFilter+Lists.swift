import Networking

extension TemplateFilter {
  /// Returns whether the filter accepts arguments whose number is right.
  ///
  /// Of three arguments of `where` and `find`, the second one is a comparison.
  func accepts(_ arguments: [TemplateExpression]) -> Bool {
    guard self == .where || self == .find, arguments.count == 3 else { return true }
    guard case .literal(.string(let text)) = arguments[1] else { return false }
    return TemplateExpression.Comparison(rawValue: text) != nil
  }

  /// Returns the value of a filter for the elements of a list.
  ///
  /// - Parameters:
  ///   - elements: The elements.
  ///   - arguments: The values of the arguments. The first one is the name of a member, or the names of
  ///     nested members with dots between them.
  /// - Returns: The value.
  func listValue(of elements: [JSON], _ arguments: [JSON]) -> JSON {
    let member = arguments.first.map { MemberPath($0.templateText) }
    func value(_ element: JSON) -> JSON { member?.value(in: element) ?? element }
    switch self {
    case .map: return .array(elements.map(value))
    case .where: return .array(elements.filter { Self.holds(value($0), arguments) })
    case .find: return elements.first { Self.holds(value($0), arguments) } ?? .null
    case .sum: return Self.sum(elements.lazy.map(value))
    case .min: return Self.least(elements.map(value), .less)
    case .max: return Self.least(elements.map(value), .greater)
    case .unique:
      var known: Set<JSON> = []
      return .array(elements.filter { known.insert(value($0)).inserted })
    case .sort: return .array(Self.sorted(elements, arguments.first?.templateText))
    default: return .null
    }
  }

  /// Returns whether the value of a member meets the condition of `where` and `find`.
  private static func holds(_ value: JSON, _ arguments: [JSON]) -> Bool {
    switch arguments.count {
    case 1: return value.isTruthy
    case 2: return TemplateExpression.Comparison.equal.holds(value, arguments[1])
    default:
      let comparison = TemplateExpression.Comparison(rawValue: arguments[1].templateText)
      return comparison?.holds(value, arguments[2]) ?? false
    }
  }

  /// Returns the sum of the numbers, an integer if all of them are integers.
  private static func sum(_ values: some Sequence<JSON>) -> JSON {
    var (integers, numbers) = (0, 0.0)
    var isInteger = true
    for value in values {
      guard let number = value.asNumber else { continue }
      numbers += number
      guard isInteger else { continue }
      let (sum, overflows) = integers.addingReportingOverflow(value.asInteger ?? 0)
      isInteger = value.asInteger != nil && !overflows
      integers = sum
    }
    return isInteger ? .int(integers) : number(numbers)
  }

  /// Returns the value that precedes all others in an order, or `null` if there is none.
  ///
  /// Values that are neither numbers nor texts are ignored.
  private static func least(
    _ values: [JSON], _ comparison: TemplateExpression.Comparison
  ) -> JSON {
    var least = JSON.null
    for value in values where value.asNumber != nil || value.string != nil {
      if least == .null || comparison.holds(value, least) { least = value }
    }
    return least
  }

  /// Returns the elements in ascending order; a `-` before the name of the member reverses it.
  ///
  /// Equal elements keep their order.
  private static func sorted(_ elements: [JSON], _ name: String?) -> [JSON] {
    let isDescending = name?.hasPrefix("-") ?? false
    let member = name.map { MemberPath(isDescending ? String($0.dropFirst()) : $0) }
    let keys = elements.map { member?.value(in: $0) ?? $0 }
    let comparison: TemplateExpression.Comparison = isDescending ? .greater : .less
    return elements.indices.sorted { left, right in
      if comparison.holds(keys[left], keys[right]) { return true }
      if comparison.holds(keys[right], keys[left]) { return false }
      return left < right
    }.map { elements[$0] }
  }
}

/// The names of nested members, such as `product.price`.
private struct MemberPath {
  private let steps: [JSONValuePath.Step]

  init(_ text: String) {
    steps = text.split(separator: ".", omittingEmptySubsequences: false)
      .map { .member(String($0)) }
  }

  func value(in json: JSON) -> JSON { json.value(at: steps[...]) }
}

extension String {
  /// Returns whether this path and another one are those of the same resource.
  ///
  /// The names of variables are ignored.
  func isResourcePath(_ other: String) -> Bool { resourceSegments == other.resourceSegments }

  /// The segments of the path of a resource; `{}` for a variable.
  private var resourceSegments: [Substring] {
    split(separator: "/", omittingEmptySubsequences: false).map {
      $0.hasPrefix("{") && $0.hasSuffix("}") ? "{}" : $0
    }
  }

  /// The path of a resource with `{}` for each variable.
  var normalizedResourcePath: String { resourceSegments.joined(separator: "/") }
}
