/// What a store knows of a copy of a payload's file.
struct StoredFile: Sendable, Hashable, Codable {
  let byteCount: Int64
  let checksum: String
}
