import Testing

/// What a slow backend does to a program, told in beats, so that it can be played in virtual time, where a
/// beat is minutes, and on the clock, where it is a part of a second.
///
/// What is logged is two beats apart or depends on what came before: no common load of the machine reorders it.
struct Story: Sendable, CustomTestStringConvertible {
  let name: String
  /// What is logged.
  let order: [String]
  /// When the last of it is.
  let beats: Int
  /// Asks for all of it at once, and returns.
  let begin: @Sendable (_ stage: Stage) -> Void

  init(
    _ name: String, order: [String], beats: Int,
    _ begin: @escaping @Sendable (_ stage: Stage) -> Void
  ) {
    self.name = name
    self.order = order
    self.beats = beats
    self.begin = begin
  }

  var testDescription: String { name }
}
