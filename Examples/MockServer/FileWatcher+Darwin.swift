#if canImport(Darwin)
  import Darwin
  import Dispatch
  import Foundation
  import Synchronization

  /// Tells when a file or its folder has been written to.
  ///
  /// The folder too, since editors write a new file and give it the old one's name. Whether the file is
  /// another is for the one who is told to see.
  final class FileWatcher: Sendable {
    /// Why nothing is told; nil when it is, or when that is not known.
    let problem: String? = nil
    private let file: URL
    private let fileSource = Mutex<(any DispatchSourceFileSystemObject)?>(nil)
    private let queue = DispatchQueue(label: "FileWatcher")

    /// Watches from ``start(_:)`` on.
    init(_ file: URL) {
      self.file = file
    }

    /// Has `changed` called for what happens from then on, on a queue of its own; the watcher lives until
    /// the program ends.
    func start(_ changed: @escaping @Sendable () -> Void) {
      watch(file.deletingLastPathComponent()) { [self] in
        // There may be another file of that name now.
        watchFile(changed)
        changed()
      }
      watchFile(changed)
      queue.async(execute: changed)
    }

    private func watchFile(_ changed: @escaping @Sendable () -> Void) {
      let source = watch(file, changed)
      fileSource.withLock { current in
        current?.cancel()
        current = source
      }
    }

    @discardableResult
    private func watch(
      _ url: URL, _ changed: @escaping @Sendable () -> Void
    ) -> (any DispatchSourceFileSystemObject)? {
      let descriptor = open(url.path, O_EVTONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: [.write, .extend], queue: queue)
      // It holds itself, until it is cancelled.
      source.setEventHandler { withExtendedLifetime(source) { changed() } }
      source.setCancelHandler { close(descriptor) }
      source.activate()
      return source
    }
  }
#endif
