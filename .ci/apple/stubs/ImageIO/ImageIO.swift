// The part of ImageIO and of Core Graphics that this project uses, after Apple's documentation.

import Foundation
@_exported import Security

public final class CGImage {
  public var width: Int { 0 }
  public var height: Int { 0 }
  public var bytesPerRow: Int { 0 }
}

public final class CGImageSource {}

public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource?
{ nil }
public func CGImageSourceCreateImageAtIndex(
  _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? { nil }
public func CGImageSourceCreateThumbnailAtIndex(
  _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? { nil }
public let kCGImageSourceShouldCache: CFString = ""
public let kCGImageSourceShouldCacheImmediately: CFString = ""
public let kCGImageSourceCreateThumbnailFromImageAlways: CFString = ""
public let kCGImageSourceCreateThumbnailWithTransform: CFString = ""
public let kCGImageSourceThumbnailMaxPixelSize: CFString = ""
