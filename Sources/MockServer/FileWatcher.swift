import Dispatch
import Foundation
import Synchronization

#if canImport(Darwin)
  import Darwin

  /// A watcher that reports changes of a file and of its folder.
  ///
  /// It also watches the folder, because many editors write a new file and rename it to the old
  /// name. The handler must check whether the content of the file has changed.
  final class FileWatcher: Sendable {
    /// The reason why the watcher does not work.
    ///
    /// Always `nil`: failures are not detected on this platform.
    let problem: String? = nil
    private let file: URL
    private let fileSource = Mutex<(any DispatchSourceFileSystemObject)?>(nil)
    private let queue = DispatchQueue(label: "FileWatcher")

    /// Creates a watcher that reports changes after ``start(onChange:)``.
    init(_ file: URL) {
      self.file = file
    }

    /// Calls `onChange` on a private queue: once at the start, and after each change until the
    /// program ends.
    func start(onChange: @escaping @Sendable () -> Void) {
      watch(file.deletingLastPathComponent()) { [self] in
        // After a rename, the name refers to a new file.
        watchFile(onChange)
        onChange()
      }
      watchFile(onChange)
      queue.async(execute: onChange)
    }

    private func watchFile(_ onChange: @escaping @Sendable () -> Void) {
      let source = watch(file, onChange)
      fileSource.withLock { current in
        current?.cancel()
        current = source
      }
    }

    @discardableResult
    private func watch(
      _ url: URL, _ onChange: @escaping @Sendable () -> Void
    ) -> (any DispatchSourceFileSystemObject)? {
      let descriptor = open(url.path, O_EVTONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: [.write, .extend], queue: queue)
      // The handler retains the source until the source is cancelled.
      source.setEventHandler { withExtendedLifetime(source) { onChange() } }
      source.setCancelHandler { close(descriptor) }
      source.activate()
      return source
    }
  }
#elseif canImport(Glibc)
  import Glibc

  /// A watcher that reports changes in the folder of a file.
  ///
  /// It watches the folder, because many editors write a new file and rename it to the old name.
  /// The handler must check whether the content of the file has changed.
  final class FileWatcher: Sendable {
    /// The reason why the watcher does not work, or `nil` if it works.
    let problem: String?
    private let descriptor: Int32

    /// Creates a watcher, which collects changes until ``start(onChange:)`` reports them.
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

    /// Calls `onChange` on a private queue after each change since the watcher was created, until
    /// the program ends.
    func start(onChange: @escaping @Sendable () -> Void) {
      guard descriptor >= 0 else { return }
      let queue = DispatchQueue(label: "FileWatcher")
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source.setEventHandler { [self] in
        let size = 64 * 1024
        withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
          while read(descriptor, buffer.baseAddress, size) > 0 {}
        }
        withExtendedLifetime(source) { onChange() }
      }
      source.activate()
    }
  }
#endif
