#if os(Linux) || os(macOS)
  import Foundation
  import Networking
  import TestGate
  import TestSupport
  import Testing

  /// A full disk and missing permissions.
  @Suite(.gated, .serialized)
  struct OfflineDiskTests {
    /// Runs in a separate process whose file size is limited to 4 KiB.
    @Test func aFullDiskIsAnErrorAndLeavesNoPartialFile() async {
      await #expect(processExitsWith: .success) {
        let temporary = TemporaryStore()
        let store = try temporary.open()
        let kept = try store.add(.get("https://a.test/kept"))
        let file = try temporary.file("large", Data(count: 600_000))
        #expect(ProcessResources.limitFileSize(to: 4_096))
        let before = try temporary.contents
        for request in [
          Request.upload(data: Data(count: 10_000), to: "https://a.test/"),
          .upload(file: file, to: "https://a.test/"),
        ] {
          let error = #expect(throws: NetworkError.self) { try store.add(request) }
          #expect(error?.code == .offlineStoreFailed)
          #expect(error?.reason?.hasSuffix("cannot be written: File too large") == true)
          #expect((error?.underlying as? POSIXError)?.code == .EFBIG)
          #expect(error?.request?.url == "https://a.test/")
        }
        #expect(try temporary.contents == before)
        #expect(try store.entries == [kept])
        try store.add(.get("https://a.test/small"))
        #expect(try temporary.open().count == 2)
      }
    }

    /// Runs in a separate process without root privileges, because root ignores permissions.
    @Test func anUnreadableEntryIsReportedAndTheRestIsReplayed() async {
      await #expect(processExitsWith: .success) {
        _ = seteuid(65_534)
        let temporary = TemporaryStore()
        for name in ["1", "2", "3"] { try temporary.open().add(.put("https://a.test/\(name)")) }
        let path = try temporary.entryFile(1)
        #expect(chmod(path, 0) == 0)
        let store = try temporary.open { _, _ in .replace }
        try store.add(.put("https://a.test/2"))
        #expect(try store.entries.map(\.number) == [1, 3, 4])
        let report = try await store.replay { _ in .fulfilled(.of(200)) }.value
        #expect(report.delivered.map(\.number) == [1, 3, 4])
        #expect(report.errors.map { ($0 as? NetworkError)?.code } == [.offlineStoreFailed])
        #expect(try store.count == 1)
        #expect(chmod(path, 0o600) == 0)
        let later = try await store.replay { _ in .fulfilled(.of(200)) }.value
        #expect(later.delivered.map(\.number) == [2])
      }
    }

    @Test func undeletableFilesDoNotStopTheStore() async {
      await #expect(processExitsWith: .success) {
        _ = seteuid(65_534)
        let temporary = TemporaryStore()
        let store = try temporary.open()
        try store.add(.put("https://a.test/1"))
        let folders = ["entries/foreign", "incoming/foreign"].map { temporary.path($0) }
        for folder in folders {
          #expect(mkdir(folder, 0o700) == 0 && mkdir(folder + "/a", 0o700) == 0)
          #expect(chmod(folder, 0o500) == 0)
        }
        try store.add(.put("https://a.test/2"))
        let report = try await store.replay { _ in .fulfilled(.of(200)) }.value
        #expect(report.delivered.map(\.number) == [1, 2])
        #expect(report.errors.count == 1)
        for folder in folders { #expect(chmod(folder, 0o700) == 0) }
      }
    }

    @Test func aFolderThatCannotBeCreatedIsAnError() throws {
      let temporary = TemporaryStore()
      let file = try temporary.file("a", Data())
      for folder in [file, file.appendingPathComponent("b"), .of("https://a.test/")] {
        let error = #expect(throws: NetworkError.self) { try OfflineStore(folder: folder) }
        #expect(error?.code == .offlineStoreFailed)
      }
    }

    @Test func aRemovedFolderIsAnError() throws {
      let temporary = TemporaryStore()
      let store = try temporary.open()
      try FileManager.default.removeItem(atPath: temporary.path(""))
      let error = #expect(throws: NetworkError.self) { try store.add(.get("https://a.test/")) }
      #expect(error?.code == .offlineStoreFailed)
    }
  }
#endif
