import Foundation
import Networking

#if canImport(CryptoKit)
  import CryptoKit
#else
  import CCatena
#endif

/// A digest of a file, or of a part of it.
struct ContentDigest: Sendable, Hashable {
  /// A hash function of RFC 9530 or of the tus protocol.
  enum Algorithm: String, Sendable, CaseIterable {
    case sha1
    case sha256 = "sha-256"
    case sha512 = "sha-512"

    /// The number of bytes of a hash.
    var size: Int {
      switch self {
      case .sha1: 20
      case .sha256: 32
      case .sha512: 64
      }
    }

    /// The name in the fields of the tus protocol.
    var tusName: String { rawValue.replacingOccurrences(of: "-", with: "") }
  }

  var algorithm: Algorithm
  var bytes: Data

  init(_ algorithm: Algorithm, _ bytes: Data) {
    self.algorithm = algorithm
    self.bytes = bytes
  }

  /// Parses a SHA-256 of 64 hexadecimal digits.
  init?(sha256 text: String) {
    let digits = text.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == 64, !digits.contains(nil) else { return nil }
    let values = digits.compactMap { $0 }
    let bytes = stride(from: 0, to: 64, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    self.init(.sha256, Data(bytes))
  }

  /// Makes the digest of the whole file that a response declares, the SHA-512 or else the SHA-256.
  ///
  /// `Repr-Digest` is that of the file in every response. `Content-Digest` is that of the body, which
  /// is the file if the status is not 206.
  ///
  /// The result is `nil` if there is no valid one.
  ///
  /// - Parameter response: A response without a content coding.
  init?(of response: Response) {
    self.init(
      response.status == 206 ? ["Repr-Digest"] : ["Repr-Digest", "Content-Digest"],
      in: response.headers)
  }

  /// Makes the digest in the first header field that has one, the SHA-512 or else the SHA-256.
  ///
  /// The result is `nil` if there is no valid one.
  init?(_ names: [String], in headers: HTTPHeaders) {
    for name in names {
      let members = headers.values(for: name).joined(separator: ",").split(separator: ",")
      for algorithm in [Algorithm.sha512, .sha256] {
        for member in members {
          let parts = member.trimmingCharacters(in: .whitespaces).split(
            separator: "=", maxSplits: 1)
          guard parts.count == 2, parts[0] == algorithm.rawValue, parts[1].hasPrefix(":"),
            let end = parts[1].dropFirst().firstIndex(of: ":"),
            let bytes = Data(base64Encoded: String(parts[1].dropFirst()[..<end])),
            bytes.count == algorithm.size
          else { continue }
          self.init(algorithm, bytes)
          return
        }
      }
    }
    return nil
  }
}

/// A computation of a hash over pieces, by CryptoKit on Apple platforms and by libcrypto on Linux.
struct ContentHasher: ~Copyable {
  #if canImport(CryptoKit)
    private enum Function {
      case sha1(Insecure.SHA1)
      case sha256(SHA256)
      case sha512(SHA512)
    }

    private var function: Function

    /// Begins a computation.
    init(_ algorithm: ContentDigest.Algorithm) throws {
      function =
        switch algorithm {
        case .sha1: .sha1(Insecure.SHA1())
        case .sha256: .sha256(SHA256())
        case .sha512: .sha512(SHA512())
        }
    }

    /// Adds bytes.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
      switch function {
      case .sha1(var hash):
        hash.update(bufferPointer: bytes)
        function = .sha1(hash)
      case .sha256(var hash):
        hash.update(bufferPointer: bytes)
        function = .sha256(hash)
      case .sha512(var hash):
        hash.update(bufferPointer: bytes)
        function = .sha512(hash)
      }
    }

    /// Ends the computation.
    consuming func end() throws -> Data {
      switch function {
      case .sha1(let hash): Data(hash.finalize())
      case .sha256(let hash): Data(hash.finalize())
      case .sha512(let hash): Data(hash.finalize())
      }
    }
  #else
    private let context: UnsafeMutableRawPointer
    private var isValid = true

    /// Begins a computation.
    ///
    /// - Throws: ``NetworkError`` with the code `unsupported` if the library is missing.
    init(_ algorithm: ContentDigest.Algorithm) throws {
      let function: CatenaHash =
        switch algorithm {
        case .sha1: .SHA1
        case .sha256: .SHA256
        case .sha512: .SHA512
        }
      guard let context = catena_hash_begin(function) else { throw Self.missing }
      self.context = context
    }

    deinit {
      catena_hash_release(context)
    }

    /// Adds bytes.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
      if !catena_hash_add(context, bytes.baseAddress, bytes.count) { isValid = false }
    }

    /// Ends the computation.
    consuming func end() throws -> Data {
      var output = [UInt8](repeating: 0, count: Int(CATENA_HASH_SIZE))
      let size = isValid ? catena_hash_end(context, &output) : 0
      guard size > 0 else { throw Self.missing }
      return Data(output.prefix(size))
    }

    private static var missing: NetworkError {
      NetworkError(.unsupported, "the hash function needs OpenSSL's libcrypto")
    }
  #endif
}
