extension Duration {
  /// Rounded, with its unit: `42 ms`.
  var inMilliseconds: String {
    "\(Int((self / .milliseconds(1)).rounded())) ms"
  }
}
