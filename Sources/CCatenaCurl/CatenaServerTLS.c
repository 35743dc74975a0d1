#include "CatenaServerTLS.h"

#include "CatenaOpenSSL.h"

#if defined(__linux__)
#include <limits.h>
#include <stdlib.h>
#include <string.h>

extern bool catena_encode(
  int (*encode)(const void *, unsigned char **), const void *item, CatenaBytes *bytes);

struct CatenaServer {
  void *context;
  unsigned char *status;
  size_t statusCount;
};

// MARK: Connections

static int select_protocol(
  void *ssl, const unsigned char **name, unsigned char *size, const unsigned char *offered, unsigned count,
  void *argument) {
  static const unsigned char protocol[] = "http/1.1";
  for (unsigned index = 0; index < count; index += 1 + offered[index]) {
    if (offered[index] == 8 && count - index > 8 && !memcmp(offered + index + 1, protocol, 8)) {
      *name = protocol;
      *size = 8;
      return 0;
    }
  }
  // SSL_TLSEXT_ERR_NOACK.
  return 3;
}

static int staple_status(void *ssl, void *argument) {
  CatenaServer *server = argument;
  unsigned char *copy = openssl.CRYPTO_malloc(server->statusCount, __FILE__, __LINE__);
  if (!copy) return 2;
  memcpy(copy, server->status, server->statusCount);
  // SSL_CTRL_SET_TLSEXT_STATUS_REQ_OCSP_RESP. The connection frees the copy.
  openssl.SSL_ctrl(ssl, 71, (long)server->statusCount, copy);
  return 0;
}

CatenaServer *catena_server_make(const CatenaServerSettings *settings) {
  if (!catena_tls_is_available()) return NULL;
  CatenaServer *server = calloc(1, sizeof *server);
  void *context = openssl.SSL_CTX_new(openssl.TLS_server_method());
  if (!server || !context) {
    free(server);
    openssl.SSL_CTX_free(context);
    return NULL;
  }
  server->context = context;
  static const unsigned char id[] = "Catena";
  bool isValid = catena_tls_context_use((CatenaTLSContext *)context, settings->identity) &&
                 catena_tls_context_set_versions(
                   (CatenaTLSContext *)context, settings->minimumVersion, settings->maximumVersion) &&
                 openssl.SSL_CTX_set_session_id_context(context, id, sizeof id - 1);
  // SSL_CTRL_MODE with SSL_MODE_ENABLE_PARTIAL_WRITE, ACCEPT_MOVING_WRITE_BUFFER and RELEASE_BUFFERS.
  openssl.SSL_CTX_ctrl(context, 33, 1 | 2 | 16, NULL);
  openssl.SSL_CTX_set_alpn_select_cb(context, select_protocol, NULL);
  if (isValid && settings->clientAuthorities) {
    isValid = openssl.X509_STORE_up_ref(settings->clientAuthorities);
    openssl.SSL_CTX_set_cert_store(context, settings->clientAuthorities);
    // SSL_VERIFY_PEER and SSL_VERIFY_FAIL_IF_NO_PEER_CERT.
    openssl.SSL_CTX_set_verify(context, settings->requiresClientCertificate ? 1 | 2 : 1, NULL);
  }
  if (isValid && settings->statusCount) {
    server->status = malloc(settings->statusCount);
    server->statusCount = settings->statusCount;
    isValid = server->status != NULL;
    if (isValid) memcpy(server->status, settings->status, settings->statusCount);
    // SSL_CTRL_SET_TLSEXT_STATUS_REQ_CB and its argument.
    openssl.SSL_CTX_callback_ctrl(context, 63, (void (*)(void))staple_status);
    openssl.SSL_CTX_ctrl(context, 64, 0, server);
  }
  if (isValid) return server;
  catena_server_free(server);
  return NULL;
}

void catena_server_free(CatenaServer *server) {
  if (!server) return;
  openssl.SSL_CTX_free(server->context);
  free(server->status);
  free(server);
}

CatenaTLS *catena_server_accept(CatenaServer *server, int socket) {
  void *ssl = openssl.SSL_new(server->context);
  if (ssl && openssl.SSL_set_fd(ssl, socket)) {
    openssl.SSL_set_accept_state(ssl);
    return ssl;
  }
  openssl.SSL_free(ssl);
  return NULL;
}

void catena_tls_free(CatenaTLS *tls) { openssl.SSL_free(tls); }

static long outcome(CatenaTLS *tls, int result) {
  if (result > 0) return result;
  // SSL_ERROR_*.
  switch (openssl.SSL_get_error(tls, result)) {
    case 2: return CatenaTLSWantsRead;
    case 3: return CatenaTLSWantsWrite;
    case 6: return CatenaTLSEnded;
    default: return CatenaTLSFailed;
  }
}

long catena_tls_read(CatenaTLS *tls, void *buffer, size_t count) {
  openssl.ERR_clear_error();
  return outcome(tls, openssl.SSL_read(tls, buffer, count > INT_MAX ? INT_MAX : (int)count));
}

long catena_tls_write(CatenaTLS *tls, const void *bytes, size_t count) {
  openssl.ERR_clear_error();
  return outcome(tls, openssl.SSL_write(tls, bytes, count > INT_MAX ? INT_MAX : (int)count));
}

void catena_tls_finish(CatenaTLS *tls) {
  if (openssl.SSL_is_init_finished(tls)) openssl.SSL_shutdown(tls);
  openssl.ERR_clear_error();
}

bool catena_tls_is_established(CatenaTLS *tls) { return openssl.SSL_is_init_finished(tls); }

const char *catena_tls_failure(void) { return openssl.ERR_reason_error_string(openssl.ERR_get_error()); }

// MARK: Certificates

/// The items that a function frees at its end.
typedef struct {
  void *certificates[3];
  void *keys[2];
} Items;

static void release(Items *items) {
  for (int index = 0; index < 3; index++) openssl.X509_free(items->certificates[index]);
  for (int index = 0; index < 2; index++) openssl.EVP_PKEY_free(items->keys[index]);
  openssl.ERR_clear_error();
}

static void *certificate_of(CatenaBytes der) {
  const unsigned char *end = der.bytes;
  return der.count ? openssl.d2i_X509(NULL, &end, (long)der.count) : NULL;
}

static void *key_of(CatenaBytes der) {
  const unsigned char *end = der.bytes;
  return der.count ? openssl.d2i_AutoPrivateKey(NULL, &end, (long)der.count) : NULL;
}

static void *make_key(void) {
  void *key = NULL;
  // EVP_PKEY_EC, and EVP_PKEY_CTRL_EC_PARAMGEN_CURVE_NID with NID_X9_62_prime256v1.
  void *context = openssl.EVP_PKEY_CTX_new_id(408, NULL);
  if (!context || openssl.EVP_PKEY_keygen_init(context) <= 0 ||
      openssl.EVP_PKEY_CTX_ctrl(context, 408, 2 | 4, 0x1001, 415, NULL) <= 0 ||
      openssl.EVP_PKEY_keygen(context, &key) <= 0)
    key = NULL;
  openssl.EVP_PKEY_CTX_free(context);
  return key;
}

static bool encode_key(void *key, CatenaBytes *bytes) {
  void *info = openssl.EVP_PKEY2PKCS8(key);
  bool isEncoded = info && catena_encode(openssl.i2d_PKCS8_PRIV_KEY_INFO, info, bytes);
  openssl.PKCS8_PRIV_KEY_INFO_free(info);
  return isEncoded;
}

static bool add_extension(void *certificate, void *issuer, int kind, const char *value) {
  // An X509V3_CTX of any version, with space for more fields.
  void *context[32] = {0};
  openssl.X509V3_set_ctx(context, issuer, certificate, NULL, NULL, 0);
  void *extension = openssl.X509V3_EXT_conf_nid(NULL, context, kind, value);
  bool isAdded = extension && openssl.X509_add_ext(certificate, extension, -1);
  openssl.X509_EXTENSION_free(extension);
  return isAdded;
}

bool catena_certificate_make(
  const CatenaCertificateRequest *request, CatenaBytes *certificate, CatenaBytes *key) {
  if (!catena_tls_is_available()) return false;
  Items items = {0};
  void *new = items.certificates[0] = openssl.X509_new();
  void *issuer = items.certificates[1] = certificate_of(request->issuer);
  void *own = items.keys[0] = request->key.count ? key_of(request->key) : make_key();
  void *signer = items.keys[1] = key_of(request->issuerKey);
  unsigned char serial[16];
  bool isMade = new && own && (!request->issuer.count || (issuer && signer)) &&
                openssl.RAND_bytes(serial, sizeof serial) == 1;
  if (isMade) {
    // Positive, and without a leading zero.
    serial[0] = (serial[0] & 0x3F) | 0x40;
    void *name = openssl.X509_get_subject_name(new);
    // Version 3, and MBSTRING_UTF8.
    isMade = openssl.X509_set_version(new, 2) &&
             openssl.ASN1_STRING_set(openssl.X509_get_serialNumber(new), serial, sizeof serial) &&
             openssl.ASN1_TIME_set(openssl.X509_getm_notBefore(new), request->notBefore) &&
             openssl.ASN1_TIME_set(openssl.X509_getm_notAfter(new), request->notAfter) &&
             openssl.X509_set_pubkey(new, own) &&
             openssl.X509_NAME_add_entry_by_txt(
               name, "CN", 0x1000, (const unsigned char *)request->name, -1, -1, 0) &&
             openssl.X509_set_issuer_name(new, issuer ? openssl.X509_get_subject_name(issuer) : name);
  }
  void *parent = issuer ? issuer : new;
  // NID_basic_constraints, key_usage, ext_key_usage, subject_alt_name, subject and authority_key_identifier.
  isMade = isMade &&
           add_extension(new, parent, 87, request->isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE") &&
           add_extension(
             new, parent, 83,
             request->isAuthority ? "critical,keyCertSign,cRLSign,digitalSignature"
                                  : "critical,digitalSignature") &&
           (request->isAuthority ||
            add_extension(new, parent, 126, request->isForClients ? "clientAuth" : "serverAuth")) &&
           (!request->hosts || add_extension(new, parent, 85, request->hosts)) &&
           add_extension(new, parent, 82, "hash") && add_extension(new, parent, 90, "keyid:always");
  isMade = isMade && openssl.X509_sign(new, signer ? signer : own, openssl.EVP_sha256()) &&
           catena_encode(openssl.i2d_X509, new, certificate) && encode_key(own, key);
  release(&items);
  return isMade;
}

/// Copies the bytes of a memory BIO, which is freed.
static bool take(void *bio, CatenaBytes *bytes) {
  char *start = NULL;
  // BIO_CTRL_INFO.
  long count = openssl.BIO_ctrl(bio, 3, 0, &start);
  bytes->bytes = count > 0 ? malloc((size_t)count) : NULL;
  bytes->count = bytes->bytes ? (size_t)count : 0;
  if (bytes->bytes) memcpy(bytes->bytes, start, bytes->count);
  openssl.BIO_free(bio);
  return bytes->bytes != NULL;
}

bool catena_key_encrypt(CatenaBytes key, const char *password, CatenaBytes *pem) {
  Items items = {.keys = {key_of(key)}};
  void *bio = openssl.BIO_new(openssl.BIO_s_mem());
  bool isMade = bio && items.keys[0] &&
                openssl.PEM_write_bio_PKCS8PrivateKey(
                  bio, items.keys[0], openssl.EVP_aes_256_cbc(), password, (int)strlen(password), NULL, NULL);
  if (isMade)
    isMade = take(bio, pem);
  else
    openssl.BIO_free(bio);
  release(&items);
  return isMade;
}

bool catena_archive_make(
  CatenaBytes certificate, CatenaBytes key, CatenaBytes issuer, const char *password, bool isLegacy,
  CatenaBytes *archive) {
  Items items = {{certificate_of(certificate), certificate_of(issuer)}, {key_of(key)}};
  void *chain = openssl.OPENSSL_sk_new_null();
  if (chain && items.certificates[1]) openssl.OPENSSL_sk_push(chain, items.certificates[1]);
  // NID_pbe_WithSHA1And3_Key_TripleDES_CBC, or the default ciphers.
  int cipher = isLegacy ? 146 : 0;
  void *made = openssl.PKCS12_create(
    password, "identity", items.keys[0], items.certificates[0], chain, cipher, cipher, 0, 0, 0);
  bool isMade = made && catena_encode(openssl.i2d_PKCS12, made, archive);
  openssl.PKCS12_free(made);
  openssl.OPENSSL_sk_free(chain);
  release(&items);
  return isMade;
}

bool catena_list_make(
  CatenaBytes issuer, CatenaBytes issuerKey, const CatenaBytes *revoked, size_t count, int64_t from,
  int64_t until, CatenaBytes *list) {
  Items items = {{certificate_of(issuer)}, {key_of(issuerKey)}};
  void *new = openssl.X509_CRL_new();
  void *start = openssl.ASN1_TIME_set(NULL, from), *end = openssl.ASN1_TIME_set(NULL, until);
  bool isMade = new && start && end && items.certificates[0] && items.keys[0] &&
                openssl.X509_CRL_set_version(new, 1) &&
                openssl.X509_CRL_set_issuer_name(new, openssl.X509_get_subject_name(items.certificates[0])) &&
                openssl.X509_CRL_set1_lastUpdate(new, start) && openssl.X509_CRL_set1_nextUpdate(new, end);
  for (size_t index = 0; isMade && index < count; index++) {
    void *certificate = certificate_of(revoked[index]);
    void *entry = openssl.X509_REVOKED_new();
    isMade = certificate && entry &&
             openssl.X509_REVOKED_set_serialNumber(entry, openssl.X509_get_serialNumber(certificate)) &&
             openssl.X509_REVOKED_set_revocationDate(entry, start) && openssl.X509_CRL_add0_revoked(new, entry);
    openssl.X509_free(certificate);
  }
  isMade = isMade && openssl.X509_CRL_sort(new) &&
           openssl.X509_CRL_sign(new, items.keys[0], openssl.EVP_sha256()) &&
           catena_encode(openssl.i2d_X509_CRL, new, list);
  openssl.ASN1_STRING_free(start);
  openssl.ASN1_STRING_free(end);
  openssl.X509_CRL_free(new);
  release(&items);
  return isMade;
}

bool catena_status_make(
  CatenaBytes certificate, CatenaBytes issuer, CatenaBytes issuerKey, bool isRevoked, int64_t from,
  int64_t until, CatenaBytes *response) {
  Items items = {{certificate_of(certificate), certificate_of(issuer)}, {key_of(issuerKey)}};
  void *start = openssl.ASN1_GENERALIZEDTIME_set(NULL, from);
  void *end = openssl.ASN1_GENERALIZEDTIME_set(NULL, until);
  void *basic = openssl.OCSP_BASICRESP_new(), *id = NULL, *new = NULL;
  bool isMade = basic && start && end && items.certificates[0] && items.certificates[1] && items.keys[0] &&
                (id = openssl.OCSP_cert_to_id(NULL, items.certificates[0], items.certificates[1]));
  // V_OCSP_CERTSTATUS_GOOD and V_OCSP_CERTSTATUS_REVOKED, and OCSP_REVOKED_STATUS_NOSTATUS.
  isMade = isMade &&
           openssl.OCSP_basic_add1_status(
             basic, id, isRevoked ? 1 : 0, -1, isRevoked ? start : NULL, start, end) &&
           openssl.OCSP_basic_sign(
             basic, items.certificates[1], items.keys[0], openssl.EVP_sha256(), NULL, 0) &&
           (new = openssl.OCSP_response_create(0, basic)) &&
           catena_encode(openssl.i2d_OCSP_RESPONSE, new, response);
  openssl.OCSP_RESPONSE_free(new);
  openssl.OCSP_BASICRESP_free(basic);
  openssl.OCSP_CERTID_free(id);
  openssl.ASN1_STRING_free(start);
  openssl.ASN1_STRING_free(end);
  release(&items);
  return isMade;
}
#endif
