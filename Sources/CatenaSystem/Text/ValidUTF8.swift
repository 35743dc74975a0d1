extension String {
  /// Decodes a text in UTF-8.
  ///
  /// Invalid bytes are not replaced.
  ///
  /// - Parameter bytes: The bytes of the text. Returns `nil` if they are not valid UTF-8.
  @inlinable
  package init?(validUTF8 bytes: some Collection<UInt8>) {
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
      self.init(validating: bytes, as: UTF8.self)
    } else {
      self.init(unrepairedUTF8: bytes)
    }
  }

  /// Decodes a text in UTF-8, on systems whose standard library does not validate it.
  ///
  /// - Parameter bytes: The bytes of the text. Returns `nil` if they are not valid UTF-8.
  @inlinable
  package init?(unrepairedUTF8 bytes: some Collection<UInt8>) {
    self.init(decoding: bytes, as: UTF8.self)
    // Invalid bytes have been replaced by those of U+FFFD, which are other ones.
    guard utf8.elementsEqual(bytes) else { return nil }
  }
}
