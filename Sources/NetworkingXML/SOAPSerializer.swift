import Foundation
import Networking

/// A serializer that reads a SOAP message, and throws an error for a fault.
struct SOAPSerializer: ResponseSerializing {
  private let limits: XML.Limits

  /// Creates a serializer.
  ///
  /// - Parameter limits: The limits for the document.
  init(limits: XML.Limits = .standard) {
    self.limits = limits
  }

  /// Reads the message.
  ///
  /// - Parameter response: The response, with any status.
  /// - Returns: The message.
  /// - Throws: `NetworkError`. For a fault, its `soapFault` is not `nil`, and its code is
  ///   `unacceptableStatus` if the status is not 2xx, otherwise `decodingFailed`. The same codes
  ///   apply to a body that is not a SOAP message. The code is `noData` for a success without a
  ///   body.
  func serialize(_ response: Response) throws -> SOAPEnvelope {
    let isSuccess = 200..<300 ~= response.status
    let code: NetworkError.Code =
      isSuccess ? .decodingFailed : .unacceptableStatus(response.status)
    guard !response.hasNoBody else {
      throw NetworkError(isSuccess ? .noData : code, response)
    }
    let envelope: SOAPEnvelope
    do {
      envelope = try SOAPEnvelope(
        XML.Document(
          parsing: response.data, charset: response.contentType?.parameters["charset"],
          limits: limits))
    } catch {
      // A proxy's page for a failed request is not SOAP, and the status says more.
      let reason = isSuccess ? "it is not a SOAP message: \(error)" : nil
      throw NetworkError(code, response, reason, underlying: error)
    }
    if let fault = envelope.fault {
      let text = String(fault.description.unicodeScalars.prefix(2_048))
      let masked = response.request.attributes.redactor.maskedText(text)
      throw NetworkError(code, response, "SOAP fault: " + masked, underlying: fault)
    }
    guard isSuccess else { throw NetworkError(code, response) }
    return envelope
  }
}
