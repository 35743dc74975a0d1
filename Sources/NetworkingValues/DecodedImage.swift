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

    /// The default limit for the stored pixels of an image: 100 million.
    ///
    /// A file of some kilobytes can have pixels that fill the memory.
    public static let defaultPixelLimit = 100_000_000

    /// Decodes the first image of a file in any format that the system knows.
    ///
    /// The image is turned as its orientation says. It blocks while it decodes.
    ///
    /// - Parameters:
    ///   - data: The bytes of the file.
    ///   - size: The maximum width and height in pixels. A larger image is made smaller while it is
    ///     decoded. `nil` keeps the size.
    ///   - pixelLimit: The maximum number of stored pixels, which is checked before they are decoded.
    /// - Throws: ``NetworkError`` with the code ``NetworkError/Code-swift.enum/decodingFailed`` if the
    ///   bytes are not an image, if a part of them is missing, or if the image has too many pixels.
    public init(
      _ data: Data, maximumSize size: Int? = nil, pixelLimit: Int = defaultPixelLimit
    ) throws(NetworkError) {
      let unused: [CFString: Any] = [kCGImageSourceShouldCache: false]
      guard let source = CGImageSourceCreateWithData(data as CFData, unused as CFDictionary),
        let header = Self.header(of: source)
      else { throw Self.notAnImage }
      let decoding = try header.decoding(maximumSize: size, pixelLimit: pixelLimit)
      guard let image = Self.image(of: source, decoding) else { throw Self.notAnImage }
      // The status of an image may be known only now.
      try ImageHeader.checkComplete(
        image: CGImageSourceGetStatusAtIndex(source, 0).rawValue,
        file: CGImageSourceGetStatus(source).rawValue)
      cgImage = image
    }

    private static var notAnImage: NetworkError {
      NetworkError(.decodingFailed, "the body is not an image")
    }

    private static func header(of source: CGImageSource) -> ImageHeader? {
      let properties = CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [CFString: Any]
      guard let width = properties?[kCGImagePropertyPixelWidth] as? Int,
        let height = properties?[kCGImagePropertyPixelHeight] as? Int
      else { return nil }
      let orientation = properties?[kCGImagePropertyOrientation] as? Int ?? 1
      return ImageHeader(width: width, height: height, orientation: orientation)
    }

    private static func image(
      of source: CGImageSource, _ decoding: ImageHeader.Decoding
    ) -> CGImage? {
      guard case .transformed(let longerSide) = decoding else {
        let options: [CFString: Any] = [kCGImageSourceShouldCacheImmediately: true]
        return CGImageSourceCreateImageAtIndex(source, 0, options as CFDictionary)
      }
      let options: [CFString: Any] = [
        kCGImageSourceCreateThumbnailFromImageAlways: true,
        kCGImageSourceCreateThumbnailWithTransform: true,
        kCGImageSourceShouldCacheImmediately: true,
        kCGImageSourceThumbnailMaxPixelSize: longerSide,
      ]
      return CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary)
    }
  }
#endif
