import CatenaSystem
import Foundation
import Networking

/// The data with which the system continues an interrupted download.
///
/// It contains the original request with its header fields, so it may contain a secret. It is stored in a
/// file that only its owner can read, that is in no backup, and that is removed after ``lifetime``. It is
/// used only for a request with the same identity, so that the system never sends the token of another user.
struct BackgroundResumption: Sendable, Codable {
  /// The maximum number of bytes.
  ///
  /// The data of the system usually has a few thousand.
  static let limit = 256 << 10
  /// The time after which stored data is removed, in seconds: a week, the limit of the system for a transfer.
  static let lifetime: TimeInterval = 7 * 24 * 3600

  /// The identity of the request.
  ///
  /// `nil` if the download cannot be continued.
  var identity: String?
  /// The data.
  ///
  /// `nil` if the system has none, or it is too long.
  private(set) var data: Data?
  /// Whether the error means that the system cannot use the data from which the task was made.
  private(set) var isRefused = false

  private enum CodingKeys: CodingKey {
    case identity, data
  }

  /// Makes an empty value.
  init() {}

  /// Reads the error of a background task.
  ///
  /// - Parameter error: The error.
  init(_ error: any Error) {
    let error = error as NSError
    let data = error.userInfo["NSURLSessionDownloadTaskResumeData"] as? Data
    self.data = data.flatMap { $0.isEmpty || $0.count > Self.limit ? nil : $0 }
    // An error with resume data has a cause that passes, such as a full disk.
    isRefused = data == nil && Self.isRefusal(error)
  }

  /// Returns whether the system reports an error for resume data that it cannot read, or whose temporary file
  /// is missing.
  ///
  /// It has no code for this alone: it is usually `NSURLErrorCannotWriteToFile`.
  private static func isRefusal(_ error: NSError) -> Bool {
    switch error.domain {
    case NSCocoaErrorDomain: true
    case NSPOSIXErrorDomain: [Int(ENOENT), Int(EFAULT), Int(EINVAL)].contains(error.code)
    case NSURLErrorDomain:
      // From `NSURLErrorDownloadDecodingFailedToComplete` to `NSURLErrorCannotCreateFile`.
      (-3_007 ... -3_000).contains(error.code)
        || [NSURLErrorUnknown, NSURLErrorUnsupportedURL].contains(error.code)
    default: false
    }
  }

  /// Returns the identity of a request: a hash of the method, the URL and all header fields.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - sessionHeaders: The header fields that the session adds to it.
  /// - Returns: The identity. `nil` for a request with `Range`, whose response is a part of the file.
  static func identity(of request: HTTPRequest, sessionHeaders: HTTPHeaders) -> String? {
    guard !request.headers.contains("Range"), !sessionHeaders.contains("Range") else { return nil }
    let fields = [request.headers, sessionHeaders].map { headers in
      headers.fields.map { "\($0.name.lowercased()):\($0.value)" }.sorted().joined(separator: "\n")
    }
    return DigestAlgorithm.sha256.hash(
      "\(request.method)\n\(request.url.absoluteString)\n\(fields.joined(separator: "\n\n"))")
  }

  /// Compares the length of a continued download with its total.
  ///
  /// The system delivers only the continuation if its temporary file was missing.
  ///
  /// - Parameters:
  ///   - file: The received file.
  ///   - head: The head of the response.
  /// - Returns: `false` if a part of the file is missing.
  static func isComplete(_ file: URL, _ head: HTTPResponseHead) -> Bool {
    guard head.status == 206,
      let total = head.headers["Content-Range"].flatMap({ ContentRange($0)?.total })
    else { return true }
    return (try? FileStatus(file.path))?.byteCount == total
  }
}
