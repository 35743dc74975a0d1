// The part of libcurl that Catena uses, on Linux only, with the package trait Curl.
//
// Every Linux process that links FoundationNetworking loads libcurl.so.4, but not every machine has
// libcurl's headers. So CCatenaCurl.c declares libcurl's functions by hand and wraps them in the functions
// below. Swift cannot call variadic C functions, so these have one wrapper for each argument type.
// No declaration here has a name of libcurl, so none collides with <curl/curl.h>.
//
// The numbers are part of libcurl's stable ABI. Source: https://curl.se/libcurl/c/libcurl-easy.html,
// https://curl.se/libcurl/c/libcurl-multi.html.
#pragma once

#if defined(__linux__)
#include <stddef.h>
#include <stdint.h>

#include "CatenaDecoder.h"
#include "CatenaServerTLS.h"
#include "CatenaTLS.h"

#define CATENA_OPEN_ENUM enum __attribute__((enum_extensibility(open)))

/// The CURLOPT_* options that take a long.
typedef CATENA_OPEN_ENUM : int {
  CurlLongOptionVerbose = 41,
  CurlLongOptionNoProgress = 43,
  CurlLongOptionNoBody = 44,
  CurlLongOptionUpload = 46,
  CurlLongOptionVerifyPeer = 64,
  CurlLongOptionVerifyHost = 81,
  CurlLongOptionSSLVersion = 32,
  CurlLongOptionFreshConnect = 74,
  CurlLongOptionForbidReuse = 75,
  CurlLongOptionHTTPVersion = 84,
  CurlLongOptionBufferSize = 98,
  CurlLongOptionNoSignal = 99,
  CurlLongOptionConnectTimeoutMilliseconds = 156,
  CurlLongOptionRTSPRequest = 189,
  CurlLongOptionTCPKeepAlive = 213,
  CurlLongOptionPathAsIs = 234,
  CurlLongOptionPipeWait = 237,
  CurlLongOptionProxyVerifyPeer = 248,
  CurlLongOptionProxyVerifyHost = 249,
  CurlLongOptionProxySSLVersion = 250,
  CurlLongOptionKeepSendingOnError = 245,
  CurlLongOptionSuppressConnectHeaders = 265,
  CurlLongOptionDisallowUsernameInURL = 278,
  CurlLongOptionAuthorityCacheTimeout = 321,
  CurlLongOptionQuickExit = 322,
  CurlLongOptionProtocols = 181,
} CurlLongOption;

/// The CURLOPT_* options that take a string, which libcurl copies.
typedef CATENA_OPEN_ENUM : int {
  CurlStringOptionURL = 10002,
  CurlStringOptionProxy = 10004,
  CurlStringOptionCustomRequest = 10036,
  CurlStringOptionCertificateAuthorities = 10065,
  CurlStringOptionCertificateAuthoritiesFolder = 10097,
  CurlStringOptionProxyUsername = 10175,
  CurlStringOptionProxyPassword = 10176,
  CurlStringOptionNoProxy = 10177,
  CurlStringOptionUnixSocketPath = 10231,
  CurlStringOptionProxyCertificateAuthorities = 10246,
  CurlStringOptionProxyCertificateAuthoritiesFolder = 10247,
} CurlStringOption;

/// The CURLOPT_* options that take a pointer, which must remain valid.
typedef CATENA_OPEN_ENUM : int {
  CurlPointerOptionErrorBuffer = 10010,
  CurlPointerOptionHTTPHeader = 10023,
  CurlPointerOptionShare = 10100,
  CurlPointerOptionPrivate = 10103,
  CurlPointerOptionProxyHeader = 10228,
  /// libcurl copies the bytes. CurlSizeOptionPostFields is their number and must be set first.
  CurlPointerOptionCopyPostFields = 10165,
} CurlPointerOption;

/// The CURLOPT_* options that take a curl_off_t.
typedef CATENA_OPEN_ENUM : int {
  CurlSizeOptionUpload = 30115,
  CurlSizeOptionPostFields = 30120,
} CurlSizeOption;

/// The CURLINFO_* values of type long.
typedef CATENA_OPEN_ENUM : int {
  CurlLongInfoVerifyResult = 0x200000 + 13,
  CurlLongInfoConnectCode = 0x200000 + 22,
  CurlLongInfoConnections = 0x200000 + 26,
  CurlLongInfoHeadReceived = 0x200000 + 11,
  CurlLongInfoRequestSent = 0x200000 + 12,
  CurlLongInfoPort = 0x200000 + 40,
  CurlLongInfoHTTPVersion = 0x200000 + 46,
  CurlLongInfoProxyError = 0x200000 + 59,
} CurlLongInfo;

/// The CURLINFO_* values of type curl_off_t. Times are in microseconds.
typedef CATENA_OPEN_ENUM : int {
  CurlSizeInfoUploaded = 0x600000 + 7,
  CurlSizeInfoDownloaded = 0x600000 + 8,
  CurlSizeInfoTotalTime = 0x600000 + 50,
  CurlSizeInfoNameLookupTime = 0x600000 + 51,
  CurlSizeInfoConnectTime = 0x600000 + 52,
  CurlSizeInfoPretransferTime = 0x600000 + 53,
  CurlSizeInfoFirstByteTime = 0x600000 + 54,
  CurlSizeInfoHandshakeTime = 0x600000 + 56,
} CurlSizeInfo;

/// The CURLMOPT_* options that take a long.
typedef CATENA_OPEN_ENUM : int {
  /// 0 gives each exchange a connection of its own.
  CurlMultiOptionMultiplexing = 3,
  CurlMultiOptionMaxConnects = 6,
  CurlMultiOptionMaxHostConnections = 7,
} CurlMultiOption;

/// The CURLE_* results that have a name here. The type is open, so others can occur.
typedef CATENA_OPEN_ENUM : int {
  CurlResultOK = 0,
  CurlResultUnsupportedProtocol = 1,
  CurlResultMalformedURL = 3,
  CurlResultNotBuiltIn = 4,
  CurlResultProxyNotResolved = 5,
  CurlResultHostNotResolved = 6,
  CurlResultCannotConnect = 7,
  CurlResultWeirdReply = 8,
  CurlResultHTTP2 = 16,
  CurlResultPartialFile = 18,
  CurlResultWriteError = 23,
  CurlResultReadError = 26,
  CurlResultOutOfMemory = 27,
  CurlResultTimedOut = 28,
  CurlResultHandshakeFailed = 35,
  CurlResultAbortedByCallback = 42,
  CurlResultBadFunctionArgument = 43,
  CurlResultUnknownOption = 48,
  CurlResultGotNothing = 52,
  CurlResultSendError = 55,
  CurlResultReceiveError = 56,
  CurlResultBadClientCertificate = 58,
  CurlResultBadCipher = 59,
  CurlResultPeerNotVerified = 60,
  CurlResultBadContentEncoding = 61,
  CurlResultLoginDenied = 67,
  CurlResultBadCertificateAuthorities = 77,
  CurlResultIssuerMismatch = 83,
  CurlResultPinMismatch = 90,
  CurlResultBadCertificateStatus = 91,
  CurlResultHTTP2Stream = 92,
  CurlResultProxy = 97,
  CurlResultClientCertificateNeeded = 98,
  CurlResultTooLarge = 100,
} CurlResult;

/// CURL_POLL_*: the events for which libcurl watches a socket.
typedef CATENA_OPEN_ENUM : int {
  CurlPollIn = 1,
  CurlPollOut = 2,
  CurlPollBoth = 3,
  CurlPollRemove = 4,
} CurlPoll;

enum {
  /// CURL_WRITEFUNC_PAUSE.
  CatenaWritePause = 0x10000001,
  /// CURL_READFUNC_PAUSE.
  CatenaReadPause = 0x10000001,
  /// CURL_READFUNC_ABORT.
  CatenaReadAbort = 0x10000000,
  /// CURL_RTSPREQ_RECEIVE.
  CatenaRTSPReceive = 11,
  /// CURL_ERROR_SIZE.
  CatenaErrorSize = 256,
  /// CURL_CSELECT_*.
  CatenaSelectIn = 1,
  CatenaSelectOut = 2,
  CatenaSelectError = 4,
};

/// An easy handle.
typedef struct CatenaEasy CatenaEasy;
/// A multi handle.
typedef struct CatenaMulti CatenaMulti;
/// A share handle, for the TLS sessions of the handles of one thread.
typedef struct CatenaShare CatenaShare;

/// struct curl_slist. Catena builds its own lists with the same layout.
typedef struct CatenaList {
  char *data;
  struct CatenaList *next;
} CatenaList;

/// The beginning of struct curl_sockaddr.
typedef struct {
  int family;
  int type;
  int protocol;
} CatenaSocketKind;

typedef size_t (*CatenaBytesCallback)(char *bytes, size_t size, size_t count, void *context);
typedef int (*CatenaMessageCallback)(
  CatenaEasy *easy, int kind, char *bytes, size_t count, void *context);
typedef int (*CatenaSeekCallback)(void *context, int64_t offset, int origin);
typedef int (*CatenaProgressCallback)(
  void *context, int64_t toReceive, int64_t received, int64_t toSend, int64_t sent);
typedef int (*CatenaSocketCallback)(
  CatenaEasy *easy, int socket, int what, void *context, void *socketContext);
typedef int (*CatenaTimerCallback)(CatenaMulti *multi, long milliseconds, void *context);
typedef int (*CatenaConnectedCallback)(
  void *context, char *remote, char *local, int remotePort, int localPort);
typedef int (*CatenaOpenCallback)(void *context, int purpose, CatenaSocketKind *kind);
typedef int (*CatenaCloseCallback)(void *context, int socket);

/// Sets the name of the calling thread, of at most 15 bytes.
void catena_name_thread(const char *name);

/// Replaces the open file behind a descriptor with a socket whose peer has closed the connection.
///
/// Reads return the end of the stream. The former file is closed unless another descriptor refers to it.
/// Returns -1 and sets errno on failure, and the descriptor is then unchanged.
int catena_replace_with_closed_socket(int descriptor);

/// Initializes libcurl. Repeated calls are allowed, and since libcurl 7.84 calls from any thread.
void catena_curl_initialize(void);
/// Returns the reason why libcurl cannot be used, or null. There is none in a program that is linked with it.
const char *catena_curl_problem(void);
/// Returns the version of the loaded library as a number: 0x075801 for 7.88.1.
unsigned int catena_curl_version(void);
/// Returns libcurl's English description of a result.
const char *catena_curl_describe(CurlResult result);

CatenaEasy *catena_easy_make(void);
void catena_easy_free(CatenaEasy *easy);
void catena_easy_reset(CatenaEasy *easy);
CurlResult catena_easy_set_long(CatenaEasy *easy, CurlLongOption option, long value);
CurlResult catena_easy_set_string(CatenaEasy *easy, CurlStringOption option, const char *value);
CurlResult catena_easy_set_pointer(CatenaEasy *easy, CurlPointerOption option, const void *value);
CurlResult catena_easy_set_size(CatenaEasy *easy, CurlSizeOption option, int64_t value);
/// Restricts the handle to http and https, with CURLOPT_PROTOCOLS_STR or, before 7.85,
/// CURLOPT_PROTOCOLS.
CurlResult catena_easy_allow_http_only(CatenaEasy *easy);
CurlResult catena_easy_on_header(CatenaEasy *easy, CatenaBytesCallback callback, void *context);
CurlResult catena_easy_on_body(CatenaEasy *easy, CatenaBytesCallback callback, void *context);
CurlResult catena_easy_on_read(CatenaEasy *easy, CatenaBytesCallback callback, void *context);
CurlResult catena_easy_on_seek(CatenaEasy *easy, CatenaSeekCallback callback, void *context);
CurlResult catena_easy_on_progress(
  CatenaEasy *easy, CatenaProgressCallback callback, void *context);
/// Sets the callback for an established connection, before the request is sent. libcurl before 7.80
/// does not know the option.
CurlResult catena_easy_on_connected(
  CatenaEasy *easy, CatenaConnectedCallback callback, void *context);
/// Sets the callback for libcurl's messages and for the bytes that it sends and receives, which are
/// reported while CurlLongOptionVerbose is set. The kind of a message is 0.
CurlResult catena_easy_on_message(
  CatenaEasy *easy, CatenaMessageCallback callback, void *context);
CurlResult catena_easy_on_open(CatenaEasy *easy, CatenaOpenCallback callback, void *context);
CurlResult catena_easy_on_close(CatenaEasy *easy, CatenaCloseCallback callback, void *context);
/// Resumes a transfer that a callback paused.
CurlResult catena_easy_unpause(CatenaEasy *easy);
/// Makes the next timer of the multi handle read from the connection of a transfer that is not paused.
void catena_easy_read_again(CatenaEasy *easy);
/// Returns a value of the last transfer, or 0 if it is not available.
long catena_easy_long(CatenaEasy *easy, CurlLongInfo info);
/// Returns a value of the last transfer, or 0 if it is not available.
int64_t catena_easy_size(CatenaEasy *easy, CurlSizeInfo info);
/// Returns the IP address of the peer, or null if there is none. The string is valid until the next use
/// of the handle.
const char *catena_easy_address(CatenaEasy *easy);
/// Returns the number of the current or last connection, which is unique for a multi handle. Returns -1 if
/// there was none, or with libcurl before 8.2.
int64_t catena_easy_connection(CatenaEasy *easy);
/// The addresses and ports of a TCP connection.
typedef struct {
  /// The local address and that of the peer. An IPv4 address is in the first four bytes, before zeros.
  uint64_t local[2];
  uint64_t remote[2];
  /// The local port, and that of the peer in the lower half.
  uint32_t ports;
} CatenaEndpoints;

/// Returns whether there is a TCP connection, and its addresses and ports.
bool catena_easy_endpoints(CatenaEasy *easy, CatenaEndpoints *endpoints);

/// The state of TLS on a connection.
typedef CATENA_OPEN_ENUM : int {
  /// No TLS, or not by OpenSSL.
  CatenaTLSStateUnknown,
  /// The server has selected HTTP/2.
  CatenaTLSStateHTTP2,
  /// No bytes are decrypted and unread.
  CatenaTLSStateIdle,
  /// Bytes are decrypted and unread.
  CatenaTLSStateReadable,
} CatenaTLSState;

/// Returns the state of TLS on the connection of the current transfer, in one of its callbacks.
CatenaTLSState catena_easy_tls_state(CatenaEasy *easy);
/// Returns whether the server has not selected HTTP/1.1 by ALPN on the connection of the current transfer, in
/// one of its callbacks. Returns 0 if this is not known.
int catena_easy_refuses_http1(CatenaEasy *easy);
/// Returns whether the last operation of TLS on the connection of the current transfer was a read that found
/// no bytes, in one of its callbacks. Returns 0 if this is not known.
int catena_easy_awaits_bytes(CatenaEasy *easy);
/// Returns whether a socket has bytes to read, or its peer has closed the connection.
int catena_is_readable(int socket);

/// Returns whether the environment names a proxy to which connections use TLS.
bool catena_environment_has_tls_proxy(void);
/// Returns the value of CurlPointerOptionPrivate.
void *catena_easy_private(CatenaEasy *easy);

/// Makes a share handle for TLS sessions, or returns null if libcurl is out of memory. All handles that
/// use it must be used on one thread.
CatenaShare *catena_share_make(void);
/// Frees a share handle that no handle uses.
void catena_share_free(CatenaShare *share);

CatenaMulti *catena_multi_make(void);
void catena_multi_free(CatenaMulti *multi);
int catena_multi_set_long(CatenaMulti *multi, CurlMultiOption option, long value);
int catena_multi_on_socket(CatenaMulti *multi, CatenaSocketCallback callback, void *context);
int catena_multi_on_timer(CatenaMulti *multi, CatenaTimerCallback callback, void *context);
int catena_multi_add(CatenaMulti *multi, CatenaEasy *easy);
int catena_multi_remove(CatenaMulti *multi, CatenaEasy *easy);
/// Tells libcurl that a socket is ready for the CatenaSelect events in `selected`.
int catena_multi_socket_ready(CatenaMulti *multi, int socket, int selected);
/// Tells libcurl that the timer set by its timer callback has expired.
int catena_multi_timer_expired(CatenaMulti *multi);
/// Returns the handle of the next completed transfer and its result, or null if there is none.
CatenaEasy *catena_multi_next_completed(CatenaMulti *multi, CurlResult *result);
#endif
