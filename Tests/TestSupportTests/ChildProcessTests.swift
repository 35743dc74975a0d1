#if os(Linux) || os(macOS)
  import Foundation
  import TestGate
  import TestSupport
  import Testing

  @Suite(.serialized, .gated)
  struct ChildProcessTests {
    @Test(arguments: [0, 1, 77, 255] as [Int32])
    func theExitCodeIsReported(_ code: Int32) async throws {
      #expect(try await shell("exit \(code)").end.status == .exited(code))
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGPIPE, SIGKILL])
    func aTerminatingSignalIsReported(_ number: Int32) async throws {
      let child = try ChildProcess("cat", input: .open)
      child.send(Data("at work\n".utf8))
      #expect(await child.lines.first(1) == ["at work"])
      child.signal(number)
      #expect(await child.end.status == .signalled(number))
    }

    @Test func aSignalAfterTheExitIsANoOp() async throws {
      let child = try shell("exit 3")
      #expect(await child.end.status == .exited(3))
      child.signal(SIGKILL)
      #expect(await child.end.status == .exited(3))
    }

    @Test func aMebibyteOnEachStreamIsReadCompletely() async throws {
      let end = try await shell(
        "head -c 1048576 /dev/zero | tr '\\0' o; head -c 1048576 /dev/zero | tr '\\0' e >&2"
      ).end
      #expect(end.status == .exited(0))
      #expect(end.outputData == Data(repeating: UInt8(ascii: "o"), count: 1 << 20))
      #expect(end.errorData == Data(repeating: UInt8(ascii: "e"), count: 1 << 20))
    }

    @Test func inputReachesTheProcess() async throws {
      let data = Data.pattern(1 << 20)
      let end = try await ChildProcess("cat", input: .data(data)).end
      #expect(end.outputData == data)
    }

    @Test func unreadInputDoesNotTerminateTheTests() async throws {
      let child = try ChildProcess("true", input: .data(.pattern(1 << 20)))
      #expect(await child.end.status == .exited(0))
      let other = try ChildProcess("true", input: .open)
      #expect(await other.end.status == .exited(0))
      for _ in 0..<100 { other.send(.pattern(1 << 12)) }
      other.closeInput()
      other.send(Data("late".utf8))
    }

    @Test func emptyInputIsAnImmediateEndOfFile() async throws {
      let end = try await ChildProcess("cat").end
      #expect(end.status == .exited(0) && end.outputData.isEmpty)
    }

    @Test func linesArriveWhileTheProcessRuns() async throws {
      let child = try ChildProcess("cat", input: .open)
      child.send(Data("one\n\ntw".utf8))
      #expect(await child.lines.first(2) == ["one", ""])
      child.send(Data("o\n3\nno lin".utf8))
      #expect(await child.lines.first { $0.hasPrefix("t") } == "two")
      child.send(Data("e".utf8))
      child.closeInput()
      #expect(await child.lines.first(9) == ["one", "", "two", "3"])
      let end = await child.end
      #expect(end.lines == ["one", "", "two", "3"])
      #expect(end.output == "one\n\ntwo\n3\nno line")
    }

    @Test func outputAndErrorsAreSeparate() async throws {
      let child = try shell("echo out; echo wrong >&2")
      #expect(await child.lines.first(9) == ["out"])
      #expect(await child.errorLines.first(9) == ["wrong"])
      let end = await child.end
      #expect(end.output == "out\n" && end.errors == "wrong\n" && end.lines == ["out"])
    }

    @Test func aMissingProgramIsAnErrorWithAReason() {
      #expect(
        throws: TestError("/no/such/program cannot be started: No such file or directory")
      ) { try ChildProcess("/no/such/program") }
      #expect(throws: TestError("/etc/passwd cannot be started: Permission denied")) {
        try ChildProcess("/etc/passwd")
      }
      #expect(throws: TestError("ls cannot be started: No such file or directory")) {
        try ChildProcess("ls", folder: URL(fileURLWithPath: "/no/such/folder"))
      }
    }

    @Test func argumentsEnvironmentAndFolderArePassedUnchanged() async throws {
      let folder = TemporaryFolder()
      try Data().write(to: folder.url("a file"))
      let child = try ChildProcess(
        "/bin/sh", ["-c", #"printf '%s\n' "$0" "$@" "$SECRET" "$HOME"; ls"#, "a b", "", "*"],
        environment: ["SECRET": "x=\ny", "PATH": "/usr/bin:/bin"], folder: folder.url)
      #expect(await child.end.lines == ["a b", "", "*", "x=", "y", "", "a file"])
      let own = try await shell(#"printf %s "$PATH""#).end
      #expect(own.output == ProcessInfo.processInfo.environment["PATH"])
    }

    @Test func cancellingTheWaitingTaskKillsTheProcess() async throws {
      let child = try ChildProcess("cat", input: .open)
      let (end, lines) = (Task { await child.end }, Task { await child.lines.first(1) })
      end.cancel()
      #expect(await end.value.status == .signalled(SIGKILL))
      #expect(await lines.value == [])
      let other = try ChildProcess("cat", input: .open)
      let reading = Task { await other.lines.first(1) }
      reading.cancel()
      #expect(await reading.value == [])
      #expect(await other.end.status == .signalled(SIGKILL))
    }

    @Test func theProcessIsKilledOnRelease() async throws {
      let folder = TemporaryFolder()
      let pipe = folder.url("pipe").path
      #expect(mkfifo(pipe, 0o600) == 0)
      // The child holds the writing end of a named pipe, so the reader ends when the child does.
      var child: ChildProcess? = try ChildProcess(
        "sh", ["-c", "exec cat >'\(pipe)'"], input: .open)
      let reader = try ChildProcess("cat", [pipe])
      child?.send(Data("here\n".utf8))
      #expect(await reader.lines.first(1) == ["here"])
      child = nil
      #expect(await reader.end.status == .exited(0))
    }

    @Test func manyChildrenLeaveNoZombiesOrOpenDescriptors() async {
      await #expect(processExitsWith: .success) {
        // More descriptors than an `fd_set` can hold.
        let limit = min(ProcessResources.raiseFileLimit(), 16_000)
        for _ in 0..<max(0, limit - 1_000) { _ = dup(0) }
        let before = ProcessResources.openFiles
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<50 {
            group.addTask {
              let child = try ChildProcess("sh", ["-c", "cat; exit \(number)"], input: .open)
              child.send(Data("\(number)\n".utf8))
              _ = await child.lines.first(1)
              child.closeInput()
              #expect(await child.end.output == "\(number)\n")
              #expect(await child.end.status == .exited(Int32(number)))
              #expect(throws: TestError.self) { try ChildProcess("/no/such/program") }
            }
          }
          try await group.waitForAll()
        }
        #expect(waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD)
        // The reading and writing threads close their descriptors shortly afterwards. The time
        // limit of the suite bounds the wait.
        while ProcessResources.openFiles != before { await Task.yield() }
      }
    }

    @Test func theProcessInheritsNoDescriptors() async throws {
      let file = open("/dev/null", O_RDONLY)
      let inheritable = dup(file)
      defer {
        close(file)
        close(inheritable)
      }
      #expect(fcntl(inheritable, F_GETFD) & FD_CLOEXEC == 0)
      let child = try ChildProcess("cat", input: .open)
      let script = "i=0; while [ $i -le $0 ]; do [ -e /dev/fd/$i ] && echo $i; i=$((i+1)); done; :"
      let list = try ChildProcess("/bin/sh", ["-c", script, "\(max(inheritable, 255))"])
      #expect(await list.end.lines == ["0", "1", "2"])
      child.closeInput()
      #expect(await child.end.status == .exited(0))
    }

    #if os(Linux)
      @Test func theProcessHasNoBlockedOrIgnoredSignals() async throws {
        let lines = try await ChildProcess("cat", ["/proc/self/status"]).end.lines
        for set in ["SigBlk:", "SigIgn:"] {
          let line = try #require(lines.first { $0.hasPrefix(set) })
          let signals = try #require(UInt64(line.dropFirst(set.count + 1), radix: 16))
          // Signals from 32 on are real-time signals; glibc reserves the first two.
          #expect(signals & 0x7fff_ffff == 0)
        }
      }

      @Test func libdispatchTimersAreNotCountedAsOpenFiles() async {
        await #expect(processExitsWith: .success) {
          // A timer that is due at once may need no descriptor, so one is set for later.
          DispatchQueue.global().asyncAfter(wallDeadline: .now() + .seconds(3_600)) {}
          // The thread of the timers has set it when it handles the second timer after it.
          for _ in 0..<2 {
            await withCheckedContinuation { continuation in
              DispatchQueue.global().asyncAfter(wallDeadline: .now() + .milliseconds(1)) {
                continuation.resume()
              }
            }
          }
          let timer = "anon_inode:[timerfd]"
          let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
          let targets = descriptors.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
          }
          #expect(targets.contains(timer))
          #expect(!ProcessResources.openFileNames.contains(timer))
        }
      }
    #endif

    private func shell(_ commands: String) throws -> ChildProcess {
      try ChildProcess("/bin/sh", ["-c", commands])
    }
  }
#endif
