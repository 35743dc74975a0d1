#include "CCatenaCurl.h"
#include "CatenaOpenSSL.h"

#if defined(__linux__)
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern int curl_easy_setopt(void *easy, int option, ...);
extern int curl_easy_getinfo(void *easy, int info, ...);
extern void catena_stack_each(void *stack, CatenaDERCallback each, void *context);

/// An object that OpenSSL holds for a context or a connection.
typedef struct {
  void *object;
  CatenaRelease release;
  CatenaStatusCallback status;
  /// The store of a context.
  void *store;
} Held;

static int context_index = -1, connection_index = -1;

static void release_held(
  void *parent, void *pointer, void *data, int index, long number, void *argument) {
  Held *held = pointer;
  if (!held) return;
  held->release(held->object);
  free(held);
}

static void make_indices(void) {
  // CRYPTO_EX_INDEX_SSL_CTX and CRYPTO_EX_INDEX_SSL.
  context_index = openssl.CRYPTO_get_ex_new_index(1, 0, NULL, NULL, NULL, release_held);
  connection_index = openssl.CRYPTO_get_ex_new_index(0, 0, NULL, NULL, NULL, release_held);
}

static bool has_indices(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (!catena_tls_is_available()) return false;
  pthread_once(&once, make_indices);
  return context_index >= 0 && connection_index >= 0;
}

// MARK: Before the handshake

int catena_easy_on_tls_context(CatenaEasy *easy, CatenaContextCallback callback, void *context) {
  // CURLOPT_SSL_CTX_FUNCTION and CURLOPT_SSL_CTX_DATA.
  int result = curl_easy_setopt(easy, 20108, callback);
  return result ? result : curl_easy_setopt(easy, 10109, context);
}

int catena_easy_mark_proxy_tls(CatenaEasy *easy) {
  // CURLOPT_PROXY_SSL_OPTIONS with CURLSSLOPT_ALLOW_BEAST, which keeps SSL_OP_DONT_INSERT_EMPTY_FRAGMENTS.
  return curl_easy_setopt(easy, 261, 1L);
}

bool catena_tls_marks_every_context(void) {
  if (!catena_tls_is_available()) return false;
  // The configuration file applies to each new context.
  void *context = openssl.SSL_CTX_new(openssl.TLS_client_method());
  bool isMarked = context && (openssl.SSL_CTX_get_options(context) & 0x800);
  openssl.SSL_CTX_free(context);
  return isMarked;
}

bool catena_tls_context_take_proxy_mark(CatenaTLSContext *tls) {
  // SSL_OP_DONT_INSERT_EMPTY_FRAGMENTS.
  if (!(openssl.SSL_CTX_get_options(tls) & 0x800)) return false;
  openssl.SSL_CTX_clear_options(tls, 0x800);
  return true;
}

bool catena_tls_context_on_verify(
  CatenaTLSContext *tls, CatenaStore *store, CatenaVerifyCallback verify, void *object,
  CatenaRelease release) {
  Held *held = has_indices() ? calloc(1, sizeof *held) : NULL;
  if (!held || !openssl.SSL_CTX_set_ex_data(tls, context_index, held)) {
    free(held);
    release(object);
    return false;
  }
  *held = (Held){object, release, NULL, store};
  if (!openssl.X509_STORE_up_ref(store)) return false;
  openssl.SSL_CTX_set_cert_store(tls, store);
  openssl.SSL_CTX_set_cert_verify_callback(tls, (int (*)(void *, void *))verify, object);
  // SSL_VERIFY_PEER: the callback decides, also for a policy without a verified chain.
  openssl.SSL_CTX_set_verify(tls, 1, NULL);
  return true;
}

/// The maximum age in seconds of a status that does not say when the next one will be available: a week.
static const long maximum_age = 7 * 24 * 3600;

/// Returns the status that the server of a connection has stapled.
static CatenaStatus stapled_status(void *ssl, void *store) {
  const unsigned char *bytes = NULL;
  // SSL_CTRL_GET_TLSEXT_STATUS_REQ_OCSP_RESP.
  long count = openssl.SSL_ctrl(ssl, 70, 0, &bytes);
  if (count <= 0 || !bytes) return CatenaStatusMissing;
  CatenaStatus result = CatenaStatusInvalid;
  void *response = openssl.d2i_OCSP_RESPONSE(NULL, &bytes, count);
  void *chain = openssl.SSL_get0_verified_chain(ssl);
  int length = chain ? openssl.OPENSSL_sk_num(chain) : 0;
  // OCSP_RESPONSE_STATUS_SUCCESSFUL.
  void *basic = response && length && openssl.OCSP_response_status(response) == 0
                  ? openssl.OCSP_response_get1_basic(response)
                  : NULL;
  void *leaf = length ? openssl.OPENSSL_sk_value(chain, 0) : NULL;
  void *issuer = length ? openssl.OPENSSL_sk_value(chain, length > 1 ? 1 : 0) : NULL;
  // The issuer is a part of the verified chain, so it is trusted as the signer (OCSP_TRUSTOTHER)
  // without another verification, for which its own revocation list would be needed.
  void *signers = length > 1 ? openssl.OPENSSL_sk_new_null() : NULL;
  if (signers && !openssl.OPENSSL_sk_push(signers, issuer)) length = 0;
  if (basic && length &&
      openssl.OCSP_basic_verify(basic, signers ? signers : chain, store, signers ? 0x200 : 0) > 0) {
    // A response names its certificate by hashes, usually of SHA-1, which is the default.
    const void *hashes[] = {NULL, openssl.EVP_sha256()};
    for (int index = 0; index < 2 && result == CatenaStatusInvalid; index++) {
      void *id = openssl.OCSP_cert_to_id(hashes[index], leaf, issuer);
      int status = -1, reason = -1;
      void *revoked = NULL, *from = NULL, *until = NULL;
      // The tolerance of clocks is five minutes. The status is 0 for good and 1 for revoked.
      if (id && openssl.OCSP_resp_find_status(basic, id, &status, &reason, &revoked, &from, &until) &&
          openssl.OCSP_check_validity(from, until, 300, until ? -1 : maximum_age) &&
          (status == 0 || status == 1))
        result = status ? CatenaStatusRevoked : CatenaStatusGood;
      openssl.OCSP_CERTID_free(id);
    }
  }
  openssl.OPENSSL_sk_free(signers);
  openssl.OCSP_BASICRESP_free(basic);
  openssl.OCSP_RESPONSE_free(response);
  openssl.ERR_clear_error();
  return result;
}

static int receive_status(void *ssl, void *argument) {
  // The status was checked when the session was made.
  if (openssl.SSL_session_reused(ssl)) return 1;
  Held *held = openssl.SSL_CTX_get_ex_data(openssl.SSL_get_SSL_CTX(ssl), context_index);
  return held && held->status && held->status(stapled_status(ssl, held->store), held->object);
}

bool catena_tls_context_on_status(CatenaTLSContext *tls, CatenaStatusCallback receive) {
  Held *held = openssl.SSL_CTX_get_ex_data(tls, context_index);
  if (!held) return false;
  held->status = receive;
  // SSL_CTRL_SET_TLSEXT_STATUS_REQ_TYPE with TLSEXT_STATUSTYPE_ocsp, and SSL_CTRL_SET_TLSEXT_STATUS_REQ_CB.
  return openssl.SSL_CTX_ctrl(tls, 65, 1, NULL) &&
         openssl.SSL_CTX_callback_ctrl(tls, 63, (void (*)(void))receive_status);
}

bool catena_tls_context_set_versions(CatenaTLSContext *tls, int minimum, int maximum) {
  // TLS 1.0 and 1.1 use SHA-1, which OpenSSL allows only on its lowest security level.
  if (minimum && minimum < 0x0303) openssl.SSL_CTX_set_security_level(tls, 0);
  // SSL_CTRL_SET_MIN_PROTO_VERSION and SSL_CTRL_SET_MAX_PROTO_VERSION.
  return openssl.SSL_CTX_ctrl(tls, 123, minimum, NULL) && openssl.SSL_CTX_ctrl(tls, 124, maximum, NULL);
}

// MARK: In the handshake

static void *tls_of(CatenaVerification *verification) {
  return openssl.X509_STORE_CTX_get_ex_data(verification, openssl.SSL_get_ex_data_X509_STORE_CTX_idx());
}

int catena_verify_chain(CatenaVerification *verification) {
  // A libcurl that has given the context another store since, such as one that it keeps for all hosts, must
  // not make its authorities those of the policy.
  Held *held = openssl.SSL_CTX_get_ex_data(openssl.SSL_get_SSL_CTX(tls_of(verification)), context_index);
  if (!held || openssl.X509_STORE_CTX_get0_store(verification) != held->store) return 1;
  // The lowest security level is for the messages of TLS 1.0 and 1.1. Certificates have to meet the
  // next one: keys of 1,024 bits and signatures without MD5.
  void *parameters = openssl.X509_STORE_CTX_get0_param(verification);
  if (parameters && openssl.X509_VERIFY_PARAM_get_auth_level(parameters) < 1)
    openssl.X509_VERIFY_PARAM_set_auth_level(parameters, 1);
  if (openssl.X509_verify_cert(verification) > 0) return 0;
  int error = openssl.X509_STORE_CTX_get_error(verification);
  // X509_V_ERR_UNSPECIFIED.
  return error ? error : 1;
}

const char *catena_verify_describe(int error) { return openssl.X509_verify_cert_error_string(error); }

void catena_verify_end(CatenaVerification *verification, int error) {
  openssl.X509_STORE_CTX_set_error(verification, error);
}

bool catena_verify_host(CatenaVerification *verification, const char *host) {
  void *certificate = openssl.X509_STORE_CTX_get0_cert(verification);
  if (!certificate) return false;
  // -2 is a malformed address, so the host is a name. The flags are NO_PARTIAL_WILDCARDS and
  // NEVER_CHECK_SUBJECT. Source: RFC 9525 section 6.
  int isAddress = openssl.X509_check_ip_asc(certificate, host, 0);
  openssl.ERR_clear_error();
  if (isAddress != -2) return isAddress == 1;
  return openssl.X509_check_host(certificate, host, 0, 0x4 | 0x20, NULL) == 1;
}

const char *catena_verify_server_name(CatenaVerification *verification) {
  void *ssl = tls_of(verification);
  // TLSEXT_NAMETYPE_host_name.
  return ssl ? openssl.SSL_get_servername(ssl, 0) : NULL;
}

void catena_verify_chain_each(
  CatenaVerification *verification, bool isVerified, CatenaDERCallback each, void *context) {
  void *chain = isVerified ? openssl.X509_STORE_CTX_get0_chain(verification)
                           : openssl.X509_STORE_CTX_get0_untrusted(verification);
  catena_stack_each(chain, each, context);
}

// MARK: After the handshake

CatenaTLS *catena_easy_tls(CatenaEasy *easy) {
  // CURLINFO_TLS_SSL_PTR, a struct curl_tlssessioninfo. The first field of it is 1 for OpenSSL.
  struct {
    int backend;
    void *internals;
  } *info = NULL;
  if (!has_indices() || curl_easy_getinfo(easy, 0x400000 + 45, &info) || !info || info->backend != 1)
    return NULL;
  return info->internals;
}

const char *catena_tls_version(CatenaTLS *tls) { return openssl.SSL_get_version(tls); }

const char *catena_tls_cipher(CatenaTLS *tls) {
  const void *cipher = openssl.SSL_get_current_cipher(tls);
  return cipher ? openssl.SSL_CIPHER_get_name(cipher) : "";
}

const unsigned char *catena_tls_protocol(CatenaTLS *tls, unsigned int *count) {
  const unsigned char *name = NULL;
  *count = 0;
  openssl.SSL_get0_alpn_selected(tls, &name, count);
  return name;
}

bool catena_tls_is_resumed(CatenaTLS *tls) { return openssl.SSL_session_reused(tls); }

void catena_tls_chain_each(CatenaTLS *tls, CatenaDERCallback each, void *context) {
  void *chain = openssl.SSL_get0_verified_chain(tls);
  catena_stack_each(chain ? chain : openssl.SSL_get_peer_cert_chain(tls), each, context);
}

void *catena_tls_object(CatenaTLS *tls) {
  Held *held = has_indices() ? openssl.SSL_get_ex_data(tls, connection_index) : NULL;
  return held ? held->object : NULL;
}

bool catena_tls_set_object(CatenaTLS *tls, void *object, CatenaRelease release) {
  Held *held = has_indices() ? calloc(1, sizeof *held) : NULL;
  if (held) *held = (Held){object, release, NULL, NULL};
  if (held && openssl.SSL_set_ex_data(tls, connection_index, held)) return true;
  free(held);
  release(object);
  return false;
}

void *catena_tls_verifier(CatenaTLS *tls) {
  Held *held = has_indices() ? openssl.SSL_CTX_get_ex_data(openssl.SSL_get_SSL_CTX(tls), context_index) : NULL;
  return held ? held->object : NULL;
}
#endif
