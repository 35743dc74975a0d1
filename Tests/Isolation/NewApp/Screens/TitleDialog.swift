import Networking

protocol TitleDialogDelegate: AnyObject {
  func dialog(_ dialog: TitleDialog, didEnd title: String?)
}

/// A dialog of a framework, which reports its result to a delegate.
final class TitleDialog {
  weak var delegate: (any TitleDialogDelegate)?

  func end(with title: String?) {
    delegate?.dialog(self, didEnd: title)
  }
}

/// Creates a board with the title from a dialog.
final class BoardCreation: TitleDialogDelegate {
  let dialog = TitleDialog()
  var created: [String] = []
  private var resolver: Resolver<String>?
  private let networking: Networking<BoardsAPI>

  init(networking: Networking<BoardsAPI>) {
    self.networking = networking
    dialog.delegate = self
  }

  func start() -> Promise<Response> {
    let (title, resolver) = Promise<String>.pending()
    self.resolver = resolver
    return
      title
      .tap { title in self.created.append(title) }
      .then { title in self.networking.request(.create(Draft(title: title))) }
      .validate()
  }

  func dialog(_ dialog: TitleDialog, didEnd title: String?) {
    if let title {
      resolver?.fulfill(title)
    } else {
      resolver?.reject(CancellationError())
    }
  }
}
