import Foundation
import TestGate
import TestSupport
import Testing

@testable import Networking

@Suite(.gated)
struct MultipartEncoderTests {
  private func body(
    _ parameters: Parameters? = nil, _ form: MultipartFormData = MultipartFormData(),
    _ encoder: MultipartEncoder = MultipartEncoder(boundary: { "B" })
  ) throws -> (pieces: [BodyPiece], type: String) {
    guard case .body(let pieces, let type) = try encoder.encode(parameters, form) else {
      return ([], "no body")
    }
    return (pieces, type)
  }

  private func text(_ pieces: [BodyPiece]) -> String {
    pieces.map { piece in
      switch piece {
      case .data(let data): String(decoding: data, as: UTF8.self)
      case .file(let url): "<\(url.lastPathComponent)>"
      case .stream: "<stream>"
      }
    }.joined()
  }

  @Test func aFormCanBeALiteral() throws {
    let title = "Balsa Fish"
    let photo = URL(fileURLWithPath: "/tmp/p.png")
    let literal: MultipartFormData = [
      "kind": "board", "title": "\(title)", "key": .data(Data("y".utf8)), "photo": .file(photo),
      "title": "second",
    ]
    var form = MultipartFormData()
    form.append("board", name: "kind")
    form.append(title, name: "title")
    form.append(Data("y".utf8), name: "key")
    form.append(file: photo, name: "photo")
    form.append("second", name: "title")
    #expect(literal == form)
    #expect(Request.upload(multipart: ["a": "b"], to: "x").payload == .multipart(["a": "b"]))
  }

  @Test func partsFollowRFC7578() throws {
    var form = MultipartFormData()
    form.append("x", name: "text")
    form.append(Data("y".utf8), name: "data", filename: "a.bin")
    form.append(file: URL(fileURLWithPath: "/tmp/p.png"), name: "file", contentType: "image/png")
    form.append("last", name: "text")
    let (pieces, type) = try body(["n": 1], form)
    #expect(type == "multipart/form-data; boundary=B")
    #expect(pieces.count == 3)
    let expected = """
      --B
      Content-Disposition: form-data; name="n"

      1
      --B
      Content-Disposition: form-data; name="text"

      x
      --B
      Content-Disposition: form-data; name="data"; filename="a.bin"
      Content-Type: application/octet-stream

      y
      --B
      Content-Disposition: form-data; name="file"; filename="p.png"
      Content-Type: image/png

      <p.png>
      --B
      Content-Disposition: form-data; name="text"

      last
      --B--

      """
    #expect(text(pieces) == expected.replacing("\n", with: "\r\n"))
  }

  @Test func thePartsHaveTheTypesOfTheirFileNames() {
    let file = URL(fileURLWithPath: "/tmp/film.mov")
    var form = MultipartFormData()
    form.append(Data(), name: "a", filename: "2024.report.PDF")
    form.append(Data(), name: "b", filename: "film.mov")
    form.append(Data(), name: "c", filename: "notes.unheard-of")
    form.append(Data(), name: "d", filename: "README")
    form.append(Data(), name: "e")
    form.append(Data(), name: "f", filename: "a.pdf", contentType: "image/png")
    form.append(Data(), name: "g", filename: "a.pdf", contentType: nil)
    form.append(file: file, name: "h")
    form.append(file: file, name: "i", filename: "film.mp4")
    form.append(file: file, name: "j", filename: "film")
    form.append(file: URL(fileURLWithPath: "/tmp/film"), name: "k")
    #expect(
      form.parts.map(\.contentType) == [
        "application/pdf", "video/quicktime", "application/octet-stream",
        "application/octet-stream", "application/octet-stream", "image/png", nil,
        "video/quicktime", "video/mp4", "video/quicktime", "application/octet-stream",
      ])
  }

  @Test func anEmptyFormHasOnlyTheFinalBoundary() throws {
    #expect(text(try body().pieces) == "--B--\r\n")
  }

  @Test func quotesAndLineBreaksInNamesAreEscaped() throws {
    var form = MultipartFormData()
    form.append(Data(), name: "a\"\r\nX: y", filename: "\"\n\u{0}ü", contentType: nil)
    #expect(
      text(try body(nil, form).pieces).contains(
        "form-data; name=\"a%22%0D%0AX: y\"; filename=\"%22%0A%00ü\"\r\n\r\n"))
  }

  @Test func aLineBreakInAContentTypeIsRejected() {
    var form = MultipartFormData()
    form.append(Data(), name: "a", contentType: "text/plain\r\nX: y")
    let error = #expect(throws: ParameterEncodingError.self) { try body(nil, form) }
    #expect(error?.description == "the parameter a has a control character in its content type")
  }

  @Test func aBoundaryThatOccursInAPartIsNotUsed() throws {
    let counter = Counter()
    var form = MultipartFormData()
    form.append("see B1 here", name: "a")
    form.append("x", name: "B2")
    let (_, type) = try body(nil, form, MultipartEncoder(boundary: { "B\(counter.add())" }))
    #expect(type == "multipart/form-data; boundary=B3")
  }

  @Test func boundariesHaveThirtyRandomCharacters() throws {
    let types = try (0..<100).map { _ in try body(nil, MultipartFormData(), MultipartEncoder()).type
    }
    #expect(Set(types).count == 100)
    #expect(types.allSatisfy { $0.count == "multipart/form-data; boundary=".count + 30 })
  }

  @Test func dataInParametersIsSentAsBytes() throws {
    #expect(text(try body(["a": .data(Data("raw".utf8))]).pieces).contains("\r\n\r\nraw\r\n"))
  }

  // MARK: Parts

  private struct Details: Codable, Equatable {
    var title: String
    var length: Int
  }

  @Test func allKindsOfPartsAreSentInOrder() throws {
    var form = MultipartFormData()
    form.append("Fish", name: "title")
    try form.append(json: Details(title: "Koi", length: 3), name: "details")
    form.append(Data("jpeg".utf8), name: "photo", filename: "fish.jpg", type: .image(.jpeg))
    form.append(file: URL(fileURLWithPath: "/tmp/a"), name: "film", type: .video(.mov))
    let rows = BodyStream { AsyncStream<Data> { $0.finish() } }
    form.append(stream: rows, name: "rows", filename: "rows.csv")
    form.append(.data(Data("k".utf8), name: "key", headers: ["X-Sum": "1", "Content-ID": "<k>"]))
    let (pieces, _) = try body(nil, form)
    #expect(pieces.contains(.stream(rows)))
    let expected = """
      --B
      Content-Disposition: form-data; name="title"

      Fish
      --B
      Content-Disposition: form-data; name="details"
      Content-Type: application/json

      {"length":3,"title":"Koi"}
      --B
      Content-Disposition: form-data; name="photo"; filename="fish.jpg"
      Content-Type: image/jpeg

      jpeg
      --B
      Content-Disposition: form-data; name="film"; filename="a"
      Content-Type: video/quicktime

      <a>
      --B
      Content-Disposition: form-data; name="rows"; filename="rows.csv"
      Content-Type: text/csv

      <stream>
      --B
      Content-Disposition: form-data; name="key"
      Content-Type: application/octet-stream
      X-Sum: 1
      Content-ID: <k>

      k
      --B--

      """
    let sent = text(pieces).replacing(
      #"{"title":"Koi","length":3}"#, with: #"{"length":3,"title":"Koi"}"#)
    #expect(sent == expected.replacing("\n", with: "\r\n"))
  }

  @Test func lineBreaksOfNamesAndFileNamesAreEscapedAsInBrowsers() throws {
    let form = MultipartFormData([
      .text("", name: "a\nb\rc\r\nd\n\r", filename: "a\nb\rc\r\nd")
    ])
    #expect(
      text(try body(nil, form).pieces).contains(
        "name=\"a%0D%0Ab%0D%0Ac%0D%0Ad%0D%0A%0D%0A\"; filename=\"a%0Ab%0Dc%0D%0Ad\"\r\n"))
  }

  @Test(arguments: [
    ("", ""), ("\n", "\r\n"), ("\r", "\r\n"), ("\r\n", "\r\n"), ("\n\r", "\r\n\r\n"),
    ("\r\r\n\n", "\r\n\r\n\r\n"), ("ä\nb", "ä\r\nb"),
  ])
  func lineBreaksOfTextsAreNormalizedOnRequestOnly(_ given: String, _ normalized: String) {
    let plain = MultipartFormData.Part.text(given)
    #expect(plain.content == .data(Data(given.utf8)))
    let part = MultipartFormData.Part.text(given, normalizingLineBreaks: true)
    #expect(part.content == .data(Data(normalized.utf8)))
  }

  @Test func textsOfATypeHaveACharset() {
    #expect(MultipartFormData.Part.text("a").contentType == nil)
    #expect(
      MultipartFormData.Part.text("a", type: .text(.html)).contentType
        == "text/html; charset=utf-8")
    #expect(MultipartFormData.Part.text("a", type: .xml).contentType == "application/xml")
    #expect(
      MultipartFormData.Part.text("a", type: MediaType("text/plain; charset=x")).contentType
        == "text/plain; charset=x")
  }

  @Test func aContentTypeFieldOverridesTheContentType() throws {
    let form = MultipartFormData([
      .data(Data("a".utf8), name: "a", type: .pdf, headers: ["content-type": "a/b"])
    ])
    #expect(
      text(try body(nil, form).pieces)
        == "--B\r\nContent-Disposition: form-data; name=\"a\"\r\ncontent-type: a/b\r\n\r\na"
        + "\r\n--B--\r\n")
  }

  @Test(arguments: [
    (
      MultipartFormData.Part.text("", headers: [:]),
      "the parameter parts[1] has no name, which each part of a form needs"
    ),
    (
      .text("", name: "a", headers: ["Content-Disposition": "x"]),
      "the parameter a has a Content-Disposition field of its own"
    ),
    (
      .text("", name: "a", headers: ["X Y": "s3cret"]),
      "the parameter a has a header field with an invalid name"
    ),
    (
      .text("", name: "a", headers: ["X-Y": "s3cret\r\nZ: 1"]),
      "the parameter a has a control character in its header field X-Y"
    ),
  ])
  func anInvalidPartOfAFormIsRejected(_ part: MultipartFormData.Part, _ message: String) {
    let form = MultipartFormData([.text("", name: "first"), part])
    let error = #expect(throws: ParameterEncodingError.self) { try body(nil, form) }
    #expect(error?.description == message)
  }

  @Test func theBoundaryOccursInNoHeaderField() throws {
    let counter = Counter()
    let form = MultipartFormData([
      Part(name: "a", content: .data(Data()), contentType: "a/B1", headers: ["X": "B2"]),
      Part(name: "a", content: .data(Data("\r\n--B3".utf8)), filename: "B4"),
    ])
    let (_, type) = try body(nil, form, MultipartEncoder(boundary: { "B\(counter.add())" }))
    #expect(type == "multipart/form-data; boundary=B5")
  }

  // MARK: Other kinds

  typealias Part = MultipartFormData.Part

  @Test func partsOfOtherKindsNeedNoNames() throws {
    let mixed = MultipartFormData(
      kind: .mixed,
      [
        .text("a"), .text("b", name: "n\\", filename: "\"x\".txt"), .text("c", name: "only"),
        .text("d", filename: "x", headers: ["Content-Disposition": "inline"]),
      ])
    let (pieces, type) = try body(nil, mixed)
    #expect(type == "multipart/mixed; boundary=B")
    let expected = #"""
      --B

      a
      --B
      Content-Disposition: attachment; name="n\\"; filename="\"x\".txt"

      b
      --B
      Content-Disposition: inline; name="only"

      c
      --B
      Content-Disposition: inline

      d
      --B--

      """#
    #expect(text(pieces) == expected.replacing("\n", with: "\r\n"))
  }

  @Test(arguments: [
    ([Part.data(Data(), type: .pdf), .text("")], "application/pdf"), ([.text("")], "text/plain"),
    ([.data(Data(), type: .pdf, headers: ["Content-Type": "a/b; c=d"])], "a/b"),
  ])
  func aRelatedBodyHasTheTypeOfItsFirstPart(_ parts: [Part], _ type: String) throws {
    let related = MultipartFormData(kind: .related, parts)
    #expect(
      try body(nil, related).type == "multipart/related; boundary=B; type=\"\(type)\"")
  }

  @Test func bodiesOfOtherKindsAreRejectedIfTheyCannotBeSent() {
    for kind in [MultipartFormData.Kind.mixed, .related, .alternative] {
      let error = #expect(throws: NetworkError.self) {
        try body(nil, MultipartFormData(kind: kind))
      }
      #expect(error?.reason == "the multipart/\(kind.rawValue) body has no parts")
      #expect(throws: ParameterEncodingError.self) {
        try body(["a": 1], MultipartFormData(kind: kind, [.text("")]))
      }
    }
    let invalid = MultipartFormData(kind: .init(rawValue: "a; b"), [.text("")])
    #expect(throws: NetworkError.self) { try body(nil, invalid) }
    let named = MultipartFormData(kind: .mixed, [.text("", name: "a\r\nX: c")])
    let error = #expect(throws: ParameterEncodingError.self) { try body(nil, named) }
    #expect(error?.reason == "has a control character in its name")
  }

  // MARK: Storage

  @Test func formsRoundTripThroughStorage() throws {
    let form = MultipartFormData(
      kind: .related,
      [
        .text("a", name: "b", headers: ["X": "y"]), .data(Data([1]), filename: "c", type: .pdf),
        .file(URL(fileURLWithPath: "/tmp/a.png")),
      ])
    #expect(
      try JSONDecoder().decode(MultipartFormData.self, from: JSONEncoder().encode(form)) == form)
  }

  @Test func formsWithoutAKindAndWithoutOptionalMembersAreDecoded() throws {
    let json = """
      {"parts": [
        {"name": "a", "content": {"data": "YQ=="}},
        {"name": "b", "content": {"file": "file:///tmp/b"}, "filename": "b",
          "contentType": "a/b"}
      ]}
      """
    let form = try JSONDecoder().decode(MultipartFormData.self, from: Data(json.utf8))
    #expect(
      form
        == MultipartFormData([
          Part(name: "a", content: .data(Data("a".utf8))),
          Part(
            name: "b", content: .file(URL(fileURLWithPath: "/tmp/b")), filename: "b",
            contentType: "a/b"),
        ]))
  }

  @Test(arguments: [
    #"{}"#, #"{"stream": {}}"#, #"{"data": "YQ==", "file": "file:///tmp/b"}"#,
    #"{"data": {"_0": "YQ=="}}"#, #"{"file": 1}"#, #"{"multipart": []}"#, #""data""#,
  ])
  func aContentOfNoKindOrOfTwoIsNotDecoded(_ json: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Part.Content.self, from: Data(json.utf8))
    }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Request.Payload.self, from: Data(json.utf8))
    }
  }

  @Test func aFormWithAStreamCannotBeStored() {
    let form = MultipartFormData([
      .stream(BodyStream { AsyncStream<Data> { $0.finish() } }, name: "a")
    ])
    #expect(throws: EncodingError.self) {
      try JSONEncoder().encode(Request.upload(multipart: form, to: "a"))
    }
  }
}
