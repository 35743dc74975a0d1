#if canImport(ImageIO)
  import Foundation
  import ImageIO
  import Promises

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

  extension Networking {
    /// Returns the decoded image of an endpoint, from a cache of values if it has the image.
    ///
    /// ```swift
    /// let covers = ValueCache<URL, DecodedImage>(cost: .megabytes(50))
    /// networking.image(for: .cover(id: 7), cached: covers, maximumSize: 400)
    /// ```
    ///
    /// The image is decoded once, off the main thread, however many ask for it at the same time. The
    /// cost is that of the pixels. The key is the URL of the request, so use a cache for each size.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - cache: The cache.
    ///   - size: The maximum width and height in pixels. `nil` keeps the size.
    ///   - file: The source file of the caller, for diagnostics.
    ///   - line: The source line of the caller, for diagnostics.
    /// - Returns: A promise of the image, like that of a decoded value. It is also rejected with the
    ///   code ``NetworkError/Code-swift.enum/decodingFailed``.
    public func image(
      for endpoint: Endpoint, cached cache: ValueCache<URL, DecodedImage>,
      maximumSize size: Int? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<DecodedImage> {
      cachedValue(endpoint, .normal, cache, file, line, cost: { image, _ in image.byteCount }) {
        try DecodedImage($0.data, maximumSize: size)
      }
    }

    /// Requests and decodes images that will be needed soon, with the lowest priority.
    ///
    /// - Parameters:
    ///   - endpoints: The endpoints, the most important first.
    ///   - cache: The cache.
    ///   - size: The maximum width and height in pixels. `nil` keeps the size.
    ///   - file: The source file of the caller, for diagnostics.
    ///   - line: The source line of the caller, for diagnostics.
    /// - Returns: A promise, like that of ``prefetch(_:cached:file:line:make:)``. It may be ignored.
    @discardableResult
    public func prefetch(
      _ endpoints: [Endpoint], cached cache: ValueCache<URL, DecodedImage>,
      maximumSize size: Int? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Void> {
      let images = endpoints.map { endpoint in
        cachedValue(endpoint, .veryLow, cache, file, line, cost: { image, _ in image.byteCount }) {
          try DecodedImage($0.data, maximumSize: size)
        }
      }
      return settled(images, on: .inline, file: file, line: line).map(on: .inline) { _ in () }
    }
  }
#endif
