// For pthread_setname_np and dup3.
#define _GNU_SOURCE
#include "CCatenaCurl.h"

#if defined(__linux__)
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

void catena_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int catena_replace_with_closed_socket(int descriptor) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends)) return -1;
  close(ends[1]);
  int result = dup3(ends[0], descriptor, O_CLOEXEC);
  close(ends[0]);
  return result;
}

typedef int CURLcode;
typedef int CURLMcode;

// struct CURLMsg.
typedef struct {
  int message;
  void *easy;
  union {
    void *whatever;
    CURLcode result;
  } data;
} Message;

extern CURLcode curl_global_init(long flags);
extern const char *curl_easy_strerror(CURLcode code);
extern void *curl_easy_init(void);
extern void curl_easy_cleanup(void *easy);
extern void curl_easy_reset(void *easy);
extern CURLcode curl_easy_setopt(void *easy, int option, ...);
extern CURLcode curl_easy_getinfo(void *easy, int info, ...);
extern CURLcode curl_easy_pause(void *easy, int bitmask);
extern void *curl_share_init(void);
extern int curl_share_setopt(void *share, int option, ...);
extern int curl_share_cleanup(void *share);
extern void *curl_multi_init(void);
extern CURLMcode curl_multi_cleanup(void *multi);
extern CURLMcode curl_multi_setopt(void *multi, int option, ...);
extern CURLMcode curl_multi_add_handle(void *multi, void *easy);
extern CURLMcode curl_multi_remove_handle(void *multi, void *easy);
extern CURLMcode curl_multi_socket_action(void *multi, int socket, int selected, int *running);
extern Message *curl_multi_info_read(void *multi, int *left);

// The first fields of curl_version_info_data, which are the same in all its versions.
typedef struct {
  int age;
  const char *version;
  unsigned int version_num;
} VersionInfo;
extern VersionInfo *curl_version_info(int age);

void catena_curl_initialize(void) {
  // OpenSSL must not free its locks when the program exits: an I/O thread may still use them then, and the
  // program would crash at its end. The flag is OPENSSL_INIT_NO_ATEXIT. Without OpenSSL, nothing is done.
  int (*initialize)(uint64_t, const void *) =
      (int (*)(uint64_t, const void *))dlsym(RTLD_DEFAULT, "OPENSSL_init_crypto");
  if (initialize) initialize(0x00080000, NULL);
  curl_global_init(3 /* CURL_GLOBAL_DEFAULT */);
}

#if !defined(CATENA_STANDALONE)
const char *catena_curl_problem(void) { return NULL; }
#endif

unsigned int catena_curl_version(void) {
  const VersionInfo *info = curl_version_info(0);
  return info ? info->version_num : 0;
}

const char *catena_curl_describe(CurlResult result) { return curl_easy_strerror((CURLcode)result); }

CatenaEasy *catena_easy_make(void) { return curl_easy_init(); }

void catena_easy_free(CatenaEasy *easy) { curl_easy_cleanup(easy); }

void catena_easy_reset(CatenaEasy *easy) { curl_easy_reset(easy); }

CurlResult catena_easy_set_long(CatenaEasy *easy, CurlLongOption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

CurlResult catena_easy_set_string(CatenaEasy *easy, CurlStringOption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

CurlResult catena_easy_set_pointer(CatenaEasy *easy, CurlPointerOption option, const void *value) {
  return curl_easy_setopt(easy, option, value);
}

CurlResult catena_easy_set_size(CatenaEasy *easy, CurlSizeOption option, int64_t value) {
  return curl_easy_setopt(easy, option, value);
}

CurlResult catena_easy_allow_http_only(CatenaEasy *easy) {
  // CURLOPT_PROTOCOLS_STR, else CURLOPT_PROTOCOLS with CURLPROTO_HTTP and CURLPROTO_HTTPS.
  CURLcode result = curl_easy_setopt(easy, 10318, "http,https");
  if (result == CurlResultUnknownOption) {
    result = curl_easy_setopt(easy, CurlLongOptionProtocols, 1L | 2L);
  }
  return result;
}

// libcurl has separate options for a callback and its context.
#define SET_CALLBACK(function, data)                                    \
  CURLcode result = curl_easy_setopt(easy, function, callback);         \
  return result ? result : curl_easy_setopt(easy, data, context)

CurlResult catena_easy_on_header(CatenaEasy *easy, CatenaBytesCallback callback, void *context) {
  SET_CALLBACK(20079, 10029);
}

CurlResult catena_easy_on_body(CatenaEasy *easy, CatenaBytesCallback callback, void *context) {
  SET_CALLBACK(20011, 10001);
}

CurlResult catena_easy_on_read(CatenaEasy *easy, CatenaBytesCallback callback, void *context) {
  SET_CALLBACK(20012, 10009);
}

CurlResult catena_easy_on_seek(CatenaEasy *easy, CatenaSeekCallback callback, void *context) {
  SET_CALLBACK(20167, 10168);
}

CurlResult catena_easy_on_progress(
  CatenaEasy *easy, CatenaProgressCallback callback, void *context) {
  SET_CALLBACK(20219, 10057);
}

CurlResult catena_easy_on_connected(
  CatenaEasy *easy, CatenaConnectedCallback callback, void *context) {
  // CURLOPT_PREREQFUNCTION, CURLOPT_PREREQDATA.
  SET_CALLBACK(20312, 10313);
}

CurlResult catena_easy_on_message(
  CatenaEasy *easy, CatenaMessageCallback callback, void *context) {
  // CURLOPT_DEBUGFUNCTION, CURLOPT_DEBUGDATA.
  SET_CALLBACK(20094, 10095);
}

CurlResult catena_easy_on_open(CatenaEasy *easy, CatenaOpenCallback callback, void *context) {
  SET_CALLBACK(20163, 10164);
}

CurlResult catena_easy_on_close(CatenaEasy *easy, CatenaCloseCallback callback, void *context) {
  SET_CALLBACK(20208, 10209);
}

// CURLPAUSE_CONT.
CurlResult catena_easy_unpause(CatenaEasy *easy) { return curl_easy_pause(easy, 0); }

void catena_easy_read_again(CatenaEasy *easy) {
  // CURLPAUSE_RECV and CURLPAUSE_CONT.
  if (!curl_easy_pause(easy, 1)) curl_easy_pause(easy, 0);
}

long catena_easy_long(CatenaEasy *easy, CurlLongInfo info) {
  long value = 0;
  return curl_easy_getinfo(easy, info, &value) ? 0 : value;
}

int64_t catena_easy_size(CatenaEasy *easy, CurlSizeInfo info) {
  int64_t value = 0;
  return curl_easy_getinfo(easy, info, &value) ? 0 : value;
}

const char *catena_easy_address(CatenaEasy *easy) {
  // CURLINFO_PRIMARY_IP.
  const char *value = 0;
  return curl_easy_getinfo(easy, 0x100000 + 32, &value) ? 0 : value;
}

int64_t catena_easy_connection(CatenaEasy *easy) {
  // CURLINFO_CONN_ID.
  int64_t value = -1;
  return curl_easy_getinfo(easy, 0x600000 + 64, &value) ? -1 : value;
}

// Stores an address of 4 or 16 bytes, or zeros if the text is not an address.
static void parse_address(const char *text, uint64_t address[2]) {
  address[0] = address[1] = 0;
  if (text) inet_pton(strchr(text, ':') ? AF_INET6 : AF_INET, text, address);
}

bool catena_easy_endpoints(CatenaEasy *easy, CatenaEndpoints *endpoints) {
  long local = 0, remote = 0;
  const char *address = 0;
  // CURLINFO_LOCAL_PORT, CURLINFO_PRIMARY_PORT and CURLINFO_LOCAL_IP.
  if (curl_easy_getinfo(easy, 0x200000 + 42, &local) || local <= 0) return false;
  curl_easy_getinfo(easy, 0x200000 + 40, &remote);
  endpoints->ports = (uint32_t)local << 16 | (uint32_t)remote;
  curl_easy_getinfo(easy, 0x100000 + 41, &address);
  parse_address(address, endpoints->local);
  parse_address(catena_easy_address(easy), endpoints->remote);
  return true;
}

// The functions of the OpenSSL that libcurl uses, or null.
static int (*ssl_pending)(const void *);
static int (*ssl_want)(const void *);
static void (*ssl_alpn)(const void *, const unsigned char **, unsigned int *);

static void find_openssl(void) {
  *(void **)&ssl_pending = dlsym(RTLD_DEFAULT, "SSL_pending");
  *(void **)&ssl_want = dlsym(RTLD_DEFAULT, "SSL_want");
  *(void **)&ssl_alpn = dlsym(RTLD_DEFAULT, "SSL_get0_alpn_selected");
}

// Returns OpenSSL's connection of the current transfer, or null.
static void *openssl_connection(CatenaEasy *easy) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_openssl);
  // CURLINFO_TLS_SSL_PTR, a struct curl_tlssessioninfo. The first field of it is 1 for OpenSSL.
  struct {
    int backend;
    void *internals;
  } *info = NULL;
  if (!ssl_pending || !ssl_alpn || curl_easy_getinfo(easy, 0x400000 + 45, &info) || !info ||
      info->backend != 1)
    return NULL;
  return info->internals;
}

static int has_selected(void *connection, const char *protocol) {
  const unsigned char *name = NULL;
  unsigned int length = 0;
  ssl_alpn(connection, &name, &length);
  return length == strlen(protocol) && memcmp(name, protocol, length) == 0;
}

CatenaTLSState catena_easy_tls_state(CatenaEasy *easy) {
  void *connection = openssl_connection(easy);
  if (!connection) return CatenaTLSStateUnknown;
  if (has_selected(connection, "h2")) return CatenaTLSStateHTTP2;
  return ssl_pending(connection) > 0 ? CatenaTLSStateReadable : CatenaTLSStateIdle;
}

int catena_easy_refuses_http1(CatenaEasy *easy) {
  void *connection = openssl_connection(easy);
  return connection && !has_selected(connection, "http/1.1");
}

int catena_easy_awaits_bytes(CatenaEasy *easy) {
  void *connection = openssl_connection(easy);
  // SSL_READING.
  return connection && ssl_want && ssl_want(connection) == 3;
}

int catena_is_readable(int socket) {
  char byte;
  return recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || errno != EAGAIN;
}

// Reads each variable once, because it is called for each exchange.
bool catena_environment_has_tls_proxy(void) {
  static const char *const names[] = {
    "http_proxy=", "https_proxy=", "HTTPS_PROXY=", "all_proxy=", "ALL_PROXY="};
  for (char **variable = environ; variable && *variable; variable++) {
    char first = (*variable)[0];
    if (first != 'h' && first != 'H' && first != 'a' && first != 'A') continue;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
      size_t length = strlen(names[i]);
      if (!strncmp(*variable, names[i], length) && !strncasecmp(*variable + length, "https:", 6))
        return true;
    }
  }
  return false;
}

void *catena_easy_private(CatenaEasy *easy) {
  // CURLINFO_PRIVATE.
  void *value = 0;
  return curl_easy_getinfo(easy, 0x100000 + 21, &value) ? 0 : value;
}

CatenaShare *catena_share_make(void) {
  void *share = curl_share_init();
  // CURLSHOPT_SHARE and CURL_LOCK_DATA_SSL_SESSION.
  if (share) curl_share_setopt(share, 1, 4);
  return share;
}

void catena_share_free(CatenaShare *share) { curl_share_cleanup(share); }

CatenaMulti *catena_multi_make(void) { return curl_multi_init(); }

void catena_multi_free(CatenaMulti *multi) { curl_multi_cleanup(multi); }

int catena_multi_set_long(CatenaMulti *multi, CurlMultiOption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

int catena_multi_on_socket(CatenaMulti *multi, CatenaSocketCallback callback, void *context) {
  // CURLMOPT_SOCKETFUNCTION, CURLMOPT_SOCKETDATA.
  CURLMcode result = curl_multi_setopt(multi, 20001, callback);
  return result ? result : curl_multi_setopt(multi, 10002, context);
}

int catena_multi_on_timer(CatenaMulti *multi, CatenaTimerCallback callback, void *context) {
  // CURLMOPT_TIMERFUNCTION, CURLMOPT_TIMERDATA.
  CURLMcode result = curl_multi_setopt(multi, 20004, callback);
  return result ? result : curl_multi_setopt(multi, 10005, context);
}

int catena_multi_add(CatenaMulti *multi, CatenaEasy *easy) {
  return curl_multi_add_handle(multi, easy);
}

int catena_multi_remove(CatenaMulti *multi, CatenaEasy *easy) {
  return curl_multi_remove_handle(multi, easy);
}

int catena_multi_socket_ready(CatenaMulti *multi, int socket, int selected) {
  int running;
  return curl_multi_socket_action(multi, socket, selected, &running);
}

int catena_multi_timer_expired(CatenaMulti *multi) {
  // CURL_SOCKET_TIMEOUT.
  int running;
  return curl_multi_socket_action(multi, -1, 0, &running);
}

CatenaEasy *catena_multi_next_completed(CatenaMulti *multi, CurlResult *result) {
  int left;
  Message *message;
  while ((message = curl_multi_info_read(multi, &left))) {
    // CURLMSG_DONE, currently the only kind of message.
    if (message->message != 1) continue;
    *result = message->data.result;
    return message->easy;
  }
  return 0;
}
#endif
