#if os(Linux) || os(macOS)
  import Foundation

  extension ChildProcess {
    /// How a program has ended, and all that it has printed.
    package struct End: Sendable {
      package let status: Status
      package let outputData: Data
      package let errorData: Data

      /// What was printed on the standard output, as text.
      package var output: String { String(decoding: outputData, as: UTF8.self) }

      /// The whole lines of ``output``; what stands behind the last end of a line is none.
      package var lines: [String] {
        outputData.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
          .map { String(decoding: $0, as: UTF8.self) }
      }

      /// What was printed on the standard error, as text.
      package var errors: String { String(decoding: errorData, as: UTF8.self) }
    }
  }
#endif
