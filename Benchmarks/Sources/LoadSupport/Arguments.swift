/// A command line of one word that says what to do, and of options with a value each: `get --at-once 8`.
public struct Arguments: Sendable {
  /// What to do.
  public let work: String
  private let values: [String: String]

  /// Reads the process's own command line, without looking at what its options are called.
  public init() {
    let words = CommandLine.arguments.dropFirst()
    var values: [String: String] = [:]
    var name: String?
    for word in words.dropFirst() {
      if let open = name {
        values[open] = word
        name = nil
      } else {
        name = word
      }
    }
    work = words.first ?? ""
    self.values = values
  }

  /// An option's value; nil where it is not given.
  ///
  /// - Parameter name: the option's name without its hyphens.
  public subscript(name: String) -> String? { values["--" + name] }

  /// An option's value as a number.
  ///
  /// - Parameters:
  ///   - name: the option's name without its hyphens.
  ///   - absent: what it is where it is not given, or no number.
  /// - Returns: the number.
  public func number(_ name: String, or absent: Int) -> Int {
    self[name].flatMap(Int.init) ?? absent
  }
}
