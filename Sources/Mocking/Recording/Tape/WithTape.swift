import Foundation
import Networking

/// Runs code with a ``Tape``, and saves it at the end.
///
/// When the code throws nothing is saved, so that a recording that broke off is never taken for a whole
/// one; what was recorded until then is beside the file, in one of the same name with `.partial` behind.
///
/// - Parameters:
///   - file: an HTTP archive.
///   - mode: whether to record or to replay.
///   - transport: what performs the exchanges that are recorded.
///   - options: what to do otherwise than by default.
///   - isolation: where the code runs: where the caller does.
///   - body: the code, which gets the tape.
/// - Returns: what the code returns.
/// - Throws: what the code throws, and ``RecordingError``.
public func withTape<Result>(
  _ file: URL, mode: Tape.Mode = .once, over transport: any Transport,
  options: Tape.Options = Tape.Options(), isolation: isolated (any Actor)? = #isolation,
  _ body: (_ tape: Tape) async throws -> Result
) async throws -> Result {
  let tape = try Tape(file, mode: mode, over: transport, options: options)
  let result = try await body(tape)
  try tape.save()
  return result
}
