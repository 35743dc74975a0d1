import CatenaSystem
import Foundation

/// The binary form of a record on disk.
///
///     magic (8 bytes), checksum of the payload (16 digits), payload
///
/// Numbers are little-endian and have 8 bytes. Every read is checked against the bounds, and the
/// checksum covers every byte of the payload, so a changed or truncated file is not a record. Body
/// files are not part of the record; it has their lengths and checksums.
enum CacheRecordCoding {
  private static let magic = "CATENAC3".utf8
  private static let checksumLength = 16
  /// The maximum length of a body file, so that no sum over a record overflows.
  private static let maximumBodySize = Int.max / (2 * CacheRecord.maximumCount)

  /// Returns the bytes of a record.
  ///
  /// - Parameters:
  ///   - record: The record. Its URL is written without secrets.
  ///   - name: The digest of the URL.
  /// - Returns: The bytes.
  static func encode(_ record: CacheRecord, _ name: String) -> Data {
    var payload = Writer()
    payload.add(name.utf8)
    payload.add(record.key.description.utf8)
    payload.add(record.responses) { writer, response in
      writer.add(response.head.status)
      writer.add(response.head.version.utf8)
      writer.add(response.head.headers.fields) { writer, field in
        writer.add(field.name.utf8)
        writer.add(field.value.utf8)
      }
      writer.add(response.requestTime.timeIntervalSince1970.bitPattern)
      writer.add(response.responseTime.timeIntervalSince1970.bitPattern)
      writer.add(response.selector.credentials.utf8)
      writer.add(response.selector.fields) { writer, field in
        writer.add(field.name.utf8)
        writer.add((field.digest ?? "").utf8)
      }
      switch response.body {
      case .data(let data):
        writer.add(0)
        writer.add(data)
      case .file(let file):
        writer.add(1)
        writer.add(FilePath.split(file.path).name.utf8)
        writer.add(file.byteCount)
        writer.add(file.checksum.utf8)
      }
      writer.add(response.bodyID)
    }
    return Data(magic) + Data(Checksum(payload.data).text.utf8) + payload.data
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
      var reader = Reader(rest: bytes[...])
      return try? record(&reader, name, of: key, bodiesIn: folder)
    }
  }

  private static func record(
    _ reader: inout Reader, _ name: String, of key: CacheKey?, bodiesIn folder: String
  ) throws -> CacheRecord {
    guard try reader.take(magic.count).elementsEqual(magic) else { throw InvalidRecord() }
    let checksum = try reader.take(checksumLength)
    let actual = Checksum(UnsafeRawBufferPointer(rebasing: reader.rest)).text
    guard actual.utf8.elementsEqual(checksum), try reader.text() == name else {
      throw InvalidRecord()
    }
    let url = try reader.text()
    let responses = try reader.list { try response(&$0, folder) }
    guard responses.count <= CacheRecord.maximumCount, reader.rest.isEmpty else {
      throw InvalidRecord()
    }
    return CacheRecord(key ?? CacheKey(text: url), responses)
  }

  private static func response(_ reader: inout Reader, _ folder: String) throws -> StoredResponse {
    let head = HTTPResponseHead(
      status: Int(clamping: try reader.number()), version: try reader.text(),
      headers: HTTPHeaders(
        try reader.list { HTTPHeaders.Field(name: try $0.text(), value: try $0.text()) }))
    return StoredResponse(
      head, requestTime: date(try reader.number()), responseTime: date(try reader.number()),
      for: CacheSelector(
        credentials: try reader.text(),
        fields: try reader.list {
          let (name, digest) = (try $0.text(), try $0.text())
          return CacheSelector.Field(name: name, digest: digest.isEmpty ? nil : digest)
        }),
      body: try body(&reader, folder), bodyID: try reader.number())
  }

  private static func body(_ reader: inout Reader, _ folder: String) throws -> StoredBody {
    if try reader.number() == 0 { return .data(Data(try reader.bytes())) }
    let (name, count) = (try reader.text(), try reader.number())
    guard !name.contains("/"), count <= maximumBodySize else { throw InvalidRecord() }
    return .file(
      StoredBodyFile(
        path: "\(folder)/\(name)", byteCount: Int64(count), checksum: try reader.text()))
  }

  private static func date(_ bits: UInt64) -> Date {
    let seconds = Double(bitPattern: bits)
    // Up to the year 9999, so that no difference is infinite.
    let isPlausible = (0..<253_402_300_800).contains(seconds)
    return Date(timeIntervalSince1970: isPlausible ? seconds : 0)
  }

  private struct InvalidRecord: Error {}

  private struct Writer {
    var data = Data()

    mutating func add(_ number: some BinaryInteger) {
      withUnsafeBytes(of: UInt64(clamping: number).littleEndian) { data.append(contentsOf: $0) }
    }

    mutating func add(_ bytes: some Collection<UInt8>) {
      add(bytes.count)
      data.append(contentsOf: bytes)
    }

    mutating func add<Element>(
      _ elements: [Element], _ addElement: (_ writer: inout Writer, _ element: Element) -> Void
    ) {
      add(elements.count)
      for element in elements { addElement(&self, element) }
    }
  }

  private struct Reader {
    var rest: Slice<UnsafeRawBufferPointer>

    mutating func take(_ count: some BinaryInteger) throws -> Slice<UnsafeRawBufferPointer> {
      guard count <= rest.count else { throw InvalidRecord() }
      defer { rest = rest.dropFirst(Int(count)) }
      return rest.prefix(Int(count))
    }

    mutating func number() throws -> UInt64 {
      let bytes = UnsafeRawBufferPointer(rebasing: try take(8))
      return UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    }

    mutating func bytes() throws -> Slice<UnsafeRawBufferPointer> { try take(try number()) }

    mutating func text() throws -> String { String(decoding: try bytes(), as: UTF8.self) }

    /// Reads elements, each of which has at least one number.
    mutating func list<Element>(
      _ element: (_ reader: inout Reader) throws -> Element
    ) throws -> [Element] {
      var elements: [Element] = []
      for _ in 0..<(try number()) { elements.append(try element(&self)) }
      return elements
    }
  }
}
