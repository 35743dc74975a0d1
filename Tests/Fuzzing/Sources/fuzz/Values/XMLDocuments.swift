import Foundation
import NetworkingXML

extension FuzzTarget {
  /// XML documents.
  static let xml = FuzzTarget("xml") { input in
    Growth.checkLinear(input) { bytes in _ = try? XML.Document(parsing: Data(bytes)) }
    let document: XML.Document
    do throws(XMLError) {
      document = try XML.Document(parsing: input.data)
    } catch {
      expect(!error.reason.isEmpty, "an error has a reason")
      let codes: [XMLError.Code] = [.notWellFormed, .documentType, .encoding, .limitExceeded]
      expect(codes.contains(error.code), "the code of \(error)")
      return
    }
    for layout in [XML.Layout.compact, .indented] {
      let data = unwrap(try? document.data(layout), "a document that was read is written")
      let again = unwrap(try? XML.Document(parsing: data), "a document that was written is read")
      expect(layout == .indented || again == document, "it is the same document: \(document)")
      expect(again.all("a").count == document.all("a").count, "the elements are the same")
    }
    let other = try? XML.Document(parsing: input.data)
    expect(other?.hashValue == document.hashValue, "equal documents have equal hashes")
  }
}
