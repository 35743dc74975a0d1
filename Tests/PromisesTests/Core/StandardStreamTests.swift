#if os(Linux)
  import CatenaSystem
  import Dispatch
  import Foundation
  import TestGate
  import TestSupport
  import Testing

  /// Writes to the standard error of separate processes.
  @Suite(.gated, .serialized)
  struct StandardStreamTests {
    /// Replaces the standard error with a pipe, which is full or empty.
    ///
    /// - Returns: The reading end, which does not block.
    private static func pipeForErrors(isFull: Bool) -> Int32 {
      var ends: [Int32] = [-1, -1]
      #expect(pipe(&ends) == 0 && dup2(ends[1], 2) == 2 && close(ends[1]) == 0)
      if isFull {
        _ = fcntl(2, F_SETFL, O_WRONLY | O_NONBLOCK)
        let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 4_096)
        while write(2, bytes, bytes.count) > 0 {}
        _ = fcntl(2, F_SETFL, O_WRONLY)
      }
      _ = fcntl(ends[0], F_SETFL, O_RDONLY | O_NONBLOCK)
      return ends[0]
    }

    /// Reads the bytes in a pipe.
    private static func content(of pipe: Int32) -> String {
      var bytes = [UInt8](repeating: 0, count: 1 << 20)
      let count = read(pipe, &bytes, bytes.count)
      return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }

    @Test func linesThatNobodyReadsAreCounted() async {
      await #expect(processExitsWith: .success) {
        let reading = Self.pipeForErrors(isFull: true)
        #expect(!StandardStream.error.isWritable)
        let isWritten = StandardStream.error.write("lost\n", waitingAtMost: .milliseconds(1))
        #expect(!isWritten)
        for _ in 0..<9_999 { StandardStream.error.write("lost\n", waitingAtMost: .seconds(3_600)) }
        #expect(Self.content(of: reading).allSatisfy { $0 == "x" })
        #expect(StandardStream.error.isWritable)
        #expect(StandardStream.error.write("one\n"))
        #expect(StandardStream.error.write("two\n"))
        #expect(
          Self.content(of: reading)
            == "(10000 lines left out: the output was not read in time)\none\ntwo\n")
      }
    }

    @Test func aLineAfterAPartlyWrittenOneStartsANewLine() async {
      await #expect(processExitsWith: .success) {
        let reading = Self.pipeForErrors(isFull: false)
        let text = String(repeating: "y", count: 1 << 20) + "\n"
        StandardStream.error.write(text, waitingAtMost: .milliseconds(1))
        #expect(Self.content(of: reading).allSatisfy { $0 == "y" })
        StandardStream.error.write("next\n")
        #expect(
          Self.content(of: reading)
            == "\n(1 line left out: the output was not read in time)\nnext\n")
      }
    }

    @Test func aWriterThatWaitsWithoutLimitDoesNotHoldUpTheOthers() async {
      await #expect(processExitsWith: .success) {
        let reading = Self.pipeForErrors(isFull: true)
        let hasWritten = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          StandardStream.error.write("patient\n", waitingAtMost: .never)
          hasWritten.signal()
        }
        StandardStream.error.write("lost\n", waitingAtMost: .milliseconds(1))
        #expect(Self.content(of: reading).allSatisfy { $0 == "x" })
        hasWritten.wait()
        #expect(Self.content(of: reading).hasSuffix("patient\n"))
      }
    }

    @Test func linesOfSeveralThreadsAreWhole() async {
      await #expect(processExitsWith: .success) {
        let file = Self.replaceErrors(flags: 0)
        defer { try? FileManager.default.removeItem(at: file) }
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
          let line = String(repeating: "\(thread)", count: 10_000) + "\n"
          // The limit is not part of the test: a busy machine may stop a thread for a second.
          for _ in 0..<20 { StandardStream.error.write(line, waitingAtMost: .seconds(3_600)) }
        }
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 160)
        #expect(lines.allSatisfy { $0.count == 10_000 && Set($0).count == 1 })
      }
    }

    /// The flag is the only difference from the file of a redirection.
    @Test func aFileOfTheAppThatReusesTheNumberOfTheStreamIsNotWritten() async {
      await #expect(processExitsWith: .success) {
        let file = Self.replaceErrors(flags: FD_CLOEXEC)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(!StandardStream.error.write("report\n"))
        #expect(!StandardStream.error.write("report\n", waitingAtMost: .never))
        let content = try Data(contentsOf: file)
        #expect(content.isEmpty)
      }
    }

    @Test func aRedirectionOfTheAppIsWritten() async {
      await #expect(processExitsWith: .success) {
        let file = Self.replaceErrors(flags: 0)
        defer { try? FileManager.default.removeItem(at: file) }
        StandardStream.error.write("one\n")
        StandardStream.error.write("two\n", waitingAtMost: .never)
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text == "one\ntwo\n")
      }
    }

    /// Replaces the standard error with a file.
    private static func replaceErrors(flags: Int32) -> URL {
      let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      let opened = open(file.path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
      #expect(dup2(opened, 2) == 2 && fcntl(2, F_SETFD, flags) == 0)
      return file
    }
  }
#endif
