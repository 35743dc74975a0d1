#if os(Linux) || os(macOS)
  import ChildProcessSupport
  import Foundation
  import Synchronization

  /// A program that runs beside the tests; it is killed when this object is released.
  ///
  /// It inherits no descriptor, blocks no signal and ignores none, whatever the tests do. All that it
  /// prints is read as it comes, and it is no zombie once it has ended, whether anybody waits or not.
  package final class ChildProcess: Sendable {
    /// How it has ended.
    package enum Status: Hashable, Sendable {
      /// By itself, with this code.
      case exited(Int32)
      /// By this signal.
      case signalled(Int32)

      /// From what `waitpid` tells.
      init(word: Int32) {
        let signal = word & 0x7f
        self = signal == 0 ? .exited(word >> 8 & 0xff) : .signalled(signal)
      }
    }

    /// What it reads on its standard input.
    package enum Input: Sendable {
      /// Nothing: its end is there at once.
      case empty
      /// This, and then the end.
      case data(Data)
      /// What is sent by ``ChildProcess/send(_:)``, until ``ChildProcess/closeInput()``.
      case open
    }

    private let reaper: ChildReaper
    private let output: ChildOutput
    private let errors: ChildOutput
    private let input: Mutex<Descriptor?>
    /// Where the input is written, as this may take until it is read.
    private let writing = DispatchQueue(label: "catena.tests.child-input")

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: its path, or its name in one of the folders of `PATH`.
    ///   - arguments: what stands behind its name.
    ///   - environment: the variables that it has; nil is those of the tests.
    ///   - folder: where it works; nil is where the tests do.
    ///   - input: what it reads.
    /// - Throws: a `TestError` that says why, when it cannot be started.
    package init(
      _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil,
      folder: URL? = nil, input: Input = .empty
    ) throws {
      let (inputs, outputs, errors) = try (Descriptor.pipe(), Descriptor.pipe(), Descriptor.pipe())
      let environment = environment ?? ProcessInfo.processInfo.environment
      let child = try Self.start(
        program, [program] + arguments, environment.map { "\($0)=\($1)" }, folder?.path,
        [inputs.reading, outputs.writing, errors.writing])
      reaper = ChildReaper(of: child)
      output = ChildOutput(of: outputs.reading)
      self.errors = ChildOutput(of: errors.reading)
      self.input = Mutex(inputs.writing)
      switch input {
      case .empty: closeInput()
      case .data(let data):
        send(data)
        closeInput()
      case .open: break
      }
    }

    deinit {
      signal(SIGKILL)
    }

    /// Its end, once it has ended and all has been read that it, and what it has started, printed.
    ///
    /// It is killed when the task that waits is cancelled.
    package var end: End {
      get async {
        await withTaskCancellationHandler {
          await End(status: reaper.status, outputData: output.all, errorData: errors.all)
        } onCancel: {
          signal(SIGKILL)
        }
      }
    }

    /// The lines that it prints on its standard output, from the first.
    package var lines: Lines { Lines(process: self, output: output) }

    /// The lines that it prints on its standard error, from the first.
    package var errorLines: Lines { Lines(process: self, output: errors) }

    /// Sends it a signal; without effect when it has ended.
    package func signal(_ number: Int32) {
      reaper.signal(number)
    }

    /// Sends data to its standard input, behind what has been sent, and returns at once; without effect when
    /// the input is closed, or the program has ended.
    package func send(_ data: Data) {
      guard let descriptor = input.withLock({ $0 }) else { return }
      writing.async { descriptor.write(data) }
    }

    /// Ends its standard input behind what has been sent.
    package func closeInput() {
      input.withLock { $0 = nil }
    }

    private static func start(
      _ program: String, _ arguments: [String], _ environment: [String], _ folder: String?,
      _ streams: [Descriptor]
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
#endif
