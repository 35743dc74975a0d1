/// A fuzz target: a function that checks properties of the code for any input.
struct FuzzTarget: Sendable {
  /// The name, which is also the name of the folder with the seeds.
  let name: String
  /// The maximum length of an input, in bytes.
  let maximumLength: Int
  /// The check, which traps if a property does not hold.
  let check: @Sendable (_ input: FuzzInput) -> Void

  init(
    _ name: String, maximumLength: Int = 4_096,
    check: @escaping @Sendable (_ input: FuzzInput) -> Void
  ) {
    self.name = name
    self.maximumLength = maximumLength
    self.check = check
  }

  /// All targets, in the order in which `Tests/Fuzzing/run` runs them.
  static let all: [FuzzTarget] = {
    var targets: [FuzzTarget] = [
      .responseHeads, .requests, .chunks, .mockResponses, .cookies, .dates, .mediaTypes,
      .fieldValues, .webLinks, .eventStreams, .jsonSequences, .urls, .redirects, .charsets, .json,
      .jsonPaths, .regularExpressions, .xml, .textRedaction,
      .urlRedaction, .fieldRedaction, .bodyRedaction, .multipartRedaction, .recordings, .har,
      .stubFiles, .templates, .cookieFiles, .offlineEntries, .yaml, .schemas,
    ]
    #if os(Linux)
      targets.insert(contentsOf: [.curlResponses, .contentCodings, .netlink, .certificates], at: 1)
    #endif
    return targets
  }()
}

/// Traps if a property does not hold, so that libFuzzer stops and keeps the input.
///
/// - Parameters:
///   - condition: The property.
///   - claim: A sentence that describes the property, with the values that violate it.
///   - file: The file of the check.
///   - line: The line of the check.
func expect(
  _ condition: Bool, _ claim: @autoclosure () -> String, file: StaticString = #fileID,
  line: UInt = #line
) {
  guard !condition else { return }
  fatalError("violated: \(claim())", file: file, line: line)
}

/// Returns a value, or traps if it is `nil`.
func unwrap<Value>(
  _ value: Value?, _ claim: @autoclosure () -> String, file: StaticString = #fileID,
  line: UInt = #line
) -> Value {
  guard let value else { fatalError("violated: \(claim())", file: file, line: line) }
  return value
}
