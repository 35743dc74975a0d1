// expect: cannot assign value of type 'String' to type 'URL'
import Networking

func send(_ networking: Networking<Request>) {
  networking.baseURL = "https://api.example.com"
}
