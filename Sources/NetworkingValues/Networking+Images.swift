#if canImport(ImageIO)
  public import Foundation
  public import Networking
  public import Promises

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
    ///   - pixelLimit: The maximum number of stored pixels of an image.
    ///   - options: The options of the request, which are applied in order.
    ///   - file: The source file of the caller, for diagnostics.
    ///   - line: The source line of the caller, for diagnostics.
    /// - Returns: A promise of the image, like that of a decoded value. It is also rejected with the
    ///   code ``NetworkError/Code-swift.enum/decodingFailed``.
    public func image(
      for endpoint: Endpoint, cached cache: ValueCache<URL, DecodedImage>,
      maximumSize size: Int? = nil, pixelLimit: Int = DecodedImage.defaultPixelLimit,
      _ options: RequestOption..., file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<DecodedImage> {
      cachedValue(endpoint, options, cache, file, line, cost: { image, _ in image.byteCount }) {
        try DecodedImage($0.data, maximumSize: size, pixelLimit: pixelLimit)
      }
    }

    /// Returns the decoded image of a typed endpoint, like that of an `Endpoint`.
    @_disfavoredOverload
    public func image(
      for endpoint: some TypedEndpoint, cached cache: ValueCache<URL, DecodedImage>,
      maximumSize size: Int? = nil, pixelLimit: Int = DecodedImage.defaultPixelLimit,
      _ options: RequestOption..., file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<DecodedImage> {
      cachedValue(endpoint, options, cache, file, line, cost: { image, _ in image.byteCount }) {
        try DecodedImage($0.data, maximumSize: size, pixelLimit: pixelLimit)
      }
    }

    /// Requests and decodes images that will be needed soon, with the lowest priority.
    ///
    /// - Parameters:
    ///   - endpoints: The endpoints, the most important first.
    ///   - cache: The cache.
    ///   - size: The maximum width and height in pixels. `nil` keeps the size.
    ///   - pixelLimit: The maximum number of stored pixels of an image.
    ///   - options: The options of the request, which are applied in order.
    ///   - file: The source file of the caller, for diagnostics.
    ///   - line: The source line of the caller, for diagnostics.
    /// - Returns: A promise, like that of ``prefetch(_:cached:_:file:line:make:)``. It may be ignored.
    @discardableResult
    public func prefetch(
      _ endpoints: [Endpoint], cached cache: ValueCache<URL, DecodedImage>,
      maximumSize size: Int? = nil, pixelLimit: Int = DecodedImage.defaultPixelLimit,
      _ options: RequestOption..., file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Void> {
      prefetch(endpoints, options, cache, file, line, cost: { image, _ in image.byteCount }) {
        try DecodedImage($0.data, maximumSize: size, pixelLimit: pixelLimit)
      }
    }
  }
#endif
