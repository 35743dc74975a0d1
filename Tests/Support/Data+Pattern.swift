import Foundation

extension Data {
  /// Bytes in which a piece that is missing, doubled or out of place shows.
  package static func pattern(_ count: Int) -> Data {
    var data = Data((0..<251).map(UInt8.init))
    while data.count < count { data += data.prefix(count - data.count) }
    return data.prefix(count)
  }
}
