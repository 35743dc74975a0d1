import Foundation
import Networking

/// A maker of values that keep a schema, from a seed.
///
/// The same schema and seed always make the same value. Strings with common names, such as
/// `firstName`, `city` or `createdAt`, look like real ones.
struct SchemaSampler {
  /// The depth from which optional members are left out, so that recursive schemas end.
  private static let optionalDepth = 4
  private static let maximumDepth = 24
  /// The limit for the number of values, which bounds the size of a sample.
  private static let maximumCount = 20_000
  private static let attemptCount = 25

  private let content: Contract.Content
  /// Whether the examples and defaults of schemas are used.
  private let usesExamples: Bool
  var random: SplitMix64
  private var count = 0

  /// Makes a value.
  ///
  /// - Parameters:
  ///   - schema: The index of the schema.
  ///   - content: The contract.
  ///   - seed: The seed.
  ///   - usesExamples: Whether the examples and defaults of schemas are used.
  /// - Returns: The value, and whether it keeps the schema. A schema that no value keeps, or that is
  ///   hard to satisfy, has a value that does not.
  static func sample(
    _ schema: Int, of content: Contract.Content, seed: UInt64, usesExamples: Bool = true
  ) -> (value: JSON, isValid: Bool) {
    var last = JSON.null
    for attempt in 0..<attemptCount {
      var sampler = SchemaSampler(
        content: content,
        // Examples may be the reason for a violation.
        usesExamples: usesExamples && attempt < 2,
        random: SplitMix64(seed: seed, draw: attempt))
      let value = sampler.value(schema, name: "", depth: 0)
      if content.violations(of: value, schema, .response).isEmpty { return (value, true) }
      if attempt == 0 { last = value }
    }
    return (last, false)
  }

  private init(content: Contract.Content, usesExamples: Bool, random: SplitMix64) {
    self.content = content
    self.usesExamples = usesExamples
    self.random = random
  }

  /// Returns a random integer from 0 up to but not including a limit.
  mutating func below(_ limit: Int) -> Int { limit > 1 ? Int(random.next() % UInt64(limit)) : 0 }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  // MARK: Values

  private mutating func value(_ schema: Int, name: String, depth: Int) -> JSON {
    value([schema], name: name, depth: depth)
  }

  private mutating func value(_ schemas: [Int], name: String, depth: Int) -> JSON {
    count += 1
    guard depth < Self.maximumDepth, count < Self.maximumCount else { return .null }
    var shape = SchemaShape()
    for schema in schemas { add(schema, to: &shape, depth: depth) }
    if usesExamples, schemas.count == 1, let example = shape.examples.first,
      content.violations(of: example, schemas[0], .response).isEmpty
    {
      return example
    }
    if let values = shape.values { return values.isEmpty ? .null : pick(values) }
    switch shape.type(preferring: depth > Self.optionalDepth) {
    case .null: return .null
    case .boolean: return .bool(random.next() & 1 == 1)
    case .integer: return NumberSample(shape, isInteger: true, name: name).value(&self)
    case .number: return NumberSample(shape, isInteger: false, name: name).value(&self)
    case .string: return .string(StringSample(shape, name: name).text(&self))
    case .array: return array(shape, name: name, depth: depth)
    case .object: return object(shape, name: name, depth: depth)
    }
  }

  private mutating func add(_ schema: Int, to shape: inout SchemaShape, depth: Int) {
    var random = random
    let program = content.program
    shape.add(schema, of: program) { alternatives in
      // An alternative that is not a collection ends a recursion.
      if depth > Self.optionalDepth,
        let simple = alternatives.firstIndex(where: {
          program.types(of: $0).isDisjoint(with: [.array, .object])
        })
      {
        return simple
      }
      return Int(random.next() % UInt64(max(alternatives.count, 1)))
    }
    self.random = random
  }

  private mutating func array(_ shape: SchemaShape, name: String, depth: Int) -> JSON {
    let least = max(shape.sizes[.minItems] ?? 0, shape.contains.map(\.least).max() ?? 0)
    let most = shape.sizes[.maxItems] ?? .max
    let usual = depth > Self.optionalDepth ? 0 : 1 + below(3)
    let size = min(
      max(least, usual, depth > Self.optionalDepth ? 0 : shape.prefix.count), most, 1_000)
    var elements: [JSON] = []
    let singular = name.hasSuffix("s") ? String(name.dropLast()) : name
    for index in 0..<size {
      var schemas = index < shape.prefix.count ? [shape.prefix[index]] : shape.rest
      if let contains = shape.contains.first, index < contains.least {
        schemas.append(contains.schema)
      }
      var element = value(schemas, name: singular, depth: depth + 1)
      for _ in 0..<10 where shape.isUnique && elements.contains(element) {
        element = value(schemas, name: singular, depth: depth + 1)
      }
      if shape.isUnique, elements.contains(element), elements.count >= least { break }
      elements.append(element)
    }
    return .array(elements)
  }

  private mutating func object(_ shape: SchemaShape, name: String, depth: Int) -> JSON {
    var members = shape.constants
    let required = shape.required.subtracting(shape.writeOnly)
    let names = Set(shape.members.keys).union(required).subtracting(shape.writeOnly).sorted()
    let most = shape.sizes[.maxProperties] ?? .max
    for name in required.sorted() + names.filter({ !required.contains($0) })
    where members[name] == nil {
      guard required.contains(name) || members.count < most else { break }
      guard required.contains(name) || depth <= Self.optionalDepth else { continue }
      let schemas = shape.members[name] ?? shape.additional
      // A member with the schema `false` must be left out.
      if schemas.contains(where: { isNever($0) }) { continue }
      members[name] = value(schemas, name: name, depth: depth + 1)
    }
    var index = 0
    let least =
      shape.sizes[.minProperties]
      ?? (shape.members.isEmpty && !shape.additional.isEmpty && depth <= Self.optionalDepth ? 2 : 0)
    while members.count < min(least, most), index < 1_000,
      !shape.additional.contains(where: { isNever($0) })
    {
      index += 1
      let name = "\(pick(SampleNames.words))\(index > 5 ? String(index) : "")"
      if members[name] == nil {
        members[name] = value(shape.additional, name: name, depth: depth + 1)
      }
    }
    return .dictionary(members)
  }

  private func isNever(_ schema: Int) -> Bool {
    if case .never? = content.program.nodes[schema].keywords.first { true } else { false }
  }
}

/// A number within the limits of a schema.
private struct NumberSample {
  private let shape: SchemaShape
  private let isInteger: Bool
  private let name: String

  init(_ shape: SchemaShape, isInteger: Bool, name: String) {
    self.shape = shape
    self.isInteger = isInteger
    self.name = name
  }

  func value(_ sampler: inout SchemaSampler) -> JSON {
    let usual = SampleNames.range(ofNumber: name, isInteger: isInteger)
    var (low, high) = (-Double.infinity, Double.infinity)
    let step = isInteger ? 1 : 0.01
    for (bound, limit) in shape.limits {
      guard let limit = limit.double else { continue }
      switch bound {
      case .minimum: low = max(low, limit)
      case .maximum: high = min(high, limit)
      case .exclusiveMinimum: low = max(low, isInteger ? limit.rounded(.down) + 1 : limit.nextUp)
      case .exclusiveMaximum: high = min(high, isInteger ? limit.rounded(.up) - 1 : limit.nextDown)
      }
    }
    switch (low.isFinite, high.isFinite) {
    case (true, true):
      if usual.lowerBound >= low, usual.upperBound <= high {
        (low, high) = (usual.lowerBound, usual.upperBound)
      }
    case (true, false):
      high = usual.upperBound > low ? usual.upperBound : low + max(low.magnitude, 100)
      low = max(low, min(usual.lowerBound, high))
    case (false, true):
      low = usual.lowerBound < high ? usual.lowerBound : high - max(high.magnitude, 100)
      high = min(high, max(usual.upperBound, low))
    case (false, false): (low, high) = (usual.lowerBound, usual.upperBound)
    }
    if let divisor = shape.divisor?.double, divisor > 0 {
      return multiple(of: divisor, low, high, &sampler)
    }
    guard isInteger else {
      let value = low + (high - low) * sampler.random.unit()
      let rounded = (value / step).rounded() * step
      let text = String(format: "%.2f", rounded)
      let result = Double(text) ?? value
      return .double(result >= low && result <= high ? result : value)
    }
    let (first, last) = (clamped(low.rounded(.up)), clamped(high.rounded(.down)))
    guard first <= last else { return .int(first) }
    let (span, isTooLong) = last.subtractingReportingOverflow(first)
    return .int(isTooLong ? first : first + sampler.below(span == .max ? span : span + 1))
  }

  private func multiple(
    of divisor: Double, _ low: Double, _ high: Double, _ sampler: inout SchemaSampler
  ) -> JSON {
    let (first, last) = (
      clamped((low / divisor).rounded(.up)), clamped((high / divisor).rounded(.down))
    )
    let count = first + sampler.below(max(min(last &- first, 1_000_000), 0) + 1)
    if let exact = shape.divisor?.int,
      let product = Optional(count.multipliedReportingOverflow(by: exact)),
      !product.overflow
    {
      return .int(product.partialValue)
    }
    let product = (shape.divisor?.decimal ?? 1) * Decimal(count)
    let value = Double(product.description) ?? 0
    return isInteger ? Int(exactly: value).map { .int($0) } ?? .double(value) : .double(value)
  }

  /// Returns the integer that is nearest to a number without a fraction.
  private func clamped(_ value: Double) -> Int { Int(max(min(value, 9.2e18), -9.2e18)) }
}
