// expect: cast from 'JSON' to unrelated type 'String' always fails
import Networking

func title(_ json: JSON) -> String { json["title"] as? String ?? "" }
