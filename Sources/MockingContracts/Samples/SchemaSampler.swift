import Foundation
import Mocking
import MockingDocuments
import Networking

/// A maker of values that keep a schema, from a seed.
///
/// The same schema and seed always make the same value. Strings with common names, such as
/// `firstName`, `city` or `createdAt`, look like real ones.
struct SchemaSampler {
  /// The depth from which optional members are left out, so that recursive schemas end.
  private static let optionalDepth = 4
  /// The depth from which a schema without a type has no objects and no arrays.
  private static let scalarDepth = 8
  /// The depth from which schemas without a finite value have none.
  private static let endlessDepth = 2
  private static let maximumDepth = 24
  private static let attemptCount = 25
  /// The limit for the work of all attempts, in bytes of values, which bounds the size of a sample.
  private static let maximumWork = 4_000_000
  /// The work for a schema of a value.
  private static let workPerSchema = 200
  /// The number of instructions of a pattern that count as one byte.
  private static let patternWorkPerByte = 4
  /// The limit for the steps of the check of a sample.
  private static let maximumStepCount = 1_000_000

  private let content: Contract.Content
  /// Whether the examples and defaults of schemas are used.
  private let usesExamples: Bool
  var random: SplitMix64
  /// The work that is left, without which further values are `null`.
  private var remainingWork: Int
  /// Whether the examples of schemas keep them, by schema.
  private var validExamples: [Int: Bool] = [:]

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
    var work = 0
    return sample(schema, of: content, seed: seed, usesExamples: usesExamples, counting: &work)
  }

  /// Makes a value within a limit, and adds its work, in bytes of values, to a number.
  static func sample(
    _ schema: Int, of content: Contract.Content, seed: UInt64, usesExamples: Bool = true,
    maximumWork: Int = maximumWork, counting work: inout Int
  ) -> (value: JSON, isValid: Bool) {
    var last = JSON.null
    var remainingWork = maximumWork
    defer { work += maximumWork - remainingWork }
    let isEndless = content.program.endlessSchemas.contains(schema)
    for attempt in 0..<attemptCount where remainingWork > 0 {
      var sampler = SchemaSampler(
        content: content,
        // Examples may be the reason for a violation.
        usesExamples: usesExamples && attempt < 2,
        random: SplitMix64(seed: seed, draw: attempt), remainingWork: remainingWork)
      let value = sampler.value(schema, name: "", depth: 0)
      remainingWork = sampler.remainingWork
      if attempt == 0 { last = value }
      if isEndless { break }
      let violations = content.violations(
        of: value, schema, .response, maximumStepCount: maximumStepCount)
      if violations.isEmpty { return (value, true) }
      if violations[0].isIncomplete { break }
    }
    return (last, false)
  }

  private init(
    content: Contract.Content, usesExamples: Bool, random: SplitMix64, remainingWork: Int
  ) {
    self.content = content
    self.usesExamples = usesExamples
    self.random = random
    self.remainingWork = remainingWork
  }

  // MARK: Work

  /// Whether some work is left.
  var mayContinue: Bool { remainingWork > 0 }

  /// Counts work in bytes of values.
  mutating func spend(_ work: Int) { remainingWork -= work }

  /// Returns whether a text contains a match of a pattern, and counts the work of the search.
  mutating func isFound(_ pattern: SchemaPattern, in text: String) -> Bool {
    var work = 0
    let isFound = pattern.isFound(
      in: text, counting: &work, limit: max(remainingWork, 0) * Self.patternWorkPerByte)
    spend(work / Self.patternWorkPerByte)
    return isFound
  }

  /// Counts the bytes of a value, and returns the value.
  private mutating func spending(_ value: JSON) -> JSON {
    spend(value.totalSize)
    return value
  }

  // MARK: Randomness

  /// Returns a random integer from 0 up to but not including a limit.
  mutating func below(_ limit: Int) -> Int { limit > 1 ? Int(random.next() % UInt64(limit)) : 0 }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  // MARK: Values

  private mutating func value(_ schema: Int, name: String, depth: Int) -> JSON {
    value([schema], name: name, depth: depth)
  }

  private mutating func value(_ schemas: [Int], name: String, depth: Int) -> JSON {
    guard depth < Self.maximumDepth, mayContinue else { return .null }
    if depth >= Self.endlessDepth, isEndless(schemas) { return .null }
    var shape = SchemaShape()
    for schema in schemas { add(schema, to: &shape, depth: depth) }
    spend(Self.workPerSchema * max(shape.visited.count, 1))
    if usesExamples, schemas.count == 1, let example = shape.examples.first,
      isValid(example, schemas[0])
    {
      return spending(example)
    }
    if let values = shape.values { return values.isEmpty ? .null : spending(pick(values)) }
    let type = shape.type(
      preferringNull: depth > Self.optionalDepth, orScalar: depth > Self.scalarDepth)
    switch type {
    case .null: return .null
    case .boolean: return .bool(random.next() & 1 == 1)
    case .integer: return NumberSample(shape, isInteger: true, name: name).value(&self)
    case .number: return NumberSample(shape, isInteger: false, name: name).value(&self)
    case .string: return spending(.string(StringSample(shape, name: name).text(&self)))
    case .array: return array(shape, name: name, depth: depth)
    case .object: return object(shape, name: name, depth: depth)
    }
  }

  /// Returns whether the example of a schema keeps it, which is checked once.
  private mutating func isValid(_ example: JSON, _ schema: Int) -> Bool {
    if let isValid = validExamples[schema] { return isValid }
    let isValid = content.violations(
      of: example, schema, .response, maximumStepCount: Self.maximumStepCount
    ).isEmpty
    validExamples[schema] = isValid
    return isValid
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
    let usual = depth > Self.optionalDepth || isEndless(shape.rest) ? 0 : 1 + below(3)
    let size = min(
      max(least, usual, depth > Self.optionalDepth ? 0 : shape.prefix.count), most, 1_000)
    var elements: [JSON] = []
    var known: Set<JSON> = []
    let singular = name.hasSuffix("s") ? String(name.dropLast()) : name
    for index in 0..<size {
      var schemas = index < shape.prefix.count ? [shape.prefix[index]] : shape.rest
      if let contains = shape.contains.first, index < contains.least {
        schemas.append(contains.schema)
      }
      var element = value(schemas, name: singular, depth: depth + 1)
      for _ in 0..<10 where shape.isUnique && known.contains(element) {
        element = value(schemas, name: singular, depth: depth + 1)
      }
      let isNew = !shape.isUnique || known.insert(element).inserted
      if !isNew, elements.count >= least { break }
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
      // A member that no value matches must be left out.
      if schemas.contains(where: { isNever($0) }) { continue }
      if !required.contains(name), isEndless(schemas) { continue }
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

  /// Returns whether no value matches one of several schemas, because it would not end.
  private func isEndless(_ schemas: [Int]) -> Bool {
    let endless = content.program.endlessSchemas
    return !endless.isEmpty && schemas.contains(where: endless.contains)
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
