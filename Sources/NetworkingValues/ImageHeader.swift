import Networking

/// The properties of an image file that are known before its pixels are decoded.
struct ImageHeader {
  /// The size in pixels, as stored.
  var width: Int
  var height: Int
  /// The orientation of EXIF and TIFF, from 1 to 8.
  ///
  /// Other values count as 1.
  var orientation = 1

  /// A way to decode an image.
  enum Decoding: Equatable {
    /// The stored pixels are those of the image.
    case asStored
    /// The image is turned, and made smaller so that its longer side has this size at most.
    case transformed(longerSide: Int)
  }

  /// Returns the way to decode the image.
  ///
  /// - Parameters:
  ///   - size: The maximum width and height. `nil` keeps the size.
  ///   - limit: The maximum number of stored pixels.
  /// - Returns: The way.
  /// - Throws: ``NetworkError`` with the code `decodingFailed` if there are no pixels, or too many.
  func decoding(maximumSize size: Int?, pixelLimit limit: Int) throws(NetworkError) -> Decoding {
    guard width > 0, height > 0 else { throw NetworkError(.decodingFailed, "the image is empty") }
    let (pixels, overflows) = width.multipliedReportingOverflow(by: height)
    guard !overflows, pixels <= limit else {
      throw NetworkError(
        .decodingFailed,
        "the image has \(width) x \(height) pixels, and the limit is \(limit) pixels")
    }
    if let size { return .transformed(longerSide: max(size, 1)) }
    return (2...8).contains(orientation) ? .transformed(longerSide: max(width, height)) : .asStored
  }

  /// Checks the statuses of a decoded image, because the pixels that are missing in a truncated file do not
  /// fail the decoding.
  ///
  /// - Parameters:
  ///   - image: The `CGImageSourceStatus` of the image. It may be missing for a file with one image.
  ///   - file: That of the file.
  /// - Throws: ``NetworkError`` with the code `decodingFailed` if the image is incomplete.
  static func checkComplete(image: Int32, file: Int32) throws(NetworkError) {
    // Reading the header, and an unknown type.
    let isMissing = image == -2 || image == -3
    guard image == 0 || isMissing && file == 0 else {
      throw NetworkError(.decodingFailed, "the image is incomplete or damaged")
    }
  }
}
