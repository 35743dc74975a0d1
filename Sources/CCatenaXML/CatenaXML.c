#include "CatenaXML.h"

// MARK: libxml2's ABI. Source: https://gnome.pages.gitlab.gnome.org/libxml2/html/parser_8h.html

typedef unsigned char Char;

/// xmlError.
typedef struct {
  int domain;
  int code;
  const char *message;
  int level;
  const char *file;
  int line;
  const char *texts[3];
  int number;
  int column;
  void *context;
  void *node;
} Problem;

/// xmlSAXHandler. The functions that are not used have no types.
typedef struct {
  void *internalSubset, *isStandalone, *hasInternalSubset, *hasExternalSubset, *resolveEntity, *getEntity,
      *entityDecl, *notationDecl, *attributeDecl, *elementDecl, *unparsedEntityDecl, *setDocumentLocator,
      *startDocument, *endDocument, *startElement, *endElement, *reference;
  void (*characters)(void *, const Char *, int);
  void (*ignorableWhitespace)(void *, const Char *, int);
  void (*processingInstruction)(void *, const Char *, const Char *);
  void (*comment)(void *, const Char *);
  void *warning, *error, *fatalError, *getParameterEntity;
  void (*cdataBlock)(void *, const Char *, int);
  void *externalSubset;
  unsigned int initialized;
  void *private;
  void (*startElementNs)(void *, const Char *, const Char *, const Char *, int, const Char **, int, int,
                         const Char **);
  void (*endElementNs)(void *, const Char *, const Char *, const Char *);
  void (*serror)(void *, const Problem *);
} Handler;

extern void xmlInitParser(void);
extern void *xmlCreatePushParserCtxt(Handler *, void *, const char *, int, const char *);
extern int xmlCtxtUseOptions(void *, int);
extern int xmlParseChunk(void *, const char *, int, int);
extern void xmlStopParser(void *);
extern void xmlFreeParserCtxt(void *);

enum {
  /// XML_SAX2_MAGIC, of handlers with the last four functions.
  sax2 = 0xDEEDBEAF,
  /// XML_PARSE_NOENT: `&amp;` in attribute values is replaced. There are no other entities without a DOCTYPE.
  replaceEntities = 1 << 1,
  noNetwork = 1 << 11,
  noLimits = 1 << 19,
  ignoreEncoding = 1 << 21,
  levelError = 2,
  /// XML_WAR_NS_URI: a namespace that is not a URI, which XML allows.
  namespaceIsNotURI = 99,
};

// MARK: Parser

typedef struct {
  void *parser;
  const CatenaXMLHandler *handler;
  void *context;
  bool failed;
  bool stopped;
} State;

static void proceed(State *state, bool goesOn) {
  if (goesOn || state->stopped) return;
  state->stopped = true;
  xmlStopParser(state->parser);
}

static bool isActive(const State *state) { return !state->stopped && !state->failed; }

static void start(void *data, const Char *name, const Char *prefix, const Char *uri, int namespaceCount,
                  const Char **namespaces, int attributeCount, int defaultedCount, const Char **attributes) {
  State *state = data;
  (void)defaultedCount;
  if (!isActive(state)) return;
  proceed(state, state->handler->start(state->context, (const char *)name, (const char *)prefix,
                                       (const char *)uri, namespaceCount, (const char *const *)namespaces,
                                       attributeCount, (const char *const *)attributes));
}

static void end(void *data, const Char *name, const Char *prefix, const Char *uri) {
  State *state = data;
  (void)name, (void)prefix, (void)uri;
  if (isActive(state)) proceed(state, state->handler->end(state->context));
}

static void text(void *data, const Char *text, int count) {
  State *state = data;
  if (isActive(state)) proceed(state, state->handler->text(state->context, (const char *)text, count));
}

static void cdata(void *data, const Char *text, int count) {
  State *state = data;
  if (isActive(state)) proceed(state, state->handler->cdata(state->context, (const char *)text, count));
}

static void comment(void *data, const Char *text) {
  State *state = data;
  if (isActive(state)) proceed(state, state->handler->comment(state->context, (const char *)text));
}

static void instruction(void *data, const Char *target, const Char *text) {
  State *state = data;
  if (!isActive(state)) return;
  proceed(state, state->handler->instruction(state->context, (const char *)target, (const char *)text));
}

static void problem(void *data, const Problem *problem) {
  State *state = data;
  if (problem->level < levelError || problem->code == namespaceIsNotURI || !isActive(state)) return;
  // The parser is not stopped here, because libxml2 may be in the middle of its buffer.
  state->failed = true;
  state->handler->error(state->context, problem->message, problem->line, problem->column);
}

void catena_xml_initialize(void) { xmlInitParser(); }

bool catena_xml_parse(const char *bytes, int count, const CatenaXMLHandler *handler, void *context) {
  State state = {.handler = handler, .context = context};
  Handler sax = {
      .characters = text,
      .ignorableWhitespace = text,
      .processingInstruction = instruction,
      .comment = comment,
      .cdataBlock = cdata,
      .initialized = sax2,
      .startElementNs = start,
      .endElementNs = end,
      .serror = problem,
  };
  state.parser = xmlCreatePushParserCtxt(&sax, &state, NULL, 0, NULL);
  if (!state.parser) return false;
  xmlCtxtUseOptions(state.parser, replaceEntities | noNetwork | noLimits | ignoreEncoding);
  // In one piece: in several ones, the time of libxml2 2.9 is quadratic in the length of a token.
  int result = xmlParseChunk(state.parser, bytes, count, 1);
  xmlFreeParserCtxt(state.parser);
  return result == 0 && isActive(&state);
}
