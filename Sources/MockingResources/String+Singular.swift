/// The names of items, by the names of their lists in paths, relations, schemas and generated code.
///
/// They are guesses: a wrong one gives a name that reads badly, and changes no answer's validity.
extension String {
  /// The singular of an English noun, such as `category` of `categories`.
  ///
  /// The text itself if it does not look like a plural:
  ///
  /// | Text | Singular |
  /// | --- | --- |
  /// | `pets` | `pet` |
  /// | `categories` | `category` |
  /// | `addresses` | `address` |
  /// | `boxes` | `box` |
  /// | `status` | `status` |
  /// | `class` | `class` |
  package var singular: String {
    if hasSuffix("ies"), count > 4 { return dropLast(3) + "y" }
    for suffix in ["sses", "shes", "ches", "xes"] where hasSuffix(suffix) {
      return String(dropLast(2))
    }
    let isPlural = hasSuffix("s") && !hasSuffix("ss") && !hasSuffix("us")
    return isPlural && count > 2 ? String(dropLast()) : self
  }
}
