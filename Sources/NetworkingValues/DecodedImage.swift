#if canImport(ImageIO)
  public import Foundation
  public import ImageIO
  public import Networking

  /// An image that has been decoded, so that it can be drawn at once.
  ///
  /// `@unchecked Sendable` because a `CGImage` does not change, and Core Graphics allows its use on
  /// any thread.
  public struct DecodedImage: @unchecked Sendable {
    /// The image.
    public let cgImage: CGImage

    /// The number of bytes of the pixels in memory.
    public var byteCount: Int {
      let (bytes, overflows) = cgImage.bytesPerRow.multipliedReportingOverflow(by: cgImage.height)
      return overflows ? .max : bytes
    }

    /// Decodes the first image of a file in any format that the system knows.
    ///
    /// It blocks while it decodes.
    ///
    /// - Parameters:
    ///   - data: The bytes of the file.
    ///   - size: The maximum width and height in pixels. A larger image is made smaller while it is
    ///     decoded, so that it never needs more memory. `nil` keeps the size.
    /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/decodingFailed`` if the
    ///   bytes are not an image.
    public init(_ data: Data, maximumSize size: Int? = nil) throws(NetworkError) {
      let unused: [CFString: Any] = [kCGImageSourceShouldCache: false]
      guard let source = CGImageSourceCreateWithData(data as CFData, unused as CFDictionary),
        let image = Self.image(of: source, size)
      else { throw NetworkError(.decodingFailed, "the body is not an image") }
      cgImage = image
    }

    private static func image(of source: CGImageSource, _ size: Int?) -> CGImage? {
      guard let size else {
        let options: [CFString: Any] = [kCGImageSourceShouldCacheImmediately: true]
        return CGImageSourceCreateImageAtIndex(source, 0, options as CFDictionary)
      }
      let options: [CFString: Any] = [
        kCGImageSourceCreateThumbnailFromImageAlways: true,
        kCGImageSourceCreateThumbnailWithTransform: true,
        kCGImageSourceShouldCacheImmediately: true,
        kCGImageSourceThumbnailMaxPixelSize: max(size, 1),
      ]
      return CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary)
    }
  }
#endif
