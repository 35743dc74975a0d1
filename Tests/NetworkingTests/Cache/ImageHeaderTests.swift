import Networking
import TestGate
import Testing

@testable import NetworkingValues

/// The decisions about an image before and after its pixels are decoded.
@Suite(.gated)
struct ImageHeaderTests {
  private static let limit = 100_000_000

  private func decoding(
    _ width: Int, _ height: Int, orientation: Int = 1, size: Int? = nil, limit: Int = Self.limit
  ) throws -> ImageHeader.Decoding {
    try ImageHeader(width: width, height: height, orientation: orientation)
      .decoding(maximumSize: size, pixelLimit: limit)
  }

  @Test(arguments: -1...9)
  func anOrientationIsHonouredWithoutAMaximumSize(orientation: Int) throws {
    let isTurned = (2...8).contains(orientation)
    let expected: ImageHeader.Decoding = isTurned ? .transformed(longerSide: 40) : .asStored
    #expect(try decoding(40, 30, orientation: orientation) == expected)
    #expect(try decoding(30, 40, orientation: orientation) == expected)
    #expect(
      try decoding(40, 30, orientation: orientation, size: 10) == .transformed(longerSide: 10))
  }

  @Test func aMaximumSizeIsAtLeastOnePixel() throws {
    for size in [0, -1, Int.min] {
      #expect(try decoding(40, 30, size: size) == .transformed(longerSide: 1))
    }
  }

  @Test(arguments: [nil, 10])
  func tooManyPixelsAreRefused(size: Int?) throws {
    #expect(throws: Never.self) { try decoding(10_000, 10_000, size: size) }
    for (width, height) in [(10_000, 10_001), (Int.max, 2), (Int.max, Int.max), (60_000, 60_000)] {
      let error = #expect(throws: NetworkError.self) { try decoding(width, height, size: size) }
      #expect(error?.code == .decodingFailed)
      #expect(error?.description.contains("\(width) x \(height)") == true)
      #expect(error?.description.contains("\(Self.limit)") == true)
    }
    #expect(throws: Never.self) { try decoding(10_000, 10_001, size: size, limit: 100_010_000) }
    #expect(throws: NetworkError.self) { try decoding(10, 10, size: size, limit: 99) }
  }

  @Test func anImageWithoutPixelsIsRefused() {
    for (width, height) in [(0, 1), (1, 0), (-1, -1), (-1, 1)] {
      #expect(throws: NetworkError.self) { try decoding(width, height) }
    }
  }

  @Test(arguments: Int32(-6)...1)
  func onlyACompleteImageIsDelivered(image: Int32) throws {
    for file: Int32 in -6...1 {
      let isComplete = image == 0 || file == 0 && [-2, -3].contains(image)
      let result = Result { try ImageHeader.checkComplete(image: image, file: file) }
      #expect(((try? result.get()) != nil) == isComplete)
    }
  }
}
