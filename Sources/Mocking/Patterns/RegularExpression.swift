import Networking

/// A regular expression that is searched in linear time.
///
/// The time of a search is at most proportional to the length of the text times the size of the
/// expression, whatever the expression: the search follows all alternatives at once and never goes
/// back (Thompson's construction, simulated as by Pike). Text from a stranger can therefore not
/// stop a server, as it can with an engine that backtracks.
///
/// | syntax | matches |
/// |---|---|
/// | `a`, `\.`, `\n`, `\t`, `\x41`, `\u00e9`, `\u{1F600}` | a Unicode scalar |
/// | `.` | a scalar except line breaks |
/// | `[abc]`, `[^a-z0-9]`, `[[:alpha:]]` | a scalar of a class, or one outside it |
/// | `\d` `\w` `\s`, `\D` `\W` `\S`, `\p{Lu}`, `\P{L}` | digits, word characters, space, categories |
/// | `^` `$`, `\A` `\z`, `\b` `\B` | the start and the end of the text, a word boundary |
/// | `ab`, `a\|b`, `(a)`, `(?:a)`, `(?<name>a)` | a sequence, alternatives, a group |
/// | `*` `+` `?` `{3}` `{3,}` `{3,5}` | repetitions, at most 1,000 each |
/// | `(?i)`, `(?i:a)`, `(?s)`, `(?m)` | flags: ignore case, `.` matches line breaks, `^` and `$` match at lines |
///
/// A lazy repetition, such as `a*?`, matches the same texts as `a*`. `\d`, `\w` and `\s` follow
/// Unicode. Case is ignored by the simple mappings of Unicode, one scalar to one scalar. `$` matches
/// only at the end of the text, not before a line break at the end. Back-references,
/// look-around, possessive repetitions, atomic groups and set operations in classes are errors.
///
/// Source: R. Cox, Regular Expression Matching Can Be Simple And Fast; Unicode Technical Standard
/// 18, level 1.
package final class RegularExpression: Sendable {
  /// The expression as written.
  let text: String
  private let program: RegexProgram?
  /// The error in the expression with its position, or `nil` if it is valid.
  package let validationError: String?

  /// Compiles an expression.
  ///
  /// - Parameter text: The expression. A malformed one matches nothing.
  package init(_ text: String) {
    self.text = text
    do throws(RegexError) {
      program = try RegexProgram(try RegexParser.parse(text))
      validationError = nil
    } catch {
      program = nil
      validationError = error.description
    }
  }

  /// Returns whether a text contains a match.
  package func isFound(in text: String) -> Bool {
    var work = 0
    return isFound(in: text, counting: &work)
  }

  /// Returns whether a text contains a match.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - work: The number of instructions visited. This method adds its own.
  ///   - limit: The number of instructions, beyond which the search ends.
  /// - Returns: Whether there is a match. `false` for a malformed expression, and for a search that has
  ///   ended at the limit.
  package func isFound(in text: String, counting work: inout Int, limit: Int = .max) -> Bool {
    guard let program else { return false }
    var search = RegexSearch(program)
    let isFound = search.run(text, limit: limit)
    work += search.work
    return isFound
  }
}

extension RegularExpression: Hashable {
  package static func == (left: RegularExpression, right: RegularExpression) -> Bool {
    left.text == right.text
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// An error in a regular expression.
package struct RegexError: Error, Hashable, CustomStringConvertible {
  package let reason: String
  /// The position in Unicode scalars, counted from 0.
  ///
  /// `nil` for the whole expression.
  let position: Int?

  /// Creates an error.
  package init(reason: String, position: Int? = nil) {
    self.reason = reason
    self.position = position
  }

  package var description: String {
    position.map { "\(reason) at character \($0 + 1)" } ?? reason
  }
}

/// One search for a match of a program in a text.
///
/// A thread is an instruction that may match the next scalar. The set of threads has at most one
/// entry for each instruction, so each scalar costs at most one visit of each instruction.
private struct RegexSearch {
  /// The threads at a position in the text, without duplicates.
  private struct Threads {
    var instructions: [Int] = []
    /// The generation in which each instruction was visited last.
    var visits: [Int]
    var generation = 1

    init(count: Int) {
      visits = Array(repeating: 0, count: count)
    }

    mutating func removeAll() {
      instructions.removeAll(keepingCapacity: true)
      generation += 1
    }
  }

  private let program: RegexProgram
  private var current: Threads
  private var next: Threads
  private var stack: [Int] = []
  private(set) var work: Int

  init(_ program: RegexProgram) {
    self.program = program
    // To clear an entry of the threads takes a fraction of a visit.
    work = program.instructions.count / 16
    current = Threads(count: program.instructions.count)
    next = Threads(count: program.instructions.count)
  }

  /// Returns whether there is a match, or `false` after more visits than a limit.
  mutating func run(_ text: String, limit: Int) -> Bool {
    var rest = text.unicodeScalars.makeIterator()
    var place = RegexPlace(before: nil, rest.next())
    while work <= limit {
      work += 1
      if place.before == nil || !program.isAnchored, program.mayStart(at: place.after) {
        if Self.follow(0, at: place, &current, program, &stack, &work) { return true }
      }
      if current.instructions.isEmpty, program.isAnchored { return false }
      guard let scalar = place.after else { return false }
      place = RegexPlace(before: scalar, rest.next())
      for index in current.instructions where program.matches(scalar, at: index) {
        if Self.follow(index + 1, at: place, &next, program, &stack, &work) { return true }
      }
      swap(&current, &next)
      next.removeAll()
    }
    return false
  }

  /// Adds the threads that an instruction leads to without a scalar.
  ///
  /// - Returns: Whether the end of the program is reached, which is a match.
  private static func follow(
    _ start: Int, at place: RegexPlace, _ threads: inout Threads, _ program: RegexProgram,
    _ stack: inout [Int], _ work: inout Int
  ) -> Bool {
    stack.removeAll(keepingCapacity: true)
    stack.append(start)
    while let index = stack.popLast() {
      guard threads.visits[index] != threads.generation else { continue }
      threads.visits[index] = threads.generation
      work += 1
      switch program.instructions[index] {
      case .match: return true
      case .jump(let target): stack.append(target)
      case .split(let first, let second):
        stack.append(second)
        stack.append(first)
      case .anchor(let anchor):
        if place.satisfies(anchor) { stack.append(index + 1) }
      case .scalar, .set: threads.instructions.append(index)
      }
    }
    return false
  }
}

/// A position between two scalars of a text.
struct RegexPlace {
  /// The scalar before the position.
  ///
  /// `nil` at the start of the text.
  let before: Unicode.Scalar?
  /// The scalar after the position.
  ///
  /// `nil` at the end of the text.
  let after: Unicode.Scalar?

  init(before: Unicode.Scalar?, _ after: Unicode.Scalar?) {
    self.before = before
    self.after = after
  }

  func satisfies(_ anchor: RegexNode.Anchor) -> Bool {
    switch anchor {
    case .start: before == nil
    case .end: after == nil
    case .startOfLine: before == nil || ScalarSet.lineBreaks.contains(before) && !isInLineBreak
    case .endOfLine: after == nil || ScalarSet.lineBreaks.contains(after) && !isInLineBreak
    case .wordBoundary: ScalarSet.word.contains(before) != ScalarSet.word.contains(after)
    case .noWordBoundary: ScalarSet.word.contains(before) == ScalarSet.word.contains(after)
    }
  }

  /// Whether the position is between CR and LF.
  private var isInLineBreak: Bool { before == "\r" && after == "\n" }
}

extension ScalarSet {
  fileprivate func contains(_ scalar: Unicode.Scalar?) -> Bool {
    scalar.map(contains) ?? false
  }
}
