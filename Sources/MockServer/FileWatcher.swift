import CatenaSystem
import Dispatch
import Foundation

#if canImport(Darwin)
  /// A watcher that reports changes of files and of their folders.
  ///
  /// It also watches the folders, because many editors write a new file and rename it to the old
  /// name, and the folders above them, which may be replaced. The handler must check whether the content
  /// of a file has changed.
  final class FileWatcher: Sendable {
    private struct Source {
      let source: any DispatchSourceFileSystemObject
      /// The file or folder that had the path when it was opened.
      let identity: FileStatus.Identity
    }

    private struct State {
      var files: Set<URL> = []
      /// The sources of the files and of the folders, by path.
      var sources: [String: Source] = [:]
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
    ///
    /// - Returns: Whether a file or a folder has been replaced, made or removed since the last call.
    @discardableResult
    private func update() -> Bool {
      let files = state.withLock { $0.files }
      var paths = WatchedFolders(Array(files)).entries.mapValues { $0 == nil }
      for file in files { paths[file.path] = true }
      var hasChanged = false
      for (path, matters) in paths {
        let identity = (try? FileStatus(path, followingLinks: true))?.identity
        if let old = state.withLock({ $0.sources[path] }) {
          if identity == old.identity { continue }
          state.withLock { _ = $0.sources.removeValue(forKey: path) }
          old.source.cancel()
          hasChanged = true
        }
        if let identity, watch(path, identity, matters) { hasChanged = true }
      }
      return hasChanged
    }

    /// Watches a file or a folder.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - identity: The identity of the file.
    ///   - matters: Whether each event is a change. If not, only the replacement of another file is.
    /// - Returns: Whether it is watched now.
    private func watch(_ path: String, _ identity: FileStatus.Identity, _ matters: Bool) -> Bool {
      let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return false }
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: [.write, .extend, .rename, .delete], queue: queue)
      source.setEventHandler { [weak self] in
        guard let self else { return }
        // After a rename, the names refer to new files.
        let hasChanged = update()
        if matters || hasChanged { state.withLock { $0.onChange }?() }
      }
      source.setCancelHandler { close(descriptor) }
      state.withLock {
        $0.sources[path] = Source(source: source, identity: identity)
      }
      source.activate()
      return true
    }
  }
#else
  /// A watcher that reports changes in the folders of files.
  ///
  /// It watches the folders, because many editors write a new file and rename it to the old name, and
  /// the folders above them, which may be replaced. The handler must check whether the content of a file
  /// has changed.
  final class FileWatcher: Sendable {
    private struct State {
      var files: Set<URL> = []
      var folders = WatchedFolders([])
      /// The paths of the watched folders, of which several may be links to one folder.
      var paths: [Int32: Set<String>] = [:]
      var problem: String?
    }

    private let descriptor: Int32
    private let state = Mutex(State())

    /// The reason why the watcher does not work, or `nil` if it works.
    var problem: String? { state.withLock { $0.problem } }

    /// Creates a watcher, which collects changes until ``start(onChange:)`` reports them.
    init(_ files: [URL]) {
      descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      if descriptor < 0 { state.withLock { $0.problem = String(cString: strerror(errno)) } }
      watch(files)
    }

    deinit {
      if descriptor >= 0 { close(descriptor) }
    }

    /// Watches further files.
    ///
    /// Repeated calls for a folder have no effect.
    func watch(_ files: [URL]) {
      state.withLock { state in
        state.files.formUnion(files)
        update(&state)
      }
    }

    /// Watches the folders that have the paths now, and no others.
    private func update(_ state: inout State) {
      guard descriptor >= 0 else { return }
      state.folders = WatchedFolders(Array(state.files))
      let events = UInt32(
        IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE)
      var paths: [Int32: Set<String>] = [:]
      for (folder, names) in state.folders.entries {
        let watch = inotify_add_watch(descriptor, folder, events)
        if watch >= 0 {
          paths[watch, default: []].insert(folder)
        } else if names == nil, errno != ENOENT, errno != ENOTDIR {
          state.problem = "\(folder): \(String(cString: strerror(errno)))"
        }
      }
      for watch in state.paths.keys where paths[watch] == nil {
        inotify_rm_watch(descriptor, watch)
      }
      state.paths = paths
    }

    /// Calls `onChange` on a private queue after each change since the watcher was created, until
    /// the program ends.
    func start(onChange: @escaping @Sendable () -> Void) {
      guard descriptor >= 0 else { return }
      let queue = DispatchQueue(label: "FileWatcher")
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source.setEventHandler { [self] in
        let isRelevant = withExtendedLifetime(source) { readEvents() }
        guard isRelevant else { return }
        state.withLock { update(&$0) }
        onChange()
      }
      source.activate()
    }

    /// Reads all events, and returns whether one of them matters.
    private func readEvents() -> Bool {
      let size = 64 * 1024
      return withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
        var isRelevant = false
        while case let count = read(descriptor, buffer.baseAddress, size), count > 0 {
          let events = UnsafeRawBufferPointer(rebasing: buffer[..<count])
          if contains(events) { isRelevant = true }
        }
        return isRelevant
      }
    }

    /// Returns whether a path is that of a file that is reported when it has been written, unlike a
    /// folder or a link.
    private static func isNewFile(_ path: String) -> Bool {
      guard let status = try? FileStatus(path) else { return false }
      return status.isRegular && status.linkCount == 1
    }

    private func contains(_ events: UnsafeRawBufferPointer) -> Bool {
      state.withLock { state in
        var rest = events[...]
        let headSize = MemoryLayout<inotify_event>.size
        while rest.count >= headSize {
          let bytes = UnsafeRawBufferPointer(rebasing: rest)
          let event = bytes.loadUnaligned(as: inotify_event.self)
          let name = bytes[headSize..<min(headSize + Int(event.len), bytes.count)]
          rest = rest.dropFirst(headSize + Int(event.len))
          let text = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
          // Events may have been lost, or a folder may have gone.
          if event.mask & UInt32(IN_Q_OVERFLOW | IN_UNMOUNT) != 0 { return true }
          let paths = (state.paths[event.wd] ?? []).filter { state.folders.contains(text, in: $0) }
          guard let path = paths.first else { continue }
          if event.mask & UInt32(IN_CREATE) != 0, Self.isNewFile(path + "/" + text) { continue }
          return true
        }
        return false
      }
    }
  }
#endif
