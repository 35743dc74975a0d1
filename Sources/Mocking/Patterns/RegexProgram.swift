import Networking

/// A node of the syntax tree of a regular expression.
package enum RegexNode: Sendable {
  /// A condition on a position in the text.
  package enum Anchor: Sendable {
    case start
    case end
    case startOfLine
    case endOfLine
    case wordBoundary
    case noWordBoundary
  }

  case empty
  case scalar(Unicode.Scalar)
  case set(ScalarSet)
  case anchor(Anchor)
  case sequence([RegexNode])
  case alternatives([RegexNode])
  /// A repetition. Without a maximum, it is unlimited.
  indirect case repetition(RegexNode, least: Int, most: Int?)
}

/// The instructions of a compiled regular expression.
struct RegexProgram: Sendable {
  enum Instruction: Sendable {
    /// Continues if the next scalar is equal.
    case scalar(Unicode.Scalar)
    /// Continues if the next scalar is in the set with an index.
    case set(Int)
    /// Continues if the position satisfies an anchor.
    case anchor(RegexNode.Anchor)
    case jump(Int)
    /// Continues at both instructions.
    case split(Int, Int)
    case match
  }

  /// The limit for the number of instructions, which bounds the time for each scalar.
  static let maximumInstructionCount = 5_000
  /// The limit for the number of nodes visited by the compiler.
  ///
  /// Repetitions of an empty group have no instructions but would otherwise take time.
  private static let maximumNodeCount = 50_000

  private(set) var instructions: [Instruction] = []
  private var sets: [ScalarSet] = []
  private var nodeCount = 0
  /// Whether a match begins only at the start of the text.
  private(set) var isAnchored = false
  /// The ASCII scalars with which a match may begin.
  ///
  /// `nil` if a match may be empty.
  private var firstScalars: ASCIISet?

  /// Compiles a syntax tree.
  ///
  /// - Throws: ``RegexError`` if the program is too large.
  init(_ node: RegexNode) throws(RegexError) {
    try emit(node)
    instructions.append(.match)
    if case .anchor(.start) = instructions[0] { isAnchored = true }
    firstScalars = findFirstScalars()
  }

  /// Returns whether an instruction matches a scalar.
  func matches(_ scalar: Unicode.Scalar, at index: Int) -> Bool {
    switch instructions[index] {
    case .scalar(let wanted): scalar == wanted
    case .set(let set): sets[set].contains(scalar)
    case .anchor, .jump, .split, .match: false
    }
  }

  /// Returns whether a match may begin with a scalar, or at the end of the text for `nil`.
  ///
  /// Fast path: most scalars of a text cannot begin a match.
  func mayStart(at scalar: Unicode.Scalar?) -> Bool {
    guard let firstScalars else { return true }
    guard let scalar else { return false }
    return !scalar.isASCII || firstScalars.contains(scalar)
  }

  // MARK: Compiling

  private mutating func emit(_ node: RegexNode) throws(RegexError) {
    nodeCount += 1
    guard instructions.count < Self.maximumInstructionCount, nodeCount < Self.maximumNodeCount
    else {
      throw RegexError(
        reason: "the expression is too large: more than "
          + "\(Self.maximumInstructionCount) instructions after its repetitions are expanded")
    }
    switch node {
    case .empty: break
    case .scalar(let scalar): instructions.append(.scalar(scalar))
    case .set(let set):
      instructions.append(.set(sets.count))
      sets.append(set)
    case .anchor(let anchor): instructions.append(.anchor(anchor))
    case .sequence(let nodes): for node in nodes { try emit(node) }
    case .alternatives(let nodes): try emit(alternatives: nodes)
    case .repetition(let node, let least, let most):
      try emit(repetitionOf: node, least: least, most: most)
    }
  }

  private mutating func emit(alternatives nodes: [RegexNode]) throws(RegexError) {
    var jumps: [Int] = []
    for node in nodes.dropLast() {
      let split = reserve()
      try emit(node)
      jumps.append(reserve())
      instructions[split] = .split(split + 1, instructions.count)
    }
    if let last = nodes.last { try emit(last) }
    for jump in jumps { instructions[jump] = .jump(instructions.count) }
  }

  private mutating func emit(
    repetitionOf node: RegexNode, least: Int, most: Int?
  ) throws(RegexError) {
    var start = instructions.count
    for _ in 0..<least {
      start = instructions.count
      try emit(node)
    }
    guard let most else {
      if least > 0 {
        instructions.append(.split(start, instructions.count + 1))
      } else {
        let split = reserve()
        try emit(node)
        instructions.append(.jump(split))
        instructions[split] = .split(split + 1, instructions.count)
      }
      return
    }
    var splits: [Int] = []
    for _ in least..<most {
      splits.append(reserve())
      try emit(node)
    }
    for split in splits { instructions[split] = .split(split + 1, instructions.count) }
  }

  /// Adds an instruction that is set later, and returns its index.
  private mutating func reserve() -> Int {
    instructions.append(.match)
    return instructions.count - 1
  }

  private func findFirstScalars() -> ASCIISet? {
    var first = ASCIISet()
    var isVisited = Array(repeating: false, count: instructions.count)
    var stack = [0]
    while let index = stack.popLast() {
      guard !isVisited[index] else { continue }
      isVisited[index] = true
      switch instructions[index] {
      case .match: return nil
      case .jump(let target): stack.append(target)
      case .split(let one, let other): stack += [one, other]
      case .anchor: stack.append(index + 1)
      case .scalar(let scalar): first.insert(scalar)
      case .set(let set): first.formUnion(sets[set].ascii)
      }
    }
    return first
  }
}
