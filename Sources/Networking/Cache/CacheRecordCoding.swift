import CatenaSystem
import Foundation

/// The binary form of a record on disk.
///
///     magic (8 bytes), length of the payload (UInt32), checksum of the payload (16 digits), payload
///
/// Numbers are little-endian. Every read is checked against the bounds, and the checksum covers every
/// byte of the payload, so a changed or truncated file is not a record. Body files are not part of the
/// record; it has their lengths and checksums.
enum CacheRecordCoding {
  private static let magic = Array("CATENAC2".utf8)
  private static let headLength = 8 + 4 + 16
  /// The maximum length of a body file, so that no sum over a record overflows.
  private static let maximumBodySize = Int.max / (2 * CacheRecord.maximumCount)

  /// Returns the bytes of a record.
  ///
  /// - Parameters:
  ///   - record: The record. Its URL is written without secrets.
  ///   - name: The digest of the URL.
  /// - Returns: The bytes.
  static func encode(_ record: CacheRecord, _ name: String) -> Data {
    var writer = Writer()
    writer.add(name)
    writer.add(record.key.description)
    writer.add(UInt32(clamping: record.responses.count))
    for response in record.responses { add(response, to: &writer) }
    var data = Data(magic)
    data.reserveCapacity(headLength + writer.bytes.count)
    withUnsafeBytes(of: UInt32(clamping: writer.bytes.count).littleEndian) {
      data.append(contentsOf: $0)
    }
    data.append(contentsOf: checksum(of: writer.bytes).utf8)
    data.append(contentsOf: writer.bytes)
    return data
  }

  private static func add(_ response: StoredResponse, to writer: inout Writer) {
    writer.add(UInt32(clamping: response.head.status))
    writer.add(response.head.version)
    writer.add(UInt32(clamping: response.head.headers.count))
    for field in response.head.headers {
      writer.add(field.name)
      writer.add(field.value)
    }
    writer.add(response.requestTime.timeIntervalSince1970.bitPattern)
    writer.add(response.responseTime.timeIntervalSince1970.bitPattern)
    writer.add(response.bodyID)
    writer.add(response.selector.credentials)
    writer.add(UInt32(clamping: response.selector.fields.count))
    for field in response.selector.fields {
      writer.add(field.name)
      writer.add(field.digest ?? "")
    }
    switch response.body {
    case .data(let data):
      writer.add(UInt32(0))
      writer.add(data)
    case .file(let file):
      writer.add(UInt32(1))
      writer.add(URL(fileURLWithPath: file.path).lastPathComponent)
      writer.add(UInt64(clamping: file.byteCount))
      writer.add(file.checksum)
    }
  }

  /// Reads a record.
  ///
  /// - Parameters:
  ///   - data: The bytes of the file.
  ///   - name: The digest of the URL.
  ///   - key: The URL. `nil` uses the one in the record, which has no secrets.
  ///   - folder: The folder of the body files.
  /// - Returns: The record, or `nil` if the bytes are not one of this URL.
  static func decode(
    _ data: Data, _ name: String, of key: CacheKey?, bodiesIn folder: String
  ) -> CacheRecord? {
    data.withUnsafeBytes { bytes in
      guard bytes.count >= headLength, bytes.prefix(8).elementsEqual(magic) else { return nil }
      var reader = Reader(UnsafeRawBufferPointer(rebasing: bytes[8...]))
      let payload = UnsafeRawBufferPointer(rebasing: bytes[headLength...])
      guard let length = reader.number(UInt32.self), Int(exactly: length) == payload.count else {
        return nil
      }
      var checksum = Checksum()
      checksum.add(payload)
      guard checksum.text.utf8.elementsEqual(bytes[12..<headLength]) else { return nil }
      reader = Reader(payload)
      guard reader.text() == name, let url = reader.text(), let count = reader.number(UInt32.self),
        count <= CacheRecord.maximumCount
      else { return nil }
      var responses: [StoredResponse] = []
      for _ in 0..<count {
        guard let response = response(&reader, folder) else { return nil }
        responses.append(response)
      }
      return reader.isAtEnd ? CacheRecord(key ?? CacheKey(text: url), responses) : nil
    }
  }

  private static func response(_ reader: inout Reader, _ folder: String) -> StoredResponse? {
    guard let status = reader.number(UInt32.self), let version = reader.text(),
      let fieldCount = reader.number(UInt32.self)
    else { return nil }
    var fields: [HTTPHeaders.Field] = []
    for _ in 0..<fieldCount {
      guard let name = reader.text(), let value = reader.text() else { return nil }
      fields.append(HTTPHeaders.Field(name: name, value: value))
    }
    guard let requestTime = reader.number(UInt64.self),
      let responseTime = reader.number(UInt64.self), let bodyID = reader.number(UInt64.self),
      let credentials = reader.text(), let selectorCount = reader.number(UInt32.self)
    else { return nil }
    var selector = CacheSelector(credentials: credentials)
    for _ in 0..<selectorCount {
      guard let name = reader.text(), let digest = reader.text() else { return nil }
      selector.fields.append(.init(name: name, digest: digest.isEmpty ? nil : digest))
    }
    let body: StoredBody
    switch reader.number(UInt32.self) {
    case 0:
      guard let data = reader.data() else { return nil }
      body = .data(data)
    case 1:
      guard let name = reader.text(), !name.contains("/"), let count = reader.number(UInt64.self),
        count <= maximumBodySize, let checksum = reader.text()
      else { return nil }
      body = .file(
        StoredBodyFile(path: "\(folder)/\(name)", byteCount: Int64(count), checksum: checksum))
    default: return nil
    }
    return StoredResponse(
      HTTPResponseHead(
        status: Int(clamping: status), version: version, headers: HTTPHeaders(fields)),
      requestTime: date(requestTime), responseTime: date(responseTime), for: selector, body: body,
      bodyID: bodyID)
  }

  private static func date(_ bits: UInt64) -> Date {
    let seconds = Double(bitPattern: bits)
    // Up to the year 9999, so that no difference is infinite.
    let isPlausible = (0..<253_402_300_800).contains(seconds)
    return Date(timeIntervalSince1970: isPlausible ? seconds : 0)
  }

  private static func checksum(of bytes: [UInt8]) -> String {
    Checksum(bytes).text
  }

  private struct Writer {
    var bytes: [UInt8] = []

    mutating func add(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func add(_ text: String) {
      add(UInt32(clamping: text.utf8.count))
      bytes.append(contentsOf: text.utf8)
    }

    mutating func add(_ data: Data) {
      add(UInt32(clamping: data.count))
      bytes.append(contentsOf: data)
    }
  }

  private struct Reader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
      self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
      guard let piece = take(MemoryLayout<Number>.size) else { return nil }
      return Number(littleEndian: piece.loadUnaligned(as: Number.self))
    }

    mutating func text() -> String? {
      guard let length = number(UInt32.self), let piece = take(Int(clamping: length)) else {
        return nil
      }
      return String(decoding: piece, as: UTF8.self)
    }

    mutating func data() -> Data? {
      guard let length = number(UInt32.self), let piece = take(Int(clamping: length)) else {
        return nil
      }
      return Data(piece)
    }

    private mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
      guard count <= bytes.count - position else { return nil }
      defer { position += count }
      return UnsafeRawBufferPointer(rebasing: bytes[position..<(position + count)])
    }
  }
}
