import Networking
import Observation

/// The part of a user interface framework that starts work when a view appears.
protocol View {
  associatedtype Body
  var body: Body { get }
}

struct AppearingView<Content> {
  var content: Content
  var appear: () -> Task<Void, Never>
}

extension View {
  func task(_ action: @escaping @MainActor () async -> Void) -> AppearingView<Self> {
    AppearingView(content: self) { Task { await action() } }
  }
}

struct ListView: View {
  var titles: [String]
  var body: Never { fatalError("drawn by the framework") }
}

struct BoardsView: View {
  var model: BoardsViewModel

  var body: AppearingView<ListView> {
    ListView(titles: model.titles)
      .task {
        do { try await model.load() } catch { model.titles = ["\(error)"] }
      }
  }
}

@Observable final class BoardsViewModel {
  var titles: [String] = []
  private let networking: Networking<BoardsAPI>

  init(networking: Networking<BoardsAPI>) {
    self.networking = networking
  }

  func load() async throws {
    titles = try await networking.request(.boards).validate().decode([Board].self).value
      .map(\.title)
  }
}
