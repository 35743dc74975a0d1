import Mocking
import MockingDocuments
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
  ///   - work: The remaining work.
  /// - Returns: The value.
  /// - Throws: ``TemplateRenderError/tooMuchWork`` if it exceeds the limit.
  func listValue(
    of elements: [JSON], _ arguments: [JSON], _ work: inout TemplateWork
  ) throws(TemplateRenderError) -> JSON {
    let name = try arguments.first.map { json throws(TemplateRenderError) in
      try work.text(of: json, growth: 32)
    }
    let isDescending = self == .sort && name?.hasPrefix("-") == true
    let member = name.map { MemberPath(isDescending ? String($0.dropFirst()) : $0) }
    // Each name of the path is searched in each element.
    try work.charge(JSON.elementSize + (name?.utf8.count ?? 0), times: elements.count)
    let values = member.map { member in elements.map(member.value) } ?? elements
    func selected(_ isSelected: (_ index: Int) -> Bool) -> JSON {
      .array(elements.indices.filter(isSelected).map { elements[$0] })
    }
    switch self {
    case .map: return .array(values)
    case .where, .find:
      if arguments.count > 1 {
        let operand = arguments[arguments.count - 1]
        for value in values { try work.charge(value.comparisonSize(with: operand)) }
      }
      if self == .where { return selected { Self.holds(values[$0], arguments) } }
      return elements.indices.first { Self.holds(values[$0], arguments) }.map { elements[$0] }
        ?? .null
    case .sum: return Self.sum(values)
    case .min, .max:
      try work.charge(values.reduce(0) { $0 + $1.approximateSize })
      return Self.least(values, self == .min ? .less : .greater)
    case .unique:
      for value in values { try work.charge(value.totalSize + 2 * JSON.memberSize) }
      var known: Set<JSON> = []
      return selected { known.insert(values[$0]).inserted }
    case .sort:
      // Each value is compared with about as many others as the number of values has bits, twice.
      let comparisons = 2 * (elements.count.bitWidth - elements.count.leadingZeroBitCount)
      try work.charge(values.reduce(0) { $0 + $1.approximateSize }, times: comparisons)
      return .array(Self.sorted(elements, by: values, isDescending))
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
    return isInteger ? .int(integers) : .rounded(numbers)
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

  /// Returns the elements in the order of their values.
  ///
  /// Equal elements keep their order.
  private static func sorted(
    _ elements: [JSON], by values: [JSON], _ isDescending: Bool
  ) -> [JSON] {
    let comparison: TemplateExpression.Comparison = isDescending ? .greater : .less
    return elements.indices.sorted { left, right in
      if comparison.holds(values[left], values[right]) { return true }
      if comparison.holds(values[right], values[left]) { return false }
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
