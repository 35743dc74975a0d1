#if os(Linux) || os(macOS)
  import Foundation

  extension ChildProcess {
    /// The lines that a program prints, as they come; every loop over them starts at the first.
    ///
    /// What stands behind the last end of a line is none: its program has been ended while it wrote. The
    /// program is kept for as long as there is a loop, and killed when the task of the loop is cancelled.
    package struct Lines: AsyncSequence, Sendable {
      let process: ChildProcess
      let output: ChildOutput

      package struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let lines: Lines
        private var place = 0

        fileprivate init(_ lines: Lines) {
          self.lines = lines
        }

        /// The next line without its end; nil when the program prints no more.
        package mutating func next() async -> String? {
          let (lines, start) = (lines, place)
          let line = await withTaskCancellationHandler {
            await lines.output.line(at: start)
          } onCancel: {
            lines.process.signal(SIGKILL)
          }
          place = line?.next ?? place
          return line?.text
        }
      }

      package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

      /// The first so many lines, once there are as many; fewer when the program prints no more.
      package func first(_ count: Int) async -> [String] {
        var iterator = makeAsyncIterator()
        var lines: [String] = []
        while lines.count < count, let line = await iterator.next() { lines.append(line) }
        return lines
      }
    }
  }
#endif
