import Foundation
import Networking

/// The record that is stored with a task of a background session, so that a later run of the program
/// recognizes the task.
///
/// The system keeps it as the description of the task. It contains the key of the transfer, the location of
/// the file, and a hash of the request, and neither the URL nor header fields.
struct BackgroundRecord: Codable, Sendable, Equatable {
  private static let currentVersion = 1

  private var version = Self.currentVersion
  /// The key of the transfer.
  let key: String
  /// The destination of a download.
  ///
  /// `nil` for an upload.
  let destination: StoredLocation?
  /// Whether an existing file is replaced.
  let replaces: Bool
  /// The identity of the request, for its resume data.
  ///
  /// `nil` if the transfer cannot be continued.
  let identity: String?
  /// Whether the task continues with resume data.
  ///
  /// `nil` means `false`.
  var isContinued: Bool?

  /// Makes a record.
  ///
  /// - Parameters:
  ///   - key: The key of the transfer.
  ///   - target: The destination of a download. `nil` for an upload.
  ///   - identity: The identity of the request of a download.
  init(key: String, target: FileTarget?, identity: String? = nil) {
    self.key = key
    self.identity = identity
    destination = target.map { StoredLocation($0.url) }
    replaces = target?.replaces ?? true
  }

  /// Reads a record.
  ///
  /// Returns `nil` if the text is not a record, or one of an unknown version.
  ///
  /// - Parameter text: The description of a task.
  init?(_ text: String?) {
    guard let text,
      let record = try? JSONDecoder().decode(BackgroundRecord.self, from: Data(text.utf8)),
      record.version == Self.currentVersion
    else { return nil }
    self = record
  }

  /// The record as JSON.
  var text: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Texts, a number and flags can always be encoded.
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// The target of a download.
  ///
  /// `nil` for an upload.
  var target: FileTarget? {
    destination.map { FileTarget(url: $0.url(), replaces: replaces) }
  }
}

extension BackgroundRecord {
  /// Returns the key of a request.
  ///
  /// It is ``Request/transferKey``, or else a hash of the method, the URL before the client's
  /// interceptors, and the location of the file. It is the same in each run of the program.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - file: The destination of a download, or the body of an upload.
  ///   - home: The home folder of the program.
  /// - Returns: The key.
  static func key(
    of request: HTTPRequest, file: URL, home: String = NSHomeDirectory()
  ) -> String {
    if let key = request.attributes[TransferKeyAttribute.self] { return key }
    let location = StoredLocation(file, home: home)
    let path = location.isInHome ? location.path : StoredLocation.comparable(location.path)
    let text = "\(request.method)\n\(request.url.absoluteString)\n\(location.isInHome)\n\(path)"
    return DigestAlgorithm.sha256.hash(text) ?? text
  }
}

/// The location of a file that a later run of the program can find.
///
/// The system may move the container of an app, its home folder, when it updates the app. A file in
/// the home folder is therefore stored relative to it.
struct StoredLocation: Codable, Sendable, Equatable {
  /// Whether the path is relative to the home folder.
  let isInHome: Bool
  let path: String

  init(_ file: URL, home: String = NSHomeDirectory()) {
    let full = file.standardizedFileURL.path
    let path = Self.comparable(full)
    var folder = Self.comparable(URL(fileURLWithPath: home).standardizedFileURL.path)
    if !folder.hasSuffix("/") { folder += "/" }
    isInHome = path.hasPrefix(folder)
    self.path = isInHome ? String(path.dropFirst(folder.count)) : full
  }

  /// Returns a path for comparisons, without the folder `/private`.
  ///
  /// On Apple platforms `/var`, `/tmp` and `/etc` are links to folders there, and the functions of the
  /// system return one path or the other. Foundation removes `/private` only from the path of a file that
  /// exists.
  static func comparable(_ path: String) -> String {
    let parts = path.split(separator: "/", maxSplits: 2)
    guard path.hasPrefix("/private/"), parts.count > 1, ["var", "tmp", "etc"].contains(parts[1])
    else { return path }
    return String(path.dropFirst("/private".count))
  }

  /// Returns the location in this run of the program.
  func url(home: String = NSHomeDirectory()) -> URL {
    guard isInHome else { return URL(fileURLWithPath: path, isDirectory: false) }
    return URL(fileURLWithPath: home, isDirectory: true)
      .appendingPathComponent(path, isDirectory: false)
  }
}

// MARK: - Keys of requests

/// The key of the attribute with the transfer key of a request.
enum TransferKeyAttribute: RequestAttributeKey {
  static let defaultValue: String? = nil
}

extension Request {
  /// The key by which a later run of the program finds the background transfer of the request.
  ///
  /// `nil` uses a key that is made of the method, the URL before the client's interceptors, and the
  /// location of the file, so that the same call finds its transfer again. Set a key if the URL differs in each run, such as a
  /// presigned one, or for ``Networking/backgroundTransferResponse(forKey:onProgress:file:line:)``. The system stores the
  /// key, so it must not contain a secret. Only clients with a background session use it.
  public var transferKey: String? {
    get { attributes[TransferKeyAttribute.self] }
    set { attributes[TransferKeyAttribute.self] = newValue }
  }
}

extension RequestOption {
  /// Returns an option that sets the key of the background transfer.
  ///
  /// ```swift
  /// networking.download(.film(id: 7), to: file, .transferKey("film-7"))
  /// ```
  ///
  /// - Parameter key: The key. See ``Request/transferKey``.
  /// - Returns: The option.
  public static func transferKey(_ key: String?) -> RequestOption {
    change { $0.transferKey = key }
  }
}
