/// What a file descriptor is ready for, or is to be watched for.
struct Readiness: OptionSet, Hashable {
  let rawValue: UInt8

  static let readable = Readiness(rawValue: 1)
  static let writable = Readiness(rawValue: 2)
  /// The other side sends no more; perhaps it is gone.
  static let hangup = Readiness(rawValue: 4)
  /// The connection is broken; reported whether watched for or not.
  static let broken = Readiness(rawValue: 8)
}
