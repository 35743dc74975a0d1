/// A mistake in a file of stubs.
struct StubProblem: Error, Hashable {
  let path: StubPath
  /// Whether it is the name of the member that is wrong, not its value.
  var isAboutName = false
  /// What was expected, and what is there.
  let text: String
}
