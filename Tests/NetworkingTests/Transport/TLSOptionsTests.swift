import Foundation
import Networking
import TestSupport
import Testing

struct TLSOptionsTests {
  @Test func thePasswordOfTheKeyIsNotPrinted() {
    let client = TLSOptions.ClientCertificate(
      certificate: .of("file:///cert.pem"), privateKey: .of("file:///key.pem"), password: "sesame")
    let options = TLSOptions(clientCertificate: client)
    var dumped = ""
    dump(options, to: &dumped)
    let texts = [
      "\(client)", String(reflecting: client), "\(options)", String(reflecting: options), dumped,
    ]
    for text in texts { #expect(!text.contains("sesame") && text.contains("key.pem")) }
  }
}
