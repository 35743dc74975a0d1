import Networking
import Observation

/// The part of a user interface framework that starts work when a view appears.
@MainActor protocol View {
  associatedtype Body
  var body: Body { get }
}

struct TaskView {}

extension View {
  nonisolated func task(
    @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
  ) -> TaskView {
    Task { await action() }
    return TaskView()
  }
}

struct ListView: View {
  var titles: [String]
  var body: Never { fatalError("drawn by the framework") }
}

@MainActor @Observable final class ListModel {
  var titles: [String] = []
  let networking = Networking<BoardsAPI>()

  func load() async throws {
    titles = try await networking.request(.boards).validate().decode([Board].self).value
      .map(\.title)
  }
}

@MainActor struct BoardsView: View {
  let model = ListModel()

  var body: some Any {
    ListView(titles: model.titles)
      .task {
        do { try await model.load() } catch { model.titles = ["\(error)"] }
      }
  }
}
