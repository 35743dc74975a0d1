#if os(Linux) || os(macOS)
  import Foundation

  /// A program that the build has put beside the tests.
  package enum BuiltProgram {
    /// Where a program is.
    ///
    /// - Parameter name: the name of its target.
    /// - Returns: its file.
    package static func url(_ name: String) -> URL {
      folder.appendingPathComponent(name)
    }

    /// The folder that the build puts programs and tests into.
    private static var folder: URL {
      #if os(macOS)
        for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
          return bundle.bundleURL.deletingLastPathComponent()
        }
      #endif
      return Bundle.main.bundleURL
    }
  }
#endif
