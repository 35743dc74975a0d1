// Only the text is read. Each line that is to be reported ends in `// planted`.
import Security

struct Archive {
  func keys(_ bytes: CFData) -> OSStatus {
    var items: CFArray?
    let options = [kSecImportExportPassphrase: "a"]
    // Not kSecImportToMemoryOnly.
    return SecPKCS12Import(bytes, options as CFDictionary, &items)  // planted
  }
}

struct MemoryArchive {
  var options: [CFString: Any] { [kSecImportToMemoryOnly: true] }

  func keys(_ bytes: CFData) -> OSStatus {
    var items: CFArray?
    return SecPKCS12Import(bytes, options as CFDictionary, &items)
  }
}

func keys(_ bytes: CFData) -> OSStatus {
  var items: CFArray?
  return SecPKCS12Import(  // planted
    bytes, ["kSecImportToMemoryOnly": true] as CFDictionary, &items)
}
