#if canImport(Glibc)
  import Dispatch
  import Foundation
  import Glibc

  /// Tells when something has been written in the folder of a file.
  ///
  /// The folder, since editors write a new file and give it the old one's name. Which of the folder's
  /// files it was is for the one who is told to see.
  final class FileWatcher: Sendable {
    /// Why nothing is told; nil when it is.
    let problem: String?
    private let descriptor: Int32

    /// Watches from now on, and tells nobody yet.
    init(_ file: URL) {
      descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      let folders = Set(
        [file, file.resolvingSymlinksInPath()].map { $0.deletingLastPathComponent().path })
      guard descriptor >= 0 else {
        problem = String(cString: strerror(errno))
        return
      }
      var problem: String?
      for folder in folders {
        let watch = inotify_add_watch(descriptor, folder, UInt32(IN_CLOSE_WRITE | IN_MOVED_TO))
        if watch < 0 { problem = "\(folder): \(String(cString: strerror(errno)))" }
      }
      self.problem = problem
    }

    deinit {
      if descriptor >= 0 { close(descriptor) }
    }

    /// Has `changed` called for what has happened since the watcher was made, and from then on, on a queue
    /// of its own; the watcher lives until the program ends.
    func start(_ changed: @escaping @Sendable () -> Void) {
      guard descriptor >= 0 else { return }
      let queue = DispatchQueue(label: "FileWatcher")
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source.setEventHandler { [self] in
        let size = 64 * 1024
        withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
          while read(descriptor, buffer.baseAddress, size) > 0 {}
        }
        withExtendedLifetime(source) { changed() }
      }
      source.activate()
    }
  }
#endif
