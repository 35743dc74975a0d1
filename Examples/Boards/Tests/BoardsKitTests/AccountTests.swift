import CatenaTesting
import Testing

@testable import BoardsKit

@MainActor @Suite(.virtualTime)
struct AccountTests {
  private let server = DemoServer()

  @Test func signingInOpensTheBoards() async throws {
    let workspace = Workspace(server.backend)
    #expect(!workspace.account.isSignedIn)
    workspace.account.signIn()
    #expect(workspace.account.isSigningIn)
    await Test.virtualTime.run()
    #expect(workspace.account.isSignedIn && !workspace.account.isSigningIn)
    try await Test.virtualTime.run { await workspace.boards.load() }
    #expect(workspace.boards.value?.map(\.title) == ["Balsa Fish", "Kite"])
  }

  @Test func closingTheSignInPageIsNoError() async {
    let account = Workspace(.live(tokens: .memory, consent: ClosedPage())).account
    account.signIn()
    await Test.virtualTime.run()
    #expect(!account.isSignedIn && !account.isSigningIn)
    #expect(account.message == nil)
  }

  @Test func aFailedSignInIsReported() async {
    server.isReachable = false
    let account = await server.signedIn().account
    #expect(!account.isSignedIn)
    #expect(account.message == "You are offline.")
  }

  @Test func signingOutRemovesTheDataOfTheUser() async {
    let workspace = await server.signedIn()
    server.isReachable = false
    BoardModel(.kite, in: workspace).add("Tail")
    await Test.virtualTime.run()
    workspace.account.signOut()
    await Test.virtualTime.run()
    #expect(!workspace.account.isSignedIn)
    #expect(workspace.outbox.waiting.isEmpty)
  }

  @Test func theUserCanSignInAndOutAgain() async {
    let account = await server.signedIn().account
    for isSignedIn in [false, true, false] {
      if isSignedIn { account.signIn() } else { account.signOut() }
      await Test.virtualTime.run()
      #expect(account.isSignedIn == isSignedIn)
    }
  }

  @Test func anExpiredTokenIsRefreshedOnce() async throws {
    let workspace = await server.signedIn()
    await Test.virtualTime.advance(by: .seconds(3_600))
    try await Test.virtualTime.run {
      async let boards: Void = workspace.boards.load()
      await BoardModel(.kite, in: workspace).cards.load()
      await boards
    }
    #expect(workspace.boards.message == nil)
    #expect(server.login.counts.refreshes == 1)
  }

  @Test func theUserIsSignedOutWhenTheServerEndsTheSession() async throws {
    let workspace = await server.signedIn()
    server.login.revokeAll(includingRefreshTokens: true)
    try await Test.virtualTime.run { await workspace.boards.load() }
    #expect(!workspace.account.isSignedIn)
    #expect(workspace.boards.message == "Sign in again.")
  }
}
