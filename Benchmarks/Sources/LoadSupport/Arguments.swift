/// A command line with a command and options with one value each: `get --at-once 8`.
public struct Arguments: Sendable {
  /// The command.
  public let command: String
  private let values: [String: String]

  /// Parses the command line of the process, without validation of the option names.
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
    command = words.first ?? ""
    self.values = values
  }

  /// The value of an option, or `nil` if the option is missing.
  ///
  /// - Parameter name: The name of the option without hyphens.
  public subscript(name: String) -> String? { values["--" + name] }

  /// Returns the value of an option as a number.
  ///
  /// - Parameters:
  ///   - name: The name of the option without hyphens.
  ///   - defaultValue: The result if the option is missing or not a number.
  /// - Returns: The number.
  public func number(_ name: String, or defaultValue: Int) -> Int {
    self[name].flatMap(Int.init) ?? defaultValue
  }
}
