extension MediaType {
  /// The format of an image.
  public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
    /// `image/avif`.
    case avif
    /// `image/bmp`.
    case bmp
    /// `image/gif`.
    case gif
    /// `image/heic`.
    case heic
    /// `image/jpeg`.
    case jpeg
    /// `image/png`.
    case png
    /// `image/svg+xml`.
    case svg = "svg+xml"
    /// `image/tiff`.
    case tiff
    /// `image/webp`.
    case webp
  }

  /// The format of a video.
  public enum VideoFormat: String, Sendable, Hashable, CaseIterable {
    /// `video/matroska`, of the extension `mkv`.
    case matroska
    /// `video/quicktime`, of the extension `mov`.
    case mov = "quicktime"
    /// `video/mp4`.
    case mp4
    /// `video/mpeg`.
    case mpeg
    /// `video/webm`.
    case webm
  }

  /// The format of a sound.
  public enum AudioFormat: String, Sendable, Hashable, CaseIterable {
    /// `audio/aac`.
    case aac
    /// `audio/flac`.
    case flac
    /// `audio/mp4`, of the extension `m4a`.
    case m4a = "mp4"
    /// `audio/mpeg`, of the extension `mp3`.
    case mp3 = "mpeg"
    /// `audio/ogg`.
    case ogg
    /// `audio/wav`.
    case wav
  }

  /// The format of a text.
  public enum TextFormat: String, Sendable, Hashable, CaseIterable {
    /// `text/calendar`.
    case calendar
    /// `text/css`.
    case css
    /// `text/csv`.
    case csv
    /// `text/html`.
    case html
    /// `text/javascript`.
    case javaScript = "javascript"
    /// `text/markdown`.
    case markdown
    /// `text/plain`.
    case plain
    /// `text/vcard`.
    case vCard = "vcard"
  }

  /// Returns the media type of an image, such as `.image(.jpeg)`.
  ///
  /// - Parameter format: The format.
  /// - Returns: The media type.
  public static func image(_ format: ImageFormat) -> MediaType {
    MediaType(type: "image", subtype: format.rawValue)
  }

  /// Returns the media type of a video, such as `.video(.mov)`.
  ///
  /// - Parameter format: The format.
  /// - Returns: The media type.
  public static func video(_ format: VideoFormat) -> MediaType {
    MediaType(type: "video", subtype: format.rawValue)
  }

  /// Returns the media type of a sound, such as `.audio(.mp3)`.
  ///
  /// - Parameter format: The format.
  /// - Returns: The media type.
  public static func audio(_ format: AudioFormat) -> MediaType {
    MediaType(type: "audio", subtype: format.rawValue)
  }

  /// Returns the media type of a text, such as `.text(.csv)`, without a charset.
  ///
  /// - Parameter format: The format.
  /// - Returns: The media type.
  public static func text(_ format: TextFormat) -> MediaType {
    MediaType(type: "text", subtype: format.rawValue)
  }

  /// `application/gzip`.
  public static let gzip = MediaType(type: "application", subtype: "gzip")
  /// `application/json`.
  public static let json = MediaType(type: "application", subtype: "json")
  /// `application/octet-stream`: bytes of an unknown kind.
  public static let octetStream = MediaType(type: "application", subtype: "octet-stream")
  /// `application/pdf`.
  public static let pdf = MediaType(type: "application", subtype: "pdf")
  /// `application/xml`.
  public static let xml = MediaType(type: "application", subtype: "xml")
  /// `application/yaml`.
  public static let yaml = MediaType(type: "application", subtype: "yaml")
  /// `application/zip`.
  public static let zip = MediaType(type: "application", subtype: "zip")
}

extension MediaType {
  /// The media type with its parameters, as the value of a `Content-Type` field, such as
  /// `text/html; charset=utf-8`.
  ///
  /// The parameters are sorted by name. Values that are not tokens are quoted.
  var headerValue: String {
    sortedByKey(Array(parameters)).reduce(into: description) { text, parameter in
      let value = parameter.value.isToken ? parameter.value : parameter.value.quotedString
      text += "; \(parameter.key)=\(value)"
    }
  }

  /// Creates the media type of a file extension.
  ///
  /// The result is `nil` for an unknown extension.
  ///
  /// - Parameter fileExtension: The extension without the dot, in any case.
  public init?(fileExtension: String) {
    guard let text = Self.typesByExtension[fileExtension.lowercased()] else { return nil }
    self.init(text)
  }

  private static let typesByExtension = [
    "7z": "application/x-7z-compressed", "aac": "audio/aac", "avif": "image/avif",
    "bin": "application/octet-stream", "bmp": "image/bmp", "bz2": "application/x-bzip2",
    "css": "text/css", "csv": "text/csv", "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "eml": "message/rfc822", "epub": "application/epub+zip", "flac": "audio/flac",
    "geojson": "application/geo+json", "gif": "image/gif", "gz": "application/gzip",
    "heic": "image/heic", "heif": "image/heif", "htm": "text/html", "html": "text/html",
    "ico": "image/vnd.microsoft.icon", "ics": "text/calendar", "jpeg": "image/jpeg",
    "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json",
    "jsonl": "application/jsonl", "jxl": "image/jxl", "m4a": "audio/mp4", "m4v": "video/mp4",
    "md": "text/markdown", "mjs": "text/javascript", "mkv": "video/matroska",
    "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4", "mpeg": "video/mpeg",
    "mpg": "video/mpeg", "odp": "application/vnd.oasis.opendocument.presentation",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "odt": "application/vnd.oasis.opendocument.text", "ogg": "audio/ogg", "opus": "audio/ogg",
    "otf": "font/otf", "pdf": "application/pdf", "png": "image/png",
    "ppt": "application/vnd.ms-powerpoint",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "rtf": "application/rtf", "svg": "image/svg+xml", "tar": "application/x-tar",
    "tif": "image/tiff", "tiff": "image/tiff", "ttf": "font/ttf", "txt": "text/plain",
    "vcf": "text/vcard", "wasm": "application/wasm", "wav": "audio/wav", "webm": "video/webm",
    "webmanifest": "application/manifest+json", "webp": "image/webp", "woff": "font/woff",
    "woff2": "font/woff2", "xhtml": "application/xhtml+xml", "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "xml": "application/xml", "yaml": "application/yaml", "yml": "application/yaml",
    "zip": "application/zip", "zst": "application/zstd",
  ]
}
