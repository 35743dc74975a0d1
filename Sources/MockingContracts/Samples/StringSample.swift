import Foundation
import Mocking
import Networking

/// A string that keeps the format, the patterns and the lengths of a schema.
struct StringSample {
  private let shape: SchemaShape
  private let name: String

  init(_ shape: SchemaShape, name: String) {
    self.shape = shape
    self.name = name
  }

  func text(_ sampler: inout SchemaSampler) -> String {
    let least = shape.sizes[.minLength] ?? 0
    let most = max(shape.sizes[.maxLength] ?? .max, 0)
    func fits(_ text: String) -> Bool {
      (least...max(least, most)).contains(text.unicodeScalars.count)
        && shape.patterns.allSatisfy { sampler.isFound($0, in: text) }
    }
    if let format = shape.format, let text = Self.text(ofFormat: format, name: name, &sampler),
      fits(text)
    {
      return text
    }
    if let pattern = shape.patterns.first(where: { $0.node != nil }), let node = pattern.node {
      let usual = SampleNames.text(for: name, &sampler)
      if fits(usual) { return usual }
      for attempt in 0..<40 where sampler.mayContinue {
        // A longer text is rather unique, and looks more like a real one.
        var sample = PatternSample(isVaried: attempt >= 8)
        sample.append(node, extra: (attempt + 7) % 8, &sampler)
        if fits(sample.text) { return sample.text }
      }
    }
    let usual = SampleNames.text(for: name, &sampler)
    if fits(usual) { return usual }
    return Self.adjusted(usual, least, most, &sampler)
  }

  /// Returns a text with a length in a range.
  private static func adjusted(
    _ text: String, _ least: Int, _ most: Int, _ sampler: inout SchemaSampler
  ) -> String {
    var text = text
    let limit = min(max(least, 0), 1_000_000)
    var count = text.unicodeScalars.count
    while count < limit {
      var word = (text.isEmpty ? "" : " ") + sampler.pick(SampleNames.words)
      // A length that is nearly reached is filled up by letters.
      let missing = limit - count - word.unicodeScalars.count
      if missing < 4 { word += String(repeating: "a", count: max(missing, 0)) }
      text += word
      count += word.unicodeScalars.count
    }
    guard count > most else { return text }
    var result = ""
    result.unicodeScalars.append(contentsOf: text.unicodeScalars.prefix(most))
    if result.last == " ", most > 0 { result = result.dropLast() + "a" }
    return result
  }

  // MARK: Formats

  private static func text(
    ofFormat format: String, name: String, _ sampler: inout SchemaSampler
  ) -> String? {
    let time = SampleNames.time(&sampler)
    switch format {
    case "date-time": return time
    case "date": return String(time.prefix(10))
    case "time": return String(time.suffix(9))
    case "duration": return "PT\(1 + sampler.below(48))H"
    case "email", "idn-email": return SampleNames.email(&sampler)
    case "hostname", "idn-hostname": return "\(sampler.pick(SampleNames.words)).example.com"
    case "ipv4": return "192.0.2.\(1 + sampler.below(254))"
    case "ipv6": return "2001:db8::\(String(1 + sampler.below(65_534), radix: 16))"
    case "uri", "iri", "url": return SampleNames.url(&sampler)
    case "uri-reference", "iri-reference": return "/\(sampler.pick(SampleNames.words))"
    case "uri-template": return "/\(sampler.pick(SampleNames.words))/{id}"
    case "uuid": return SampleNames.uuid(&sampler)
    case "json-pointer": return "/\(sampler.pick(SampleNames.words))"
    case "relative-json-pointer": return "0/\(sampler.pick(SampleNames.words))"
    case "regex": return "^[a-z]+$"
    case "byte": return Data(sampler.pick(SampleNames.words).utf8).base64EncodedString()
    case "password": return "correct-horse-\(sampler.below(1_000))"
    default: return nil
    }
  }
}

/// A text that a regular expression matches.
private struct PatternSample {
  private(set) var text = ""
  /// The number of visited nodes, of which a repetition of nothing has many without any text.
  private var nodeCount = 0
  private static let maximumNodeCount = 20_000
  /// Whether a set has characters of all groups, which a condition on the whole text may need.
  private let isVaried: Bool

  init(isVaried: Bool) { self.isVaried = isVaried }

  /// Appends a match of a node.
  ///
  /// - Parameters:
  ///   - node: The node.
  ///   - extra: The maximum number of repetitions beyond the least one.
  ///   - sampler: The source of random numbers.
  mutating func append(_ node: RegexNode, extra: Int, _ sampler: inout SchemaSampler) {
    nodeCount += 1
    sampler.spend(8)
    guard text.utf8.count < 10_000, nodeCount <= Self.maximumNodeCount, sampler.mayContinue else {
      return
    }
    switch node {
    case .empty, .anchor: break
    case .scalar(let scalar): text.unicodeScalars.append(scalar)
    case .set(let set):
      if let scalar = scalar(of: set, &sampler) { text.unicodeScalars.append(scalar) }
    case .sequence(let nodes): for node in nodes { append(node, extra: extra, &sampler) }
    case .alternatives(let nodes): append(sampler.pick(nodes), extra: extra, &sampler)
    case .repetition(let node, let least, let most):
      let limit = min(most ?? .max, least + extra)
      for _ in 0..<(least + sampler.below(limit - least + 1))
      where nodeCount <= Self.maximumNodeCount && sampler.mayContinue {
        append(node, extra: extra, &sampler)
      }
    }
  }

  /// Letters and digits come first, because they look best.
  private static let groups: [ClosedRange<UInt8>] = [
    0x61...0x7A, 0x30...0x39, 0x41...0x5A, 0x20...0x7E,
  ]

  private func scalar(of set: ScalarSet, _ sampler: inout SchemaSampler) -> Unicode.Scalar? {
    let start = isVaried ? sampler.below(Self.groups.count) : 0
    for group in Self.groups[start...] + Self.groups[..<start] {
      let scalars = group.map { Unicode.Scalar($0) }.filter(set.contains)
      if !scalars.isEmpty { return sampler.pick(scalars) }
    }
    if let first = set.firstOfRanges { return first }
    for range in [0x0...0x2FF, 0x300...0x2FFF, 0x3000...0x9FFF, 0x1F300...0x1F64F] {
      // A search for a property takes less time for a scalar than a value does for a byte.
      sampler.spend(range.count / 8)
      for value in range {
        if let scalar = Unicode.Scalar(UInt32(value)), set.contains(scalar) { return scalar }
      }
    }
    return nil
  }
}
