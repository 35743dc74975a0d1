import Networking

func loadBoards(with networking: Networking<BoardsAPI>) -> Promise<[Board]> {
  networking.request(.boards).validate().decode()
}
