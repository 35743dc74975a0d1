import Foundation
import PackagePlugin

/// A check of the stub files and OpenAPI documents of a target, before the target is compiled.
///
/// An error fails the build with the file, the line and the column. A file is checked if it is in
/// the folder of the target and its name ends in one of ``CheckedFile/endings``. Files with other
/// names, such as those that a stub file includes, are checked as parts of these.
@main
struct CheckStubs: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    guard let module = target as? any SourceModuleTarget else { return [] }
    // Without the trait, a build of the package does not build the program a second time, for plugins.
    guard let program = try? context.tool(named: "mock-server").url else {
      Diagnostics.error(
        """
        the plugin CheckStubs needs the trait of the same name: \
        .package(url: "...", from: "1.0.0", traits: [.defaults, "CheckStubs"])
        """)
      return []
    }
    let files = CheckedFile.files(below: module.directoryURL)
    return files.checked.map { file in
      let output = context.pluginWorkDirectoryURL.appending(path: file.outputName)
      return .buildCommand(
        displayName: "Checking \(file.name)", executable: program,
        arguments: ["check", "--diagnose", output.path, file.url.path],
        inputFiles: files.inputs, outputFiles: [output])
    }
  }
}

/// A file that the plugin checks.
struct CheckedFile {
  /// The endings of the names of stub files and of OpenAPI documents.
  static let endings = ["stubs.json", "openapi.json", "openapi.yaml", "openapi.yml"]

  let url: URL
  /// The path below the folder of the target.
  let name: String
  /// The name of the output of the check, source code with comments only.
  var outputName: String { name.replacing("/", with: "-") + ".swift" }

  /// Returns the files to check in a folder, and all files on which a check may depend.
  ///
  /// An included file, a body or a schema may have any name, so that each file without Swift code is
  /// an input. Hidden files are left out.
  static func files(below folder: URL) -> (checked: [CheckedFile], inputs: [URL]) {
    let names = FileManager.default.enumerator(
      at: folder, includingPropertiesForKeys: [.isRegularFileKey], options: .skipsHiddenFiles)
    let files = (names?.compactMap { $0 as? URL } ?? []).filter { file in
      file.pathExtension != "swift"
        && (try? file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
    }.sorted { $0.path < $1.path }
    let length = folder.standardizedFileURL.path.count + 1
    let checked = files.filter { file in
      endings.contains { file.lastPathComponent.lowercased().hasSuffix($0) }
    }
    return (
      checked.map {
        CheckedFile(url: $0, name: String($0.standardizedFileURL.path.dropFirst(length)))
      }, files
    )
  }
}
