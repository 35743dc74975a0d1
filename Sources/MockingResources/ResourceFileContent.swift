import CatenaSystem
public import Foundation
import Mocking
import Networking
import Promises

/// The content of a file of resources.
struct ResourceFileContent: Sendable {
  /// The items and the counters, by the paths of the resources.
  let resources: [String: JSON]
  /// The order of the members in the file.
  let order: MemberOrder

  init(resources: [String: JSON], text: Data) {
    self.resources = resources
    var order = MemberOrder()
    order.learn(from: text)
    self.order = order
  }

  /// Returns the items of a resource.
  ///
  /// - Parameters:
  ///   - saved: The value of the resource.
  ///   - definition: The resource.
  ///   - order: The known order of the members.
  ///   - values: The source of random ids.
  ///   - file: The file.
  /// - Returns: The items.
  /// - Throws: ``ResourceError/malformed(_:reason:)`` for the first item that violates the options.
  static func table(
    _ saved: JSON, _ definition: ResourceDefinition, _ order: MemberOrder,
    _ values: TemplateValues, _ file: URL?
  ) throws(ResourceError) -> ResourceTable {
    let file = file ?? URL(fileURLWithPath: "/")
    guard let items = saved["items"].array else {
      throw .malformed(file, reason: "\(definition.name): expected an array \"items\"")
    }
    do throws(ResourceStore.InvalidItem) {
      var table = try ResourceStore.table(
        items, definition, order: order, counter: saved["counter"].int ?? 0, values)
      let rule = saved["ids"].string.flatMap { name in idRules.first { $0.name == name } }
      if let rule { table.idRule = rule.rule }
      return table
    } catch {
      throw .malformed(file, reason: "\(definition.name)[\(error.index)]: \(error.reason)")
    }
  }

  /// The rules that ``ResourceOptions/IDRule/automatic`` finds, by their names in the file.
  private static let idRules: [(name: String, rule: ResourceOptions.IDRule?)] = [
    ("counter", .counter), ("uuid", .uuid), ("text", .numberText), ("none", nil),
  ]

  /// Returns the name of the rule for the ids of later items, or `nil` if the items determine it.
  ///
  /// Clients choose some of the ids, which then are unlike those that the rule makes.
  static func nameOfIDRule(_ table: ResourceTable, _ options: ResourceOptions) -> String? {
    let found = ResourceOptions.IDRule.like(table.items.map { $0.json[options.key] })
    guard options.ids == .automatic, (table.idRule ?? .counter) != (found ?? .counter) else {
      return nil
    }
    return idRules.first { $0.rule == table.idRule }?.name
  }
}

extension ResourceStore {
  /// Opens a file for the items of all resources.
  ///
  /// Call it after the resources have been created. If the file exists, its items replace the shared
  /// items; resources that it does not contain keep theirs. If it does not exist, it is created. Each
  /// change is written at most 0.2 seconds later, on a background queue, by an atomic replacement of the
  /// file with the mode 0600. ``flush()`` writes at once; a ``MockServer`` does so when it stops. The data
  /// of isolated clients is not stored. The initial items, which ``reset()`` restores, are those of the
  /// resources, not of the file.
  ///
  /// After 20 changes that are not in the file, the next responses of a ``MockServer`` wait for a write:
  /// if the process is killed, at most these changes are lost. A write that fails is reported to
  /// ``onSaveFailure(_:)`` and repeated, after pauses that grow from 0.4 to 10 seconds; responses then do
  /// not wait.
  ///
  /// A lock file, whose name is that of the file with `.lock`, prevents that two processes use the
  /// file. If another store of this process has the file open, it is closed there.
  ///
  /// - Parameter file: The location of the file.
  /// - Throws: ``ResourceError/fileInUse(_:)`` if another process has the file open,
  ///   ``ResourceError/unreadable(_:reason:)``, ``ResourceError/malformed(_:reason:)`` or
  ///   ``ResourceError/unwritable(_:reason:)``. The store then has no file and its items are unchanged.
  public func open(_ file: URL) throws(ResourceError) {
    close()
    let opened = try ResourceFile(file, for: self)
    guard let content = try opened.read() else {
      let before = state.withLock { $0 }
      try opened.create(Self.fileContent(of: before))
      let hasChanged = state.withLock { state in
        state.file = opened
        return state.shared.revision != before.shared.revision
      }
      if hasChanged { opened.changed(self) }
      return
    }
    let values = values
    try state.withLock { state throws(ResourceError) in
      var shared = state.shared
      var resources = content.resources
      for index in shared.definitions.indices {
        let definition = shared.definitions[index]
        guard let saved = resources.removeValue(forKey: definition.name) else { continue }
        var order = shared.tables[index].order
        order.learn(content.order)
        shared.tables[index] = try ResourceFileContent.table(
          saved, definition, order, values, file
        ).following(shared.tables[index])
      }
      state.shared = shared
      state.unknown = resources
      state.file = opened
    }
  }

  /// Writes changes to the file and closes it.
  ///
  /// The items stay in memory. A no-op if no file is open. An error of the last write is ignored;
  /// ``flush()`` throws it.
  public func close() {
    try? flush()
    state.withLock { $0.file = nil }
  }

  /// Writes pending changes to the file before it returns.
  ///
  /// A no-op if no file is open or nothing has changed.
  ///
  /// - Throws: ``ResourceError/unwritable(_:reason:)``. The changes then stay pending.
  public func flush() throws(ResourceError) {
    try openFile?.flush(self)
  }

  package func saveChanges() {
    // The error is reported, and kept in `saveFailure`.
    try? flush()
  }

  // MARK: State of the file

  var openFile: ResourceFile? { state.withLock { $0.file } }

  /// The error of the last write to the open file.
  ///
  /// `nil` if it has succeeded, or if no file is open.
  public var saveFailure: ResourceError? { openFile?.failure }

  /// The number of changes that are not in the open file.
  ///
  /// 0 if no file is open.
  public var unsavedChangeCount: Int { openFile?.unsavedCount ?? 0 }

  /// Sets the observer of writes that fail.
  ///
  /// Without an observer, ``PromiseDiagnostics`` reports a failure like a rejection that nobody handles.
  ///
  /// - Parameter observer: A closure that receives the error of the first failed write and of each one
  ///   with another reason, and then `nil` when a write has succeeded. It runs on a background queue, must
  ///   not block, and must not flush the store. A further call replaces it.
  public func onSaveFailure(_ observer: @escaping @Sendable (_ failure: ResourceError?) -> Void) {
    let old = state.withLock { state in
      defer { state.saveObserver = observer }
      return state.saveObserver
    }
    withExtendedLifetime(old) {}
  }

  /// Reports that a write has failed, or that one has succeeded after that.
  func report(_ failure: ResourceError?) {
    if let observer = state.withLock({ $0.saveObserver }) {
      observer(failure)
    } else if let failure {
      _ = Promise<Void>.rejected(failure)
    }
  }

  package var isBehind: Bool { openFile?.isBehind ?? false }

  // MARK: Content

  /// The content of the file.
  var fileContent: Data { Self.fileContent(of: state.withLock { $0 }) }

  static func fileContent(of state: State) -> Data {
    let data = state.shared
    var text = Data("{\"version\":1,\"resources\":{".utf8)
    var separator = "\n"
    // A file that has been opened may have items of a resource that has been retired, or two resources
    // of one path.
    var names: Set<String> = []
    func append(_ name: String, _ value: Data) {
      guard names.insert(name).inserted else { return }
      text += Data(separator.utf8)
      text += (try? JSON.string(name).data()) ?? Data("\"\"".utf8)
      text += Data(":".utf8)
      text += value
      separator = ",\n"
    }
    func appendItems(of phase: ResourceData.Phase) {
      for index in data.definitions.indices where data.phases[index] == phase {
        let table = data.tables[index]
        var value = Data("{\"counter\":\(table.counter),".utf8)
        let options = data.definitions[index].options
        if let name = ResourceFileContent.nameOfIDRule(table, options) {
          value += Data("\"ids\":\"\(name)\",".utf8)
        }
        value += Data("\"items\":[".utf8)
        for (index, item) in table.items.enumerated() {
          value += Data((index == 0 ? "\n" : ",\n").utf8)
          value += item.text
        }
        value += Data("]}".utf8)
        append(data.definitions[index].name, value)
      }
    }
    appendItems(of: .active)
    for (name, value) in state.unknown.sorted(by: { $0.key < $1.key }) {
      if let value = try? value.data() { append(name, value) }
    }
    appendItems(of: .retired)
    return text + Data("}}\n".utf8)
  }
}
