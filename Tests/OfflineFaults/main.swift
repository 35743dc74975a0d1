import Foundation
import Networking
import Promises
import Synchronization
import SystemCallFaults

// Fails one system call of an offline store at each of its calls, and checks that no accepted request is
// lost.
//
//     offline-faults FOLDER CALL [all]
//
// CALL is a number of `FaultyCall`. Without `all`, only EIO and short transfers last for ever. Each story stores and replays requests in a fresh folder below
// FOLDER, while the n-th call fails once, or while it and all later ones fail. Each line of standard
// output is a violation, except for the last one:
//
//     done STORIES

let arguments = CommandLine.arguments
guard arguments.count >= 3, let call = Int32(arguments[2]), let name = faults_name(call) else {
  exit(64)
}
let folder = URL(fileURLWithPath: arguments[1]).appendingPathComponent("call-\(call)")
faults_watch(folder.path)

/// The errors of each call; 0 makes a transfer short.
var errors = [EIO, ENOSPC, EACCES, EMFILE]
if ["read", "write", "pread", "pwrite"].contains(String(cString: name)) { errors += [0, EINTR] }

/// The errors with which all later calls fail, too.
///
/// EINTR would be repeated for ever.
let foreverErrors = arguments.contains("all") ? errors.filter { $0 != EINTR } : [EIO, 0]

var stories = 0
for error in errors {
  for isForever in [false, true] where !isForever || foreverErrors.contains(error) {
    var nth: Int32 = 1
    while true {
      let fault = Fault(call: call, nth: nth, error: error, isForever: isForever)
      let story = Story(folder.appendingPathComponent("\(stories)"), fault)
      let calls = await story.run()
      stories += 1
      for violation in story.violations { print("\(fault): \(violation)") }
      if calls < nth { break }
      nth += 1
    }
  }
}
print("done \(stories)")
