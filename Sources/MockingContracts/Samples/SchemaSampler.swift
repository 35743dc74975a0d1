import Foundation
import Mocking
import MockingDocuments
import MockingResources
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
  /// The number of attempts after which a value without some optional members is used.
  private static let repairedAttemptCount = 3
  /// The limit for the work of all attempts, which bounds the size of a sample.
  static let maximumWork = 4_000_000
  /// The work for a schema of a value.
  private static let workPerSchema = 200
  /// The number of instructions of a pattern that count as one byte.
  private static let patternWorkPerByte = 4

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
  ///   - maximumWork: The limit for the work: the bytes of values, and the steps of checks.
  ///   - work: The number to which the work is added.
  /// - Returns: The first value that keeps the schema. A schema that no value keeps, or that is hard
  ///   to satisfy, has the value with the fewest violations.
  static func sample(
    _ schema: Int, of content: Contract.Content, seed: UInt64, usesExamples: Bool = true,
    maximumWork: Int = maximumWork, counting work: inout Int
  ) -> SchemaSample {
    var best: SchemaSample?
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
      guard remainingWork > 0 else {
        return best ?? SchemaSample(value: value, violations: [], isValid: false)
      }
      var check = SampleCheck(schema, of: content, maximumStepCount: remainingWork)
      let sample = check.repaired(value)
      remainingWork -= check.stepCount
      if sample.isValid, sample.value == value { return sample }
      if best.map({ sample.violations.count < $0.violations.count }) ?? true { best = sample }
      // Another value may keep the schema with all of its members.
      if attempt >= repairedAttemptCount, let best, best.isValid { return best }
      if isEndless || sample.violations.contains(where: \.isIncomplete) { break }
    }
    return best ?? SchemaSample(value: .null, violations: [], isValid: false)
  }

  /// Makes a value without a limit of the caller.
  static func sample(
    _ schema: Int, of content: Contract.Content, seed: UInt64, usesExamples: Bool = true
  ) -> SchemaSample {
    var work = 0
    return sample(schema, of: content, seed: seed, usesExamples: usesExamples, counting: &work)
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
    var choice = AlternativeChoice(random: random, prefersScalars: depth > Self.optionalDepth)
    let shape = SchemaShape(schemas, of: content.program, choosing: &choice)
    random = choice.random
    spend(Self.workPerSchema * max(shape.visited.count, 1))
    if usesExamples, schemas.count == 1, let example = shape.examples.first,
      isValid(example, schemas[0])
    {
      return spending(example)
    }
    if let values = shape.values { return spending(valid(values, schemas)) }
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
    let isValid = keeps(example, [schema])
    validExamples[schema] = isValid
    return isValid
  }

  /// Returns whether a value keeps schemas, and counts the steps.
  private mutating func keeps(_ value: JSON, _ schemas: [Int]) -> Bool {
    schemas.allSatisfy { schema in
      var check = SampleCheck(schema, of: content, maximumStepCount: max(remainingWork, 0))
      defer { spend(check.stepCount) }
      return check.violations(of: value).isEmpty
    }
  }

  /// Returns one of the values of an enumeration, if possible one that keeps the schemas.
  private mutating func valid(_ values: [JSON], _ schemas: [Int]) -> JSON {
    guard !values.isEmpty else { return .null }
    let start = below(values.count)
    for offset in values.indices where values.count > 1 {
      let value = values[(start + offset) % values.count]
      if keeps(value, schemas) { return value }
    }
    return values[start]
  }

  private mutating func array(_ shape: SchemaShape, name: String, depth: Int) -> JSON {
    let least = max(shape.sizes[.minItems] ?? 0, shape.contains.map(\.least).max() ?? 0)
    let most = shape.sizes[.maxItems] ?? .max
    let usual = depth > Self.optionalDepth || isEndless(shape.rest) ? 0 : 1 + below(3)
    let size = min(
      max(least, usual, depth > Self.optionalDepth ? 0 : shape.prefix.count), most, 1_000)
    var elements: [JSON] = []
    var known: Set<JSON> = []
    let elementName = name.singular
    for index in 0..<size {
      var schemas = index < shape.prefix.count ? [shape.prefix[index]] : shape.rest
      if let contains = shape.contains.first, index < contains.least {
        schemas.append(contains.schema)
      }
      var element = value(schemas, name: elementName, depth: depth + 1)
      for _ in 0..<10 where shape.isUnique && known.contains(element) {
        element = value(schemas, name: elementName, depth: depth + 1)
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
      if schemas.contains(where: content.program.isNever) { continue }
      if !required.contains(name),
        isEndless(schemas) || !shape.closed.allSatisfy({ $0.allows(name) })
      {
        continue
      }
      members[name] = value(schemas, name: name, depth: depth + 1)
    }
    var index = 0
    let least =
      shape.sizes[.minProperties]
      ?? (shape.members.isEmpty && !shape.additional.isEmpty && depth <= Self.optionalDepth ? 2 : 0)
    while members.count < min(least, most), index < 1_000,
      !shape.additional.contains(where: content.program.isNever)
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
}
