package import Foundation

/// The error of an operation on a file or folder.
///
/// A module that has its own errors converts it in one place, for example by
/// `NetworkError.reporting(_:_:)`.
package struct FileError: Error, Hashable {
  /// The path of the file or folder.
  package let path: String
  /// The problem as a clause without its subject, such as `cannot be opened`.
  package let problem: String
  /// The error number of the system, or `nil` if no call has failed.
  package let number: Int32?

  /// Creates an error from `errno`.
  ///
  /// - Parameters:
  ///   - path: The path. It must not be computed in the call, which could change `errno`.
  ///   - problem: The problem as a clause without its subject.
  ///   - number: The error number of the system. `nil` if no call has failed.
  package init(_ path: String, _ problem: StaticString, number: Int32? = errno) {
    self.path = path
    self.problem = "\(problem)"
    self.number = number
  }

  /// The cause without the file: the text of the system, or else the problem.
  package var cause: String { number.map { String(cString: strerror($0)) } ?? problem }

  /// Returns the text of the system about the cause of any error, such as one of Foundation.
  package static func cause(of error: any Error) -> String {
    if let error = error as? FileError { return error.cause }
    var error = error as NSError
    // The value is a `POSIXError` on Linux, which is not an `NSError` before it is converted.
    while let next = error.userInfo[NSUnderlyingErrorKey] as? any Error { error = next as NSError }
    return error.domain == NSPOSIXErrorDomain
      ? String(cString: strerror(Int32(error.code))) : error.localizedDescription
  }

  /// The file, the problem and the text of the system, as a clause.
  package var reason: String {
    let name = FilePath.split(path).name
    return number == nil ? "\(name) \(problem)" : "\(name) \(problem): \(cause)"
  }

  /// The error of Foundation with the same number.
  package var underlying: POSIXError? {
    number.flatMap { POSIXErrorCode(rawValue: $0) }.map { POSIXError($0) }
  }
}

extension FileError: CustomStringConvertible {
  /// The same as ``reason``.
  package var description: String { reason }
}

/// A file name as bytes, which need not be text.
package struct FileName: Sendable, Equatable {
  /// The maximum number of bytes of a name on common file systems.
  package static let maximumLength = 255

  package let bytes: [UInt8]

  /// Creates a name.
  package init(bytes: [UInt8]) { self.bytes = bytes }

  /// The name as text, with `U+FFFD` for each invalid sequence.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Returns the longest prefix of whole characters that fits in a number of UTF-8 bytes.
  package static func shortened(_ text: String, to limit: Int) -> Substring {
    var text = Substring(text)
    while text.utf8.count > limit { text.removeLast() }
    return text
  }
}

/// A path of a file, as text or as bytes.
package protocol FilePathConvertible {
  /// The path as bytes.
  var filePath: FilePath { get }
}

extension String: FilePathConvertible {
  package var filePath: FilePath { FilePath(self) }
}

/// A file path as a C string, which need not be text.
package struct FilePath: Sendable, FilePathConvertible {
  /// The bytes of the path, with the terminating 0.
  let bytes: [CChar]

  /// Creates a path of text.
  package init(_ text: String) { bytes = Array(text.utf8CString) }

  private init(bytes: [CChar]) { self.bytes = bytes }

  package var filePath: FilePath { self }

  /// The path as text, with `U+FFFD` for each invalid sequence.
  var text: String {
    String(decoding: bytes.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Returns the path of a file in a folder.
  package static func / (folder: FilePath, name: FileName) -> FilePath {
    let name = name.bytes.map(CChar.init(bitPattern:))
    return FilePath(
      bytes: folder.bytes.dropLast() + [CChar(bitPattern: UInt8(ascii: "/"))] + name + [0])
  }

  /// Returns the folder of a path and the name in it.
  package static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let folder = path[..<slash]
    return (folder.isEmpty ? "/" : String(folder), String(path[path.utf8.index(after: slash)...]))
  }
}
