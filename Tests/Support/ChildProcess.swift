#if os(Linux) || os(macOS)
  import CatenaSystem
  import ChildProcessSupport
  package import Foundation

  /// A child process of the tests, killed when this object is released.
  ///
  /// The child inherits only its three standard streams, and no blocked or ignored signals. Its
  /// output is read as it arrives, so that the child never blocks on a full pipe. It is always
  /// reaped, whether or not a test waits for it.
  package final class ChildProcess: Sendable {
    /// The way in which the process terminated.
    package enum Status: Hashable, Sendable {
      /// It exited with this code.
      case exited(Int32)
      /// It was terminated by this signal.
      case signalled(Int32)

      /// Decodes the status word of `waitpid`.
      init(word: Int32) {
        let signal = word & 0x7f
        self = signal == 0 ? .exited(word >> 8 & 0xff) : .signalled(signal)
      }
    }

    /// The source of the standard input.
    package enum Input: Sendable {
      /// An immediate end of file.
      case empty
      /// These bytes, followed by the end of file.
      case data(Data)
      /// The data of ``ChildProcess/send(_:)``, until ``ChildProcess/closeInput()``.
      case open
    }

    private let waiter: ExitWaiter
    private let output: ProcessOutput
    private let errors: ProcessOutput
    private let input: Mutex<FileDescriptor?>
    /// The queue that writes the input, because a write blocks while the pipe is full.
    private let writing = DispatchQueue(label: "catena.tests.child-input")

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: A path, or a name to look up in `PATH`.
    ///   - arguments: The arguments after the program's name.
    ///   - environment: The environment variables. `nil` inherits those of the tests.
    ///   - folder: The working directory. `nil` inherits that of the tests.
    ///   - input: The source of the standard input.
    ///   - signal: A signal that the process receives when its first line on the standard error is
    ///     complete, however busy the threads of the tests are. `nil` sends none.
    /// - Throws: A `TestError` with the reason if the program cannot be started.
    package init(
      _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil,
      folder: URL? = nil, input: Input = .empty, signalAtFirstErrorLine signal: Int32? = nil
    ) throws {
      let (inputs, outputs, errors) = try (
        FileDescriptor.pipe(), FileDescriptor.pipe(), FileDescriptor.pipe()
      )
      let environment = environment ?? ProcessInfo.processInfo.environment
      let child = try Self.start(
        program, [program] + arguments, environment.map { "\($0)=\($1)" }, folder?.path,
        [inputs.reading, outputs.writing, errors.writing])
      let waiter = ExitWaiter(of: child)
      self.waiter = waiter
      output = ProcessOutput(of: outputs.reading)
      self.errors = ProcessOutput(of: errors.reading) {
        if let signal { waiter.signal(signal) }
      }
      self.input = Mutex(inputs.writing)
      switch input {
      case .empty: closeInput()
      case .data(let data):
        send(data)
        closeInput()
      case .open: break
      }
    }

    /// Starts a worker of the program `test-worker`, with the environment of the tests.
    package convenience init(
      worker name: String, _ arguments: [String] = [], input: Input = .empty
    ) throws {
      try self.init(BuiltProgram.url("test-worker").path, [name] + arguments, input: input)
    }

    deinit {
      signal(SIGKILL)
    }

    /// The result of the process, after it has exited and both its output streams have ended.
    ///
    /// Cancelling the waiting task kills the process.
    package var end: End {
      get async {
        await withTaskCancellationHandler {
          let end = await End(status: waiter.status, outputData: output.all, errorData: errors.all)
          // A report of the thread sanitizer, which the output of the tests would not have.
          if end.errors.contains("WARNING: ThreadSanitizer") {
            StandardStream.error.write(end.errors)
          }
          return end
        } onCancel: {
          signal(SIGKILL)
        }
      }
    }

    /// The lines of the standard output, from the first.
    package var lines: Lines { Lines(process: self, output: output) }

    /// The lines of the standard error, from the first.
    package var errorLines: Lines { Lines(process: self, output: errors) }

    /// Sends a signal; a no-op after the process has exited.
    package func signal(_ number: Int32) {
      waiter.signal(number)
    }

    /// Stops the process until it receives `SIGCONT`, and returns when all its threads have stopped.
    ///
    /// It also returns after the process has exited.
    package func stop() async {
      await waiter.stop()
    }

    /// Appends data to the standard input and returns without waiting for the write.
    ///
    /// It is a no-op after the input is closed or the process has exited.
    package func send(_ data: Data) {
      guard let descriptor = input.withLock({ $0 }) else { return }
      writing.async { descriptor.write(data) }
    }

    /// Closes the standard input after all pending data is written.
    package func closeInput() {
      input.withLock { $0 = nil }
    }

    private static func start(
      _ program: String, _ arguments: [String], _ environment: [String], _ folder: String?,
      _ streams: [FileDescriptor]
    ) throws -> pid_t {
      let arguments = arguments.map { strdup($0) } + [nil]
      let environment = environment.map { strdup($0) } + [nil]
      defer { for string in arguments + environment { free(string) } }
      var child: pid_t = 0
      let error = withExtendedLifetime(streams) {
        child_process_start(
          &child, program, arguments, environment, folder, streams.map(\.number))
      }
      guard error == 0 else {
        throw TestError("\(program) cannot be started: \(String(cString: strerror(error)))")
      }
      return child
    }
  }

  extension ChildProcess {
    /// The exit status and the complete output of a process.
    package struct End: Sendable {
      package let status: Status
      package let outputData: Data
      package let errorData: Data

      /// The standard output as text.
      package var output: String { String(decoding: outputData, as: UTF8.self) }

      /// The complete lines of ``output``; an unterminated last line is omitted.
      package var lines: [String] {
        outputData.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
          .map { String(decoding: $0, as: UTF8.self) }
      }

      /// The standard error as text.
      package var errors: String { String(decoding: errorData, as: UTF8.self) }
    }

    /// The lines of an output stream, in the order of arrival; each iteration starts at the first
    /// line.
    ///
    /// An unterminated last line is omitted, because the process ended while it was written. An
    /// iteration retains the process, and cancelling the iterating task kills the process.
    package struct Lines: AsyncSequence, Sendable {
      let process: ChildProcess
      let output: ProcessOutput

      package struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let lines: Lines
        private var offset = 0

        fileprivate init(_ lines: Lines) {
          self.lines = lines
        }

        /// Returns the next line without its terminator, or `nil` at the end of the stream.
        package mutating func next() async -> String? {
          let (lines, start) = (lines, offset)
          let line = await withTaskCancellationHandler {
            await lines.output.line(at: start)
          } onCancel: {
            lines.process.signal(SIGKILL)
          }
          offset = line?.next ?? offset
          return line?.text
        }
      }

      package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

      /// Waits for the first `count` lines and returns them, or fewer if the stream ends before.
      package func first(_ count: Int) async -> [String] {
        var iterator = makeAsyncIterator()
        var lines: [String] = []
        while lines.count < count, let line = await iterator.next() { lines.append(line) }
        return lines
      }
    }
  }
#endif
