// Certificates, client identities and the verification of servers, on Linux only.
//
// They are those of the OpenSSL that libcurl uses, which is loaded at run time.
#pragma once

#if defined(__linux__)
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct CatenaEasy CatenaEasy;
/// A store of trusted certificates and revocation lists. Any thread can use it.
typedef struct CatenaStore CatenaStore;
/// A certificate with its key and the certificates of its issuers. Any thread can use it.
typedef struct CatenaIdentity CatenaIdentity;
/// The settings of a connection before its handshake, an SSL_CTX.
typedef struct CatenaTLSContext CatenaTLSContext;
/// The verification of a server during its handshake, an X509_STORE_CTX.
typedef struct CatenaVerification CatenaVerification;
/// TLS on a connection, an SSL.
typedef struct CatenaTLS CatenaTLS;

typedef void (*CatenaDERCallback)(void *context, const unsigned char *bytes, size_t count);
typedef void (*CatenaRelease)(void *object);

/// Returns whether libcurl uses an OpenSSL with all functions. The first call loads them.
bool catena_tls_is_available(void);

// MARK: Certificates

/// Bytes that the caller frees with free(3).
typedef struct {
  unsigned char *bytes;
  size_t count;
} CatenaBytes;

/// The fields of a certificate. Texts are UTF-8 without control characters, which the caller frees by
/// catena_certificate_release.
typedef struct {
  char *subject;
  char *issuer;
  /// The host names and IP addresses, each followed by a line feed.
  char *names;
  /// Seconds since 1970.
  int64_t notBefore;
  int64_t notAfter;
  /// The SHA-256 hash of the SubjectPublicKeyInfo.
  unsigned char keyHash[32];
} CatenaCertificate;

/// Calls `each` with the DER of each certificate in PEM text, or of the one certificate in DER. Returns their
/// number, or -1 if the bytes are malformed.
int catena_certificates_read(
  const void *bytes, size_t count, CatenaDERCallback each, void *context);
bool catena_certificate_read(const void *der, size_t count, CatenaCertificate *fields);
void catena_certificate_release(CatenaCertificate *fields);
/// Computes the hash of the key of a certificate or of a public key, in PEM or DER.
bool catena_key_hash(const void *bytes, size_t count, unsigned char *hash);

// MARK: Stores

CatenaStore *catena_store_make(void);
void catena_store_free(CatenaStore *store);
bool catena_store_add(CatenaStore *store, const void *der, size_t count);
/// Adds the authorities of the system, as libcurl finds them.
bool catena_store_add_system(CatenaStore *store);
/// Adds the revocation lists of PEM text, or the one in DER, which the verification then requires for each
/// certificate of a chain or only for the server's. Returns their number, or -1 if the bytes are malformed.
int catena_store_add_lists(
  CatenaStore *store, const void *bytes, size_t count, bool forWholeChain);
/// Returns the file of the system's authorities, or null.
const char *catena_authorities_path(void);

// MARK: Identities

typedef enum __attribute__((enum_extensibility(closed))) {
  CatenaIdentityResultOK,
  CatenaIdentityResultBadCertificate,
  CatenaIdentityResultBadKey,
  CatenaIdentityResultPasswordMissing,
  CatenaIdentityResultPasswordWrong,
  CatenaIdentityResultKeyMismatch,
  CatenaIdentityResultBadArchive,
} CatenaIdentityResult;

/// Makes an identity of a certificate, followed by those of its issuers, and a key, each in PEM or DER.
CatenaIdentityResult catena_identity_make(
  const void *certificate, size_t certificateCount, const void *key, size_t keyCount,
  const char *password, CatenaIdentity **identity);
/// Makes an identity of a PKCS#12 archive.
CatenaIdentityResult catena_identity_unpack(
  const void *bytes, size_t count, const char *password, CatenaIdentity **identity);
/// Calls `each` with the DER of the certificate.
void catena_identity_certificate(CatenaIdentity *identity, CatenaDERCallback each, void *context);
void catena_identity_free(CatenaIdentity *identity);

// MARK: Before the handshake

typedef int (*CatenaContextCallback)(CatenaEasy *easy, CatenaTLSContext *tls, void *context);
/// Verifies a server, and returns whether the handshake continues.
typedef int (*CatenaVerifyCallback)(CatenaVerification *verification, void *object);

/// The revocation status that a server has stapled to its certificate.
typedef enum __attribute__((enum_extensibility(closed))) {
  CatenaStatusMissing,
  CatenaStatusGood,
  CatenaStatusRevoked,
  /// Malformed, not signed by the issuer, expired, or for another certificate.
  CatenaStatusInvalid,
} CatenaStatus;
/// Receives the stapled status, and returns whether the handshake continues.
typedef int (*CatenaStatusCallback)(CatenaStatus status, void *object);

/// Returns whether the configuration of OpenSSL marks every context as one for a proxy.
bool catena_tls_marks_every_context(void);

/// Sets CURLOPT_SSL_CTX_FUNCTION. The result of the callback is a CURLcode.
int catena_easy_on_tls_context(
  CatenaEasy *easy, CatenaContextCallback callback, void *context);
/// Marks the connections to https proxies for catena_tls_context_take_proxy_mark.
int catena_easy_mark_proxy_tls(CatenaEasy *easy);
/// Returns whether the connection is the one to a proxy, and removes the mark.
bool catena_tls_context_take_proxy_mark(CatenaTLSContext *tls);
/// Verifies servers by a callback with a store. The object is released with the context.
bool catena_tls_context_on_verify(
  CatenaTLSContext *tls, CatenaStore *store, CatenaVerifyCallback verify, void *object,
  CatenaRelease release);
/// Requests a stapled status. The object is that of catena_tls_context_on_verify.
bool catena_tls_context_on_status(CatenaTLSContext *tls, CatenaStatusCallback receive);
/// Sets the versions, such as 0x0303 for TLS 1.2. 0 is no limit.
bool catena_tls_context_set_versions(CatenaTLSContext *tls, int minimum, int maximum);
bool catena_tls_context_use(CatenaTLSContext *tls, CatenaIdentity *identity);

// MARK: In the handshake

/// Verifies the chain with the store. Returns 0 or an X509_V_ERR code.
int catena_verify_chain(CatenaVerification *verification);
/// Returns the description of an X509_V_ERR code.
const char *catena_verify_describe(int error);
/// Sets the result of the verification: 0, or an X509_V_ERR code.
void catena_verify_end(CatenaVerification *verification, int error);
/// Returns whether the server's certificate is for a host, or for an IP address.
bool catena_verify_host(CatenaVerification *verification, const char *host);
/// Returns the host name that the client has sent to the server, or null.
const char *catena_verify_server_name(CatenaVerification *verification);
/// Calls `each` with the DER of each certificate, the server's first: of the verified chain, or as received.
void catena_verify_chain_each(
  CatenaVerification *verification, bool isVerified, CatenaDERCallback each, void *context);

// MARK: After the handshake

/// Returns TLS on the connection of the current transfer, in one of its callbacks, or null.
CatenaTLS *catena_easy_tls(CatenaEasy *easy);
const char *catena_tls_version(CatenaTLS *tls);
const char *catena_tls_cipher(CatenaTLS *tls);
/// Returns the selected protocol, which is not terminated, or null.
const unsigned char *catena_tls_protocol(CatenaTLS *tls, unsigned int *count);
bool catena_tls_is_resumed(CatenaTLS *tls);
/// Calls `each` with the DER of each certificate of the verified chain or, after a resumption, as received.
void catena_tls_chain_each(CatenaTLS *tls, CatenaDERCallback each, void *context);
/// Returns the object of the connection, or null.
void *catena_tls_object(CatenaTLS *tls);
/// Sets the object of the connection, which is released with it.
bool catena_tls_set_object(CatenaTLS *tls, void *object, CatenaRelease release);
/// Returns the object of catena_tls_context_on_verify, or null.
void *catena_tls_verifier(CatenaTLS *tls);
#endif
