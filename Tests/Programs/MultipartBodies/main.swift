// Writes seeded multipart bodies, as a client sends them, and the parts that a server should receive.
//
//   multipart-bodies FOLDER [CASES] [SEED]
//
// The folder gets a file NUMBER.body for each case, and cases.jsonl with a line of JSON for each: the content
// type of the request, the kind of the body, and its parts. The exit status is 1 if the length of a body is
// not the length that the client states.

import Foundation
import Networking
import ProgramSupport

/// A part that a server should receive.
struct ExpectedPart: Encodable {
  var name: String?
  var filename: String?
  var type: String?
  var headers: [String: String] = [:]
  /// The bytes, encoded as Base64 in JSON.
  var content = Data()
}

/// A multipart body and its expected parts.
struct Case: Encodable {
  let number: Int
  let contentType: String
  let kind: String
  let parts: [ExpectedPart]
}

/// A generator of forms.
struct FormGenerator {
  private var random: SeededGenerator
  private let folder: URL
  private var fileCount = 0

  /// Creates a generator.
  ///
  /// - Parameters:
  ///   - seed: The seed.
  ///   - folder: The folder of the files that the forms contain.
  init(seed: UInt64, folder: URL) {
    random = SeededGenerator(seed: seed)
    self.folder = folder
  }

  /// Pieces of names and texts.
  ///
  /// A backslash is followed by a letter, because servers remove it before another
  /// backslash and before a quotation mark.
  private static let pieces = [
    "a", "title", "Z9", "[0]", ".jpg", ".txt", " ", "\"", "'", ";", "=", "; filename=\"x\"", "a\\b",
    "/", "..",
    "\r\n", "\n", "\r", "\r\n\r\n", "\t", "%", "%25", "+", "&", ":", ",", "<b>", "&amp;", "ü",
    "e\u{301}", "日本",
    "😀", "\u{202E}", "\u{85}", "\u{2028}", "\u{7F}", "\u{FEFF}", "--", "--boundary",
    "Content-Type: text/html",
  ]

  private mutating func number(_ range: Range<Int>) -> Int { .random(in: range, using: &random) }

  private mutating func text(_ count: Range<Int>) -> String {
    (0..<number(count)).map { _ in Self.pieces[number(0..<Self.pieces.count)] }.joined()
  }

  private mutating func name() -> String {
    number(0..<3) == 0 ? ["a", "b", "list[]"][number(0..<3)] : "n" + text(0..<5)
  }

  private mutating func filename() -> String? {
    number(0..<4) == 0 ? nil : "f" + text(0..<5)
  }

  /// Returns bytes of sizes around those of the parsers' buffers, with many line breaks and dashes.
  private mutating func bytes() -> Data {
    let size =
      number(0..<8) == 0
      ? [65_535, 65_536, 65_537, 150_000][number(0..<4)]
      : [0, 1, 2, 37, 1_023, 4_096][number(0..<6)]
    if number(0..<3) == 0 {
      let some: [UInt8] = [0x0D, 0x0A, 0x2D, 0x00, 0xFF]
      return Data((0..<size).map { _ in some[number(0..<5)] })
    }
    return Data((0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) })
  }

  private mutating func type() -> MediaType? {
    switch number(0..<5) {
    case 0: .image(MediaType.ImageFormat.allCases[number(0..<MediaType.ImageFormat.allCases.count)])
    case 1: .video(.mov)
    case 2: .pdf
    case 3: MediaType("text/plain; charset=\"utf-8\"; format=\"a b\"")
    default: nil
    }
  }

  private mutating func headers() -> HTTPHeaders {
    guard number(0..<4) == 0 else { return [:] }
    return [
      "X-Note": ["1", "a: b; c", "\"x\"", "ü"][number(0..<4)], "Content-ID": "<p\(number(0..<9))>",
    ]
  }

  /// Returns a part and the part that a server should receive.
  private mutating func part(_ name: String?) throws -> (MultipartFormData.Part, ExpectedPart) {
    let (filename, headers, content) = (filename(), headers(), bytes())
    let part: MultipartFormData.Part
    var expected = ExpectedPart(name: name, filename: filename)
    switch number(0..<6) {
    case 0:
      let text = text(0..<30)
      let isNormalized = number(0..<2) == 0
      let type: MediaType? = number(0..<2) == 0 ? .text(.html) : nil
      part = .text(
        text, name: name, type: type, headers: headers, normalizingLineBreaks: isNormalized)
      expected.filename = nil
      let lines = text.replacing(/\r\n|\r|\n/.matchingSemantics(.unicodeScalar), with: "\r\n")
      expected.content = Data((isNormalized ? lines : text).utf8)
    case 1:
      let value = [text(0..<5): [number(0..<99)]]
      part = try .json(value, name: name, filename: filename, headers: headers)
      expected.content = try JSONEncoder().encode(value)
    case 2:
      fileCount += 1
      let file = folder.appending(path: "part\(fileCount).png")
      try content.write(to: file)
      part = .file(file, name: name, filename: filename, type: type(), headers: headers)
      expected.filename = filename ?? file.lastPathComponent
      expected.content = content
    case 3:
      let stream = BodyStream(length: number(0..<2) == 0 ? Int64(content.count) : nil) {
        AsyncStream { continuation in
          for start in stride(from: 0, to: content.count, by: 10_000) {
            continuation.yield(content.dropFirst(start).prefix(10_000))
          }
          continuation.finish()
        }
      }
      part = .stream(stream, name: name, filename: filename, type: type(), headers: headers)
      expected.content = content
    default:
      part = .data(content, name: name, filename: filename, type: type(), headers: headers)
      expected.content = content
    }
    expected.type = part.contentType
    expected.headers = Dictionary(headers.map { ($0.name, $0.value) }) { first, _ in first }
    return (part, expected)
  }

  /// Returns a request with a form and the parts that a server should receive.
  mutating func form() throws -> (request: Request, parts: [ExpectedPart]) {
    var (form, expected) = (MultipartFormData(), [ExpectedPart]())
    var parameters: Parameters?
    if number(0..<4) == 0 {
      let value = text(0..<6)
      parameters = ["field": .string(value), "count": 3]
      expected.append(ExpectedPart(name: "field", content: Data(value.utf8)))
      expected.append(ExpectedPart(name: "count", content: Data("3".utf8)))
    }
    for _ in 0..<number(0..<7) {
      let (part, received) = try part(name())
      form.append(part)
      expected.append(received)
    }
    let options = parameters.map { [RequestOption.parameters($0)] } ?? []
    return (.upload(multipart: form, to: "https://example.com/", .all(options)), expected)
  }

  /// Returns a request with a body of another kind and the parts that a server should receive.
  mutating func mixed() throws -> (request: Request, parts: [ExpectedPart]) {
    var form = MultipartFormData(kind: [.mixed, .related, .alternative][number(0..<3)])
    var expected: [ExpectedPart] = []
    for _ in 0..<number(1..<5) {
      var (part, received) = try part(nil)
      // A name outside a form cannot have a control character.
      part.filename = part.filename.map(Self.withoutControls)
      received.filename = received.filename.map(Self.withoutControls)
      form.append(part)
      expected.append(received)
    }
    return (.upload(multipart: form, to: "https://example.com/"), expected)
  }

  private static func withoutControls(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { $0.properties.generalCategory != .control }))
  }
}

let arguments = CommandLine.arguments.dropFirst()
guard let path = arguments.first else {
  print("usage: multipart-bodies FOLDER [CASES] [SEED]")
  exit(2)
}
let numbers = arguments.dropFirst().map { Int($0) ?? 0 }
let folder = URL(filePath: path, directoryHint: .isDirectory)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
var generator = FormGenerator(seed: UInt64(numbers.dropFirst().first ?? 1), folder: folder)
let builder = RequestBuilder()
var lines = Data()
var hasFailed = false
for number in 0..<(numbers.first ?? 2_000) {
  // Every fifth body is not a form.
  let (request, parts) = try number % 5 == 4 ? generator.mixed() : generator.form()
  let built = try builder.build(request)
  let reader = try BodyReader(built.body)
  var bytes = Data()
  while let piece = try await reader.next(upTo: 50_000) { bytes += piece }
  if let length = reader.length, length != Int64(bytes.count) {
    print("case \(number): the body has \(bytes.count) bytes, but the client states \(length)")
    hasFailed = true
  }
  if reader.length != built.body.byteCount {
    print("case \(number): the length of the body depends on its reader")
    hasFailed = true
  }
  try bytes.write(to: folder.appending(path: "\(number).body"))
  guard case .multipart(let form) = request.payload else { continue }
  let line = Case(
    number: number, contentType: built.headers["Content-Type"] ?? "", kind: form.kind.rawValue,
    parts: parts)
  lines += try JSONEncoder().encode(line) + Data("\n".utf8)
}
try lines.write(to: folder.appending(path: "cases.jsonl"))
exit(hasFailed ? 1 : 0)
