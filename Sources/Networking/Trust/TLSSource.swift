import CatenaSystem
public import Foundation

/// A source of certificates, of a private key, or of revocation lists.
///
/// Files and folders are read once, when the ``TLSOptions`` with the source are made. PEM and DER are
/// recognized by the contents.
public struct TLSSource: Sendable {
  private enum Kind: Sendable {
    case data(Data)
    case file(URL)
    case files([URL])
    case folder(URL)
  }

  private let kind: Kind

  /// Bytes in memory, in PEM or DER.
  ///
  /// - Parameter data: The bytes.
  /// - Returns: The source.
  public static func data(_ data: Data) -> TLSSource { TLSSource(kind: .data(data)) }

  /// Text in PEM.
  ///
  /// - Parameter text: The text. Text outside of the blocks is ignored.
  /// - Returns: The source.
  public static func pem(_ text: String) -> TLSSource { TLSSource(kind: .data(Data(text.utf8))) }

  /// A regular file in PEM or DER.
  ///
  /// - Parameter url: The file.
  /// - Returns: The source.
  public static func file(_ url: URL) -> TLSSource { TLSSource(kind: .file(url)) }

  /// The files of a folder.
  ///
  /// Certificates are read from all files whose names end in `.pem`, `.crt`, `.cer` or `.der`, revocation
  /// lists from those that end in `.crl`. So one folder can have both. Folders in it are ignored.
  ///
  /// - Parameter url: The folder.
  /// - Returns: The source.
  public static func folder(_ url: URL) -> TLSSource { TLSSource(kind: .folder(url)) }

  /// The resources of a bundle, with the names that ``folder(_:)`` describes.
  ///
  /// - Parameter bundle: The bundle.
  /// - Returns: The source.
  public static func bundle(_ bundle: Bundle) -> TLSSource {
    TLSSource(
      kind: .files(
        (certificateExtensions + listExtensions).flatMap {
          (bundle.urls(forResourcesWithExtension: $0, subdirectory: nil) ?? []).map { $0 as URL }
        }))
  }

  /// The extensions of files with certificates.
  static let certificateExtensions = ["pem", "crt", "cer", "der"]
  /// The extensions of files with revocation lists.
  static let listExtensions = ["crl"]

  /// The maximum size of a file in bytes.
  private static let maximumSize = 16 << 20

  /// An item of the source, with its name in errors.
  struct Item {
    let name: String
    let bytes: Data
  }

  /// Reads the items.
  ///
  /// - Parameters:
  ///   - purpose: The items in errors, such as `the authorities`.
  ///   - extensions: The extensions of the files of a folder, in lower case.
  /// - Returns: At least one item.
  /// - Throws: `invalidTLSOptions` with the name of an item that cannot be read.
  func items(
    _ purpose: String, extensions: [String] = certificateExtensions
  ) throws(NetworkError) -> [Item] {
    func isNamed(_ url: URL) -> Bool { extensions.contains(url.pathExtension.lowercased()) }
    switch kind {
    case .data(let data): return [Item(name: purpose, bytes: data)]
    case .file(let url): return [try Self.read(url, purpose)]
    case .files(let urls):
      return try Self.read(urls.filter(isNamed), purpose, in: "the bundle", extensions)
    case .folder(let url):
      guard
        let names = try? FileManager.default.contentsOfDirectory(atPath: url.path)
      else { throw .invalidTLS("\(purpose): the folder \(url.path) cannot be read") }
      let urls = names.sorted().map { url.appendingPathComponent($0) }
        .filter {
          isNamed($0) && (try? FileStatus($0.path, followingLinks: true))?.isFolder != true
        }
      return try Self.read(urls, purpose, in: "the folder \(url.path)", extensions)
    }
  }

  private static func read(
    _ urls: [URL], _ purpose: String, in place: String, _ extensions: [String]
  ) throws(NetworkError) -> [Item] {
    guard !urls.isEmpty else {
      let endings = extensions.map { "." + $0 }.joined(separator: ", ")
      throw .invalidTLS("\(purpose): \(place) has no file that ends in \(endings)")
    }
    return try urls.map { url throws(NetworkError) in try read(url, purpose) }
  }

  private static func read(_ url: URL, _ purpose: String) throws(NetworkError) -> Item {
    guard url.isFileURL, let file = try? OpenFile(url.path), let size = try? file.length,
      size <= maximumSize, let bytes = try? file.read(Int(size))
    else { throw .invalidTLS("\(purpose): \(url.path) cannot be read, or is no regular file") }
    return Item(name: "\(purpose) in \(url.path)", bytes: bytes)
  }

  /// Reads the certificates.
  ///
  /// - Parameter purpose: The certificates in errors, such as `the authorities`.
  /// - Returns: At least one certificate.
  /// - Throws: `invalidTLSOptions` with the name of an item that is malformed.
  func certificates(_ purpose: String) throws(NetworkError) -> [ServerCertificate] {
    var certificates: [ServerCertificate] = []
    for item in try items(purpose) {
      guard let found = ServerCertificate.all(in: item.bytes) else {
        throw .invalidTLS("\(item.name): not a certificate in PEM or DER")
      }
      certificates += found
    }
    return certificates
  }

  /// Reads the only item.
  ///
  /// - Parameter purpose: The item in errors, such as `the key of the client`.
  /// - Returns: The item.
  /// - Throws: `invalidTLSOptions` if there are several items, or one cannot be read.
  func item(_ purpose: String) throws(NetworkError) -> Item {
    let items = try items(purpose)
    guard items.count == 1 else { throw .invalidTLS("\(purpose): several files") }
    return items[0]
  }
}

extension PublicKeyPin {
  /// Computes the pin of a certificate or a public key.
  ///
  /// - Parameter pem: The certificate, or the key, in PEM. Only the first one counts.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/invalidTLSOptions`` if the
  ///   text has neither, ``NetworkError/Code-swift.enum/unsupported`` in a build without libcurl.
  public init(pem: String) throws(NetworkError) { try self.init(reading: Data(pem.utf8), "PEM") }

  /// Computes the pin of a certificate or a public key.
  ///
  /// - Parameter der: The certificate, or the key as a SubjectPublicKeyInfo, in DER.
  /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/invalidTLSOptions`` if the
  ///   bytes are neither, ``NetworkError/Code-swift.enum/unsupported`` in a build without libcurl.
  public init(der: Data) throws(NetworkError) { try self.init(reading: der, "DER") }

  private init(reading bytes: Data, _ form: String) throws(NetworkError) {
    try Platform.requireSupport()
    guard (bytes.first == 0x30) == (form == "DER"), let pin = PublicKeyPin(of: bytes) else {
      throw .invalidTLS("the pin: neither a certificate nor a public key in \(form)")
    }
    self = pin
  }
}
