// The part of CryptoKit that the sources use, after developer.apple.com/documentation/cryptokit.
import Foundation

public protocol Digest: Hashable, ContiguousBytes, Sequence, Sendable where Element == UInt8 {}
public struct AnyDigest: Digest {
  public func makeIterator() -> Array<UInt8>.Iterator { [].makeIterator() }
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try body(UnsafeRawBufferPointer(start: nil, count: 0))
  }
}
public typealias SHA256Digest = AnyDigest

public protocol HashFunction: Sendable {
  associatedtype Digest: CryptoKit.Digest
  init()
  mutating func update(bufferPointer: UnsafeRawBufferPointer)
  func finalize() -> Digest
}
extension HashFunction {
  public static func hash<D: DataProtocol>(data: D) -> Digest { Self().finalize() }
  public mutating func update<D: DataProtocol>(data: D) {}
}
public struct SHA256: HashFunction {
  public init() {}
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
  public func finalize() -> AnyDigest { AnyDigest() }
}
public struct SHA384: HashFunction {
  public init() {}
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
  public func finalize() -> AnyDigest { AnyDigest() }
}
public struct SHA512: HashFunction {
  public init() {}
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
  public func finalize() -> AnyDigest { AnyDigest() }
}
public enum Insecure {
  public struct MD5: HashFunction {
    public init() {}
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
    public func finalize() -> AnyDigest { AnyDigest() }
  }
  public struct SHA1: HashFunction {
    public init() {}
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
    public func finalize() -> AnyDigest { AnyDigest() }
  }
}
public struct SymmetricKey: ContiguousBytes, Sendable {
  public init<D: ContiguousBytes>(data: D) {}
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try body(UnsafeRawBufferPointer(start: nil, count: 0))
  }
}
public struct HashedAuthenticationCode<H: HashFunction>: ContiguousBytes, Sequence, Sendable {
  public func makeIterator() -> Array<UInt8>.Iterator { [].makeIterator() }
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try body(UnsafeRawBufferPointer(start: nil, count: 0))
  }
}
public struct HMAC<H: HashFunction>: Sendable {
  public static func authenticationCode<D: DataProtocol>(for data: D, using key: SymmetricKey)
    -> HashedAuthenticationCode<H>
  { HashedAuthenticationCode() }
}
public enum AES {
  public enum GCM {
    public struct Nonce: ContiguousBytes, Sequence, Sendable {
      public init() {}
      public init<D: DataProtocol>(data: D) throws {}
      public func makeIterator() -> Array<UInt8>.Iterator { [].makeIterator() }
      public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try body(UnsafeRawBufferPointer(start: nil, count: 0))
      }
    }
    public struct SealedBox: Sendable {
      public var tag: Data { Data() }
      public var ciphertext: Data { Data() }
      public init<C: DataProtocol, T: DataProtocol>(nonce: Nonce, ciphertext: C, tag: T) throws {}
    }
    public static func seal<M: DataProtocol, D: DataProtocol>(
      _ message: M, using key: SymmetricKey, nonce: Nonce? = nil, authenticating authenticatedData: D
    ) throws -> SealedBox { try SealedBox(nonce: Nonce(), ciphertext: Data(), tag: Data()) }
    public static func open<D: DataProtocol>(
      _ sealedBox: SealedBox, using key: SymmetricKey, authenticating authenticatedData: D
    ) throws -> Data { Data() }
  }
}
