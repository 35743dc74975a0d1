import CatenaSystem
import Dispatch
import Foundation
import Synchronization

#if canImport(Darwin)
  /// A watcher that reports changes of files and of their folders.
  ///
  /// It also watches the folders, because many editors write a new file and rename it to the old
  /// name. The handler must check whether the content of a file has changed.
  final class FileWatcher: Sendable {
    private struct State {
      var files: Set<URL> = []
      /// The sources of the files and their folders, by path.
      var sources: [String: any DispatchSourceFileSystemObject] = [:]
      var onChange: (@Sendable () -> Void)?
    }

    /// The reason why the watcher does not work.
    ///
    /// Always `nil`: failures are not detected on this platform.
    let problem: String? = nil
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "FileWatcher")

    /// Creates a watcher that reports changes after ``start(onChange:)``.
    init(_ files: [URL]) {
      state = Mutex(State(files: Set(files)))
    }

    /// Watches further files.
    func watch(_ files: [URL]) {
      state.withLock { $0.files.formUnion(files) }
      queue.async { self.update() }
    }

    /// Calls `onChange` on a private queue: once at the start, and after each change until the
    /// program ends.
    func start(onChange: @escaping @Sendable () -> Void) {
      state.withLock { $0.onChange = onChange }
      queue.async {
        self.update()
        onChange()
      }
    }

    /// Watches all files and folders that are not watched yet.
    private func update() {
      let files = state.withLock { $0.files }
      for file in files {
        watch(file.deletingLastPathComponent().path, isFolder: true)
        watch(file.path, isFolder: false)
      }
    }

    private func watch(_ path: String, isFolder: Bool) {
      guard state.withLock({ $0.sources[path] }) == nil else { return }
      let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return }
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: [.write, .extend, .rename, .delete], queue: queue)
      source.setEventHandler { [weak self] in
        guard let self else { return }
        if isFolder {
          // After a rename, the names refer to new files.
          for file in state.withLock({ $0.files }) { forget(file.path) }
          update()
        }
        state.withLock { $0.onChange }?()
      }
      source.setCancelHandler { close(descriptor) }
      state.withLock { $0.sources[path] = source }
      source.activate()
    }

    private func forget(_ path: String) {
      state.withLock { $0.sources.removeValue(forKey: path) }?.cancel()
    }
  }
#else
  /// A watcher that reports changes in the folders of files.
  ///
  /// It watches the folders, because many editors write a new file and rename it to the old name.
  /// The handler must check whether the content of a file has changed.
  final class FileWatcher: Sendable {
    private let descriptor: Int32
    private let failure = Mutex<String?>(nil)

    /// The reason why the watcher does not work, or `nil` if it works.
    var problem: String? { failure.withLock { $0 } }

    /// Creates a watcher, which collects changes until ``start(onChange:)`` reports them.
    init(_ files: [URL]) {
      descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      if descriptor < 0 { failure.withLock { $0 = String(cString: strerror(errno)) } }
      watch(files)
    }

    deinit {
      if descriptor >= 0 { close(descriptor) }
    }

    /// Watches further files.
    ///
    /// Repeated calls for a folder have no effect.
    func watch(_ files: [URL]) {
      guard descriptor >= 0 else { return }
      let folders = Set(
        files.flatMap { [$0, $0.resolvingSymlinksInPath()] }
          .map { $0.deletingLastPathComponent().path })
      let events = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
      for folder in folders where inotify_add_watch(descriptor, folder, events) < 0 {
        failure.withLock { $0 = "\(folder): \(String(cString: strerror(errno)))" }
      }
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
