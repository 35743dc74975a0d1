import Foundation
import TestSupport
import Testing

@testable import Networking

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
      }
    }.joined()
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
}
