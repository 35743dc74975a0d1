import Foundation

@testable import Networking

extension FuzzTarget {
  /// The file of a cookie jar, written by someone else.
  static let cookieFiles = FuzzTarget("cookie-files") { input in
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    Growth.checkLinear(input) { bytes in
      _ = try? CookieJar(file: Scratch.write(Data(bytes), to: "cookies.json")) { now }
    }
    let url = Scratch.write(input.data, to: "cookies.json")
    let jar: CookieJar
    do {
      jar = try CookieJar(file: url) { now }
    } catch {
      expect((error as? NetworkError)?.code == .cookieFileFailed, "the error is \(error)")
      return
    }
    for cookie in jar.cookies {
      expect(cookie.defect == nil && cookie.expires != nil, "a cookie is valid: \(cookie)")
      expect(!cookie.hasExpired(at: now), "a cookie has not expired: \(cookie)")
      expect(!cookie.description.isEmpty, "a cookie has a description")
      for scheme in ["http", "https"] {
        guard let url = URL(string: "\(scheme)://\(cookie.domain)\(cookie.path)") else { continue }
        let field = jar.field(for: url) ?? ""
        expect(HTTPHeaders.isValid(value: field), "the field can be sent: \(field)")
      }
    }
    guard let file = try? CookieFile(url) else { fatalError("violated: it is a file URL") }
    do {
      try file.update { _ in jar.cookies }
      let again = try CookieJar(file: url) { now }
      expect(again.cookies == jar.cookies, "cookies that are written again are equal")
    } catch {
      fatalError("violated: the cookies can be written: \(error)")
    }
  }
}

/// A folder for the files of a target, in memory if the system has such a file system.
enum Scratch {
  static let folder: URL = {
    let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
    let parent =
      FileManager.default.isWritableFile(atPath: memory.path)
      ? memory : FileManager.default.temporaryDirectory
    let folder = parent.appendingPathComponent("catena-fuzz-\(getpid())", isDirectory: true)
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      fatalError("the folder \(folder.path) cannot be created: \(error)")
    }
    atexit { try? FileManager.default.removeItem(at: Scratch.folder) }
    return folder
  }()

  /// Writes a file.
  ///
  /// - Returns: The URL of the file.
  static func write(_ data: Data, to name: String) -> URL {
    let file = folder.appendingPathComponent(name)
    do {
      try data.write(to: file)
    } catch {
      fatalError("\(file.path) cannot be written: \(error)")
    }
    return file
  }
}
