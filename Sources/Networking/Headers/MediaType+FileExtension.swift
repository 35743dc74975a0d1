extension MediaType {
  /// The type of files whose names end in a certain way.
  ///
  /// - Parameter fileExtension: what stands behind the name's last full stop, in any case, without it. Nil
  ///   for one that is not known here.
  public init?(fileExtension: String) {
    guard let text = Self.typesByExtension[fileExtension.lowercased()] else { return nil }
    self.init(text)
  }

  private static let typesByExtension = [
    "aac": "audio/aac", "avif": "image/avif", "bin": "application/octet-stream",
    "bmp": "image/bmp", "css": "text/css", "csv": "text/csv", "gif": "image/gif",
    "gz": "application/gzip", "heic": "image/heic", "htm": "text/html", "html": "text/html",
    "ico": "image/vnd.microsoft.icon", "ics": "text/calendar", "jpeg": "image/jpeg",
    "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json",
    "jsonl": "application/jsonl", "m4a": "audio/mp4", "md": "text/markdown",
    "mjs": "text/javascript", "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4",
    "ogg": "audio/ogg", "otf": "font/otf", "pdf": "application/pdf", "png": "image/png",
    "rtf": "application/rtf", "svg": "image/svg+xml", "tar": "application/x-tar",
    "tif": "image/tiff", "tiff": "image/tiff", "ttf": "font/ttf", "txt": "text/plain",
    "wasm": "application/wasm", "wav": "audio/wav", "webm": "video/webm",
    "webmanifest": "application/manifest+json", "webp": "image/webp", "woff": "font/woff",
    "woff2": "font/woff2", "xhtml": "application/xhtml+xml", "xml": "application/xml",
    "yaml": "application/yaml", "yml": "application/yaml", "zip": "application/zip",
  ]
}
