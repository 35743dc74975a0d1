// expect: type 'Any' cannot conform to 'Decodable'
import Networking

func show(_ networking: Networking<Request>) {
  networking.request(.get("https://api.example.com/boards")).validate().decode()
    .done { boards in print(boards) }
}
