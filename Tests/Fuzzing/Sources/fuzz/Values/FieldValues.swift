import Foundation

@testable import Networking

extension FuzzTarget {
  /// `Retry-After`, `Accept-Encoding`, `Content-Encoding`, and the access to fields by name.
  ///
  /// Each line of the input is a header field.
  static let fieldValues = FuzzTarget("field-values", maximumLength: 2_048) { input in
    let fields = input.lines.map { line in
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      return HTTPHeaders.Field(
        name: String(parts[0]), value: parts.count == 2 ? String(parts[1].drop { $0 == " " }) : "")
    }
    let headers = HTTPHeaders(fields)
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    if let delay = RetryAfter.delay(in: headers, now: now) {
      expect(delay >= .zero && delay <= .seconds(Int32.max), "the delay is bounded: \(delay)")
    }
    #if os(Linux)
      _ = headers.acceptsCoding
      for coding in headers.contentCodings {
        expect(!coding.isEmpty && coding != "identity", "a coding has a name")
        expect(!coding.utf8.contains { $0 == 0x20 || $0 == UInt8(ascii: ",") }, "it is one name")
      }
    #endif
    for field in fields {
      let values = headers.values(for: field.name)
      expect(values.contains(field.value), "a value is found by its name: \(field)")
      expect(headers.contains(field.name), "a field is found by its name: \(field)")
      var changed = headers
      changed[field.name] = "new"
      expect(changed.values(for: field.name) == ["new"], "a new value replaces all: \(field)")
      changed[field.name] = nil
      expect(changed.count == headers.count - values.count, "only its fields are removed: \(field)")
      if HTTPHeaders.problem(of: field) == nil {
        expect(field.name.isToken && HTTPHeaders.isValid(value: field.value), "it can be sent")
      }
    }
    expect(headers.merging(headers).count == headers.count, "equal fields replace each other")
    Growth.checkLinear(input) { bytes in
      let value = String(decoding: bytes, as: UTF8.self)
      let names = ["Retry-After", "Accept-Encoding", "Content-Encoding"]
      let headers = HTTPHeaders(names.map { HTTPHeaders.Field(name: $0, value: value) })
      _ = RetryAfter.delay(in: headers, now: now)
      #if os(Linux)
        _ = headers.acceptsCoding
        _ = headers.contentCodings
      #endif
    }
  }
}
