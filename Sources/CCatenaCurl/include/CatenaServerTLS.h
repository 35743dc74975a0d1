// The server side of TLS and certificates made on the spot, for mock servers, on Linux only.
#pragma once

#if defined(__linux__)
#include "CatenaTLS.h"

/// The settings of a server, an SSL_CTX. Any thread can use them.
typedef struct CatenaServer CatenaServer;

/// The settings for catena_server_make.
typedef struct {
  CatenaIdentity *identity;
  /// The authorities of client certificates, or null to request none.
  CatenaStore *clientAuthorities;
  bool requiresClientCertificate;
  /// The stapled OCSP response, or null.
  const unsigned char *status;
  size_t statusCount;
  /// The versions, such as 0x0303 for TLS 1.2. 0 is no limit.
  int minimumVersion;
  int maximumVersion;
} CatenaServerSettings;

/// Makes the settings of a server that speaks HTTP/1.1. Returns null if OpenSSL rejects one.
CatenaServer *catena_server_make(const CatenaServerSettings *settings);
void catena_server_free(CatenaServer *server);

/// The results of reading and writing that are no numbers of bytes.
enum {
  CatenaTLSEnded = 0,
  CatenaTLSWantsRead = -1,
  CatenaTLSWantsWrite = -2,
  CatenaTLSFailed = -3,
};

/// Makes TLS on an accepted socket, which remains the caller's. One thread at a time can use it.
CatenaTLS *catena_server_accept(CatenaServer *server, int socket);
void catena_tls_free(CatenaTLS *tls);
long catena_tls_read(CatenaTLS *tls, void *buffer, size_t count);
long catena_tls_write(CatenaTLS *tls, const void *bytes, size_t count);
/// Tells the peer that no more bytes follow.
void catena_tls_finish(CatenaTLS *tls);
bool catena_tls_is_established(CatenaTLS *tls);
/// Returns the reason of the last failure of this thread, or null.
const char *catena_tls_failure(void);

/// A certificate to make. A null issuer makes a self-signed one.
typedef struct {
  const char *name;
  /// Such as `DNS:localhost,IP:127.0.0.1`, or null.
  const char *hosts;
  bool isAuthority;
  bool isForClients;
  /// Seconds since 1970.
  int64_t notBefore;
  int64_t notAfter;
  CatenaBytes issuer;
  CatenaBytes issuerKey;
  /// An existing key in DER, or null for a new one.
  CatenaBytes key;
} CatenaCertificateRequest;

/// Makes a certificate, and its key on the curve P-256 as PKCS#8, in DER.
bool catena_certificate_make(
  const CatenaCertificateRequest *request, CatenaBytes *certificate, CatenaBytes *key);
/// Encrypts a key as PEM with AES-256.
bool catena_key_encrypt(CatenaBytes key, const char *password, CatenaBytes *pem);
/// Makes a PKCS#12 archive, with the cipher 3DES of old programs if `isLegacy`.
bool catena_archive_make(
  CatenaBytes certificate, CatenaBytes key, CatenaBytes issuer, const char *password, bool isLegacy,
  CatenaBytes *archive);
/// Makes a revocation list of certificates.
bool catena_list_make(
  CatenaBytes issuer, CatenaBytes issuerKey, const CatenaBytes *revoked, size_t count, int64_t from,
  int64_t until, CatenaBytes *list);
/// Makes an OCSP response.
bool catena_status_make(
  CatenaBytes certificate, CatenaBytes issuer, CatenaBytes issuerKey, bool isRevoked, int64_t from,
  int64_t until, CatenaBytes *response);
#endif
