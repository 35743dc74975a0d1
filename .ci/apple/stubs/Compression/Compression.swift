// The part of Compression that the sources use, after developer.apple.com/documentation/compression.
import Foundation

public enum FilterOperation: Sendable { case compress, decompress }
public enum Algorithm: Sendable { case lzfse, zlib, lz4, lzma, brotli }

public class OutputFilter {
  public init(
    _ operation: FilterOperation, using algorithm: Algorithm, bufferCapacity: Int = 65_536,
    writingTo writeFunc: @escaping (Data?) throws -> Void
  ) throws {}
  public func write<D: DataProtocol>(_ data: D?) throws {}
  public func finalize() throws {}
}

public class InputFilter {
  public init<D: DataProtocol>(
    _ operation: FilterOperation, using algorithm: Algorithm, bufferCapacity: Int = 65_536,
    readingFrom readFunc: @escaping (Int) throws -> D?
  ) throws {}
  public func readData(ofLength count: Int) throws -> Data? { nil }
}
