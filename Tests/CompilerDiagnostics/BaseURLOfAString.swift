// expect: cannot convert value of type 'String' to expected argument type 'URL'
import Networking

func send(_ networking: Networking<Request>) {
  networking.setBaseURL("https://api.example.com")
}
