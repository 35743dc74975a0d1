import Networking

/// Block scalars: literal ones with `|`, which keep line breaks, and folded ones with `>`.
///
/// Source: YAML 1.2.2, section 8.1.
extension YAMLReader {
  /// The line breaks that are kept at the end of a block scalar.
  private enum Chomping {
    /// All of them: `+`.
    case keep
    /// One.
    case clip
    /// None: `-`.
    case strip
  }

  /// Reads a block scalar whose indicator is at the position.
  ///
  /// - Parameter parent: The column of the parent, or -1 for a root.
  /// - Returns: The text.
  /// - Throws: ``DocumentSyntaxError``.
  mutating func blockScalar(parent: Int) throws(DocumentSyntaxError) -> String {
    let isFolded = scanner.next == UInt8(ascii: ">")
    let (chomping, explicit) = try blockScalarHeader(parent: parent)
    var indentation = explicit ?? -1
    var text: [UInt8] = []
    /// The line breaks since the last line with text.
    var breakCount = 0
    var (isFirst, wasMoreIndented) = (true, false)
    /// The longest empty line before the first line with text.
    var longestEmptyLine = 0
    while scanner.next != 0 {
      let spaceCount = scanner.indentation
      if indentation < 0 || spaceCount < indentation {
        // The line is empty, the first one, or the end.
        scanner.position = scanner.lineStart + spaceCount
        if scanner.isAtBreak {
          longestEmptyLine = max(longestEmptyLine, spaceCount)
          scanner.skipBreak()
          breakCount += 1
          continue
        }
        guard scanner.next != 0x09 || spaceCount > parent else {
          throw scanner.error("a tab is not allowed in the indentation")
        }
        guard indentation < 0, scanner.next != 0, spaceCount > parent else { break }
        guard longestEmptyLine <= spaceCount else {
          throw scanner.error("an empty line before this one has more spaces than this line")
        }
        indentation = spaceCount
      }
      scanner.position = scanner.lineStart
      guard indentation > 0 || !scanner.isAtAnyMarker else { break }
      scanner.position = scanner.lineStart + indentation
      let start = scanner.position
      if scanner.isAtBreak {
        scanner.skipBreak()
        breakCount += 1
        continue
      }
      guard scanner.next != 0 else { break }
      let isMoreIndented = YAMLScanner.isBlank(scanner.next)
      _ = scanner.restOfLine()
      let isJoined = isFolded && !isFirst && !isMoreIndented && !wasMoreIndented
      if isJoined, breakCount == 1 {
        text.append(0x20)
      } else {
        text += Array(repeating: 0x0A, count: isJoined ? breakCount - 1 : breakCount)
      }
      scanner.append(start..<scanner.position, to: &text)
      (isFirst, wasMoreIndented, breakCount) = (false, isMoreIndented, 0)
      guard scanner.isAtBreak else { break }
      scanner.skipBreak()
      breakCount = 1
    }
    return String(decoding: text + Self.end(chomping, isFirst, breakCount), as: UTF8.self)
  }

  private static func end(_ chomping: Chomping, _ isEmpty: Bool, _ breakCount: Int) -> [UInt8] {
    switch chomping {
    case .keep: Array(repeating: 0x0A, count: breakCount)
    case .clip: isEmpty || breakCount == 0 ? [] : [0x0A]
    case .strip: []
    }
  }

  /// Reads the line of the indicator.
  ///
  /// - Returns: The chomping, and the indentation if the line states it.
  private mutating func blockScalarHeader(
    parent: Int
  ) throws(DocumentSyntaxError) -> (Chomping, Int?) {
    var (chomping, indentation): (Chomping?, Int?)
    scanner.position += 1
    while !scanner.isAtSpace {
      switch scanner.next {
      case UInt8(ascii: "+") where chomping == nil: chomping = .keep
      case UInt8(ascii: "-") where chomping == nil: chomping = .strip
      case 0x31...0x39 where indentation == nil:
        indentation = max(parent, 0) + Int(scanner.next) - 0x30
      default: throw scanner.error("expected +, - or a digit from 1 to 9 after | or >")
      }
      scanner.position += 1
    }
    let end = scanner.position
    scanner.skipBlanks()
    if scanner.next == UInt8(ascii: "#"), scanner.position > end { _ = scanner.restOfLine() }
    guard scanner.isAtBreak || scanner.next == 0 else {
      throw scanner.error("expected the end of the line after | or >")
    }
    if scanner.isAtBreak { scanner.skipBreak() }
    return (chomping ?? .clip, indentation)
  }
}
