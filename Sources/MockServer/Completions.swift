/// The shells for which the command `completions` prints a script.
///
/// The scripts complete the commands, the options of ``OptionTable`` and the names of files.
enum Completions: String {
  case bash
  case zsh
  case fish

  /// The script, without a line break at its end.
  var script: String {
    switch self {
    case .bash: Self.bashScript
    case .zsh: Self.zshScript
    case .fish: Self.fishScript
    }
  }

  /// The commands and their descriptions.
  private static let commands: [(name: Options.Command, help: String)] = [
    (.serve, "serve the routes of files"), (.check, "validate files and list their routes"),
    (.infer, "print an OpenAPI document of a recording"),
    (.endpoints, "print Swift code for an OpenAPI document"),
    (.initialize, "write an example file"),
    (.completions, "print completions for a shell"),
  ]

  /// The values of options that have few.
  private static let choices = [
    "FAULT": ["close", "reset", "stall", "garbage"],
    "HOST": ["127.0.0.1", "0.0.0.0", "::1", "::", "localhost"],
  ]

  private static let shells = "bash zsh fish"

  private static var bashScript: String {
    let options = OptionTable.options
    let cases = options.compactMap { option -> String? in
      guard let value = option.value, value != "FILE" else { return nil }
      let words = choices[value]?.joined(separator: " ") ?? ""
      return "    \(option.name)) COMPREPLY=($(compgen -W \"\(words)\" -- \"$word\")); return ;;"
    }
    let files = options.filter { $0.value == "FILE" }.map(\.name).joined(separator: " | ")
    return """
      # Completions of mock-server for bash.
      _mock_server() {
        local IFS=$' \\t\\n' word="${COMP_WORDS[COMP_CWORD]}" words=""
        COMPREPLY=()
        case "${COMP_WORDS[COMP_CWORD - 1]}" in
      \(cases.joined(separator: "\n"))
          completions) COMPREPLY=($(compgen -W "\(shells)" -- "$word")); return ;;
          \(files)) ;;
          *)
            if [[ "$word" == -* ]]; then
              COMPREPLY=($(compgen -W "\(options.map(\.name).joined(separator: " "))" -- "$word"))
              return
            fi
            ((COMP_CWORD > 1)) || words="\(commands.map(\.name.rawValue).joined(separator: " "))"
            ;;
        esac
        COMPREPLY=($(compgen -W "$words" -- "$word"))
        IFS=$'\\n'
        COMPREPLY+=($(compgen -f -- "$word"))
      }
      complete -o filenames -F _mock_server mock-server
      """
  }

  private static var zshScript: String {
    let options = OptionTable.options.map { option in
      let text = "[\(zshText(option.summary))]"
      guard let value = option.value else { return "    '\(option.name)\(text)' \\" }
      let action = value == "FILE" ? "_files" : choices[value].map { "(\(zshList($0)))" } ?? ""
      return "    '*\(option.name)=\(text):\(value):\(action)' \\"
    }
    let commands = commands.map { "    '\($0.name.rawValue):\(zshText($0.help))'" }
    return """
      #compdef mock-server
      # Completions of mock-server for zsh.
      _mock_server_first() {
        local -a commands=(
      \(commands.joined(separator: "\n"))
        )
        _describe command commands
        _files
      }
      _mock_server_rest() {
        if [[ "${words[2]}" == completions ]]; then compadd \(shells); else _files; fi
      }
      _mock_server() {
        _arguments -s \\
      \(options.joined(separator: "\n"))
          '1:command or file:_mock_server_first' '*:file:_mock_server_rest'
      }
      if [[ "${funcstack[1]}" == _mock-server ]]; then _mock_server "$@"; else compdef _mock_server mock-server; fi
      """
  }

  private static var fishScript: String {
    var lines = ["# Completions of mock-server for fish."]
    for (name, help) in commands {
      lines.append(
        "complete -c mock-server -n __fish_use_subcommand -a \(name.rawValue) -d '\(help)'")
    }
    lines.append(
      "complete -c mock-server -n '__fish_seen_subcommand_from completions' -x -a '\(shells)'")
    for option in OptionTable.options {
      let name = option.name.dropFirst(2)
      let value =
        switch option.value {
        case nil: ""
        case "FILE"?: " -r -F"
        case let value?: " -x" + (choices[value].map { " -a '\($0.joined(separator: " "))'" } ?? "")
        }
      lines.append("complete -c mock-server -l \(name)\(value) -d '\(fishText(option.summary))'")
    }
    return lines.joined(separator: "\n")
  }

  /// Escapes a text between single quotes for an argument of `_arguments`.
  private static func zshText(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "'": escaped += #"'\''"#
      case "[", "]", ":", "\\": escaped += "\\\(character)"
      default: escaped.append(character)
      }
    }
    return escaped
  }

  private static func zshList(_ words: [String]) -> String {
    words.map { $0.replacing(":", with: "\\:") }.joined(separator: " ")
  }

  private static func fishText(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
  }
}

extension OptionTable.Option {
  /// The beginning of the help text, up to its first punctuation mark.
  fileprivate var summary: String {
    let end = help.indices.first { index in
      ";:.,".contains(help[index]) && help[index...].dropFirst().first == " "
    }
    return String(help[..<(end ?? help.endIndex)])
  }
}
