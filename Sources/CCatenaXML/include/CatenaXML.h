// The part of libxml2 that NetworkingXML uses: its SAX parser, with namespaces.
//
// libxml2 is a library of every Apple platform, and Swift's FoundationXML requires it on Linux. Not every
// machine has its headers, so CatenaXML.c declares its functions by hand and wraps them in the functions
// below. No declaration here has a name of libxml2, so none collides with <libxml/parser.h>.
#pragma once

#include <stdbool.h>
#include <stddef.h>

/// The functions that receive the parts of a document, in document order.
///
/// All texts are in UTF-8. A text with a length has no NUL at its end. The names and the namespaces are
/// unique: equal texts have equal addresses until the parser returns. Each function gets the context, and
/// returns whether to go on.
typedef struct {
  /// A start tag. `namespaces` has pairs of prefix and URI, `attributes` has five pointers for each one:
  /// name, prefix, URI, and the start and end of the value. Prefixes and URIs may be NULL.
  bool (*start)(void *context, const char *name, const char *prefix, const char *uri, int namespaceCount,
                const char *const *namespaces, int attributeCount, const char *const *attributes);
  bool (*end)(void *context);
  bool (*text)(void *context, const char *text, int count);
  bool (*cdata)(void *context, const char *text, int count);
  bool (*comment)(void *context, const char *text);
  bool (*instruction)(void *context, const char *target, const char *text);
  /// An error. The parser may report more errors after it, but no more parts of the document.
  void (*error)(void *context, const char *message, int line, int column);
} CatenaXMLHandler;

/// Prepares libxml2 for use by several threads. Must return before the first call of the parser.
void catena_xml_initialize(void);

/// Parses a document in UTF-8 without a byte order mark. An encoding declaration is ignored. Neither files
/// nor external entities are read. libxml2's own limits are off; the caller limits the input.
///
/// Returns whether the document is well-formed, including its namespaces, and was parsed to its end.
bool catena_xml_parse(const char *bytes, int count, const CatenaXMLHandler *handler, void *context);
