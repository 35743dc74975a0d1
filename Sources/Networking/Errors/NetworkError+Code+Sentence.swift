extension NetworkError.Code {
  /// What happened, as the end of a sentence that starts with the request.
  var sentence: String {
    switch self {
    case .invalidURL: "the URL is invalid"
    case .invalidMethod: "the method is invalid"
    case .invalidHeader: "a header is invalid"
    case .encodingFailed: "the parameters cannot be encoded"
    case .unsupported: "this is not supported here"
    case .mockFailed: "there is no mocked answer"
    case .dnsFailed: "the host's name could not be resolved"
    case .cannotConnect: "no connection could be made"
    case .connectionLost: "the connection was lost"
    case .notConnectedToInternet: "there is no network"
    case .timedOut(.connect): "the time to connect was up"
    case .timedOut(.idle): "the connection was silent for too long"
    case .timedOut(.attempt): "the time for an attempt was up"
    case .timedOut(.call): "the time for the call was up"
    case .tlsHandshakeFailed: "the TLS handshake failed"
    case .tlsCertificateExpired: "the server's certificate has expired or is not valid yet"
    case .tlsHostMismatch: "the server's certificate is for another host"
    case .tlsUntrusted: "the server's certificate is not trusted"
    case .pinMismatch: "the server's key is not among those pinned"
    case .malformedResponse: "the response is not proper HTTP"
    case .bodyTooLarge: "the body of the response is too large"
    case .fileNotWritten: "the file for the body cannot be written"
    case .circuitOpen: "the host has failed too often and is left alone for now"
    case .cancelled: "cancelled"
    case .redirectRefused: "a redirect was refused"
    case .tooManyRedirects: "too many redirects"
    case .unacceptableStatus(let status): "the status \(status) is not acceptable"
    case .unacceptableContentType(let type):
      "the content type \(type.debugDescription) is not acceptable"
    case .missingContentType: "the response has no content type"
    case .decodingFailed: "the body cannot be decoded"
    case .jsonFailed: "the body is not the JSON asked for"
    case .stringFailed: "the body is not text in the encoding"
    case .noData: "the body is empty"
    case .offlineStoreFull: "the offline store is full"
    case .offlineStoreFailed: "the offline store has failed"
    case .offlineStoreBusy: "the offline store is being replayed already"
    }
  }
}
