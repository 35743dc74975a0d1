import Foundation
import Networking

extension StubValue {
  /// Parses the name of a file with the body of a response.
  ///
  /// The file is read for each response, but a missing file is reported now.
  func fileBody(in folder: URL) throws(JSONDocumentError) -> Mock {
    let file = MockFile(try string("the name of a file"), in: folder)
    if file.candidates.contains(where: { FileManager.default.isReadableFile(atPath: $0.path) }) {
      return .file(file.name, in: folder)
    }
    let hint =
      TemplateText.isTemplate(file.name)
      ? "; the name of a file cannot be a template, but \"folder\" serves all files of a folder: "
        + "{\"path\": \"/images/{name*}\", \"folder\": \"images\"}" : ""
    throw JSONDocumentError(
      path: path, text: "there is no file \"\(file.name)\" in \(folder.relativePath)\(hint)")
  }

  /// Parses the name of a folder whose files requests name by the last variable of the path.
  func folderBody(in folder: URL) throws(JSONDocumentError) -> Mock {
    let name = try string("the name of a folder, such as \"images\"")
    guard !TemplateText.isTemplate(name) else {
      throw JSONDocumentError(
        path: path,
        text: "the name of a folder cannot be a template, found \(name.debugDescription)")
    }
    guard !name.isEmpty, !name.hasPrefix("/"), !name.split(separator: "/").contains(".."),
      !name.utf8.contains(0)
    else {
      throw expected("the name of a folder in the folder of the stub file, such as \"images\"")
    }
    let url = folder.appendingPathComponent(name, isDirectory: true)
    guard let root = RealPath(folder.path), let target = RealPath(url.path), target.isFolder else {
      throw JSONDocumentError(
        path: path, text: "there is no folder \"\(name)\" in \(folder.relativePath)")
    }
    guard root.contains(target) else {
      throw JSONDocumentError(
        path: path,
        text: "the folder \"\(name)\" is a link out of the folder of the stub file")
    }
    guard let variable = context.lastVariable else {
      throw JSONDocumentError(
        path: path, refersToName: true,
        text: "\"folder\" requires a path that ends with a variable, such as \"/images/{name*}\"")
    }
    return .folder(url, variable: variable)
  }
}
