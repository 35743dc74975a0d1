import Foundation
import Networking
import Testing

/// The fields that recordings keep, and the secrets that they mask, as data.
///
/// Two bars or a line break separate the rows of a table, and a bar separates a name and its value. A
/// tilde in a secret is left out: without it, scanners of repositories would take this file for a
/// leak. None of the values has ever been in use.
enum MaskingTable {
  /// A name and its value.
  struct Field: Sendable, CustomTestStringConvertible {
    let name: String
    /// The value as text.
    let value: String
    /// The value in JSON: a number, a Boolean value or `null` if the text is one, else a text.
    let json: JSON

    var testDescription: String { "\(name): \(value)" }

    /// Creates a field from a row of a table.
    ///
    /// A value in quotation marks is a text, although it may look like a number.
    fileprivate init(row: String) {
      let parts = row.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
      let text = String(parts[1])
      let parsed = try? JSON(parsing: Data("[\(text)]".utf8))[0]
      name = String(parts[0])
      json = parsed ?? .string(text)
      value = json.string ?? text
    }

    init(name: String, value: String) {
      (self.name, self.value, json) = (name, value, .string(value))
    }
  }

  /// Fields that are kept in all positions.
  static let innocentFields = fields(
    #"""
    usage.total_tokens|1234 || total_tokens|980 || prompt_tokens|120 || completion_tokens|860
    max_tokens|4096 || maxTokens|1024 || tokens_used|17 || reasoning_tokens|0 || cached_tokens|512
    token_count|88 || tokenCount|88 || X-RateLimit-Remaining-Tokens|39500 || token_type|"bearer"
    token_type|"Bearer" || tokenType|"access_token" || token_type_hint|"refresh_token"
    token_endpoint|"https://auth.example.com/oauth/token" || token_expires_in|3600
    token_expires_at|"2026-11-23T12:00:00Z" || tokenExpiry|1795435200 || tokenizer|"cl100k_base"
    tokenized|true || code|404 || code|200 || code|"NOT_FOUND" || code|"USD" || code|"de"
    code|"E1001" || code|"de-DE" || code|"ERR_MODULE_NOT_FOUND" || code|"invalid_request"
    code|"P2002" || country_code|"DE" || zip_code|"10115" || status_code|201
    error_code|"rate_limited" || currencyCode|"EUR" || promo_code|"WELCOME10" || key|"page"
    key|"user.name.first" || key|"PROJ-123" || key|"images/cat.png" || key|"ArrowLeft" || key|42
    primary_key|"id" || foreign_key|"user_id" || sort_key|"created" || cache_key|"boards:1"
    keyword|"fish" || keywords|"fish, trout" || keyboard|"qwerty" || monkey|"capuchin"
    public_key_type|"ed25519" || pin|true || pin|"map" || pin|13 || pinned|true || pins|"3, 4"
    signature|"Best regards, Ann" || signature|"(int) -> bool" || signature_algorithm|"RS256"
    signature_method|"HMAC-SHA1" || signatureVersion|4 || session|"Morning keynote" || session|7
    session_count|12 || session_id|42 || sessions|31 || session_timeout|1800 || auth|true
    auth|"basic" || auth|"required" || auth_method|"password" || author|"Ada Lovelace"
    authority|"Berlin" || authors|"Ada and Grace" || password_policy|"at least 12 characters"
    password_min_length|12 || password_strength|"strong"
    password_changed_at|"2026-01-31T10:00:00Z" || has_password|true || password_required|false
    passwordless|true || password|null || password|"" || secret_name|"database/main"
    secretary|"Jo Miller" || has_secret|false || client_secret_expires_at|0
    cookie_consent|"accepted" || cookies_enabled|true || cookie_policy|"strict"
    cookie_domain|".example.com" || credential_type|"public" || allow_credentials|true
    Access-Control-Allow-Credentials|"true" || jwt_issuer|"https://id.example.com" || nonce|7
    ticket|"JIRA-123" || ticket|4711 || ticket_price|12.5 || bearer|"Ann"
    assertion|"expected 2 to equal 3" || mfa|"required" || otp|false || pass|12 || passenger|"Ann"
    passed|true || passage|"North" || compass|"NE" || bypass|"off" || codec|"h264"
    hash|"9f86d081884c7d659a2feaa0c55ad015" || etag|"33a64df5"
    uuid|"123e4567-e89b-12d3-a456-426614174000" || email|"ann@example.com" || phone|"+49 30 901820"
    timestamp|1795435200123 || created_at|"2026-11-21T06:09:23.123456Z"
    snowflake|"1045678901234567890" || ean|"4006381333931" || order_number|"2026-000123"
    version|"1.2.3-rc4+build5" || build|"20261121T060923Z" || color|"#ff00aa" || price|4111.11
    latitude|52.520008 || sha|"da39a3ee5e6b4b0d3255bfef95601890afd80709" || cursor|"eyJpZCI6MTIzfQ"
    locale|"en-US" || user_agent|"Mozilla/5.0 (X11; Linux x86_64)"
    description|"The token bucket refills; see the password rules." || note|"Basic plan, 1 a month"
    title|"Reset your password" || card_brand|"visa" || card_last4|"4242" || iban_country|"DE"
    total_tokens|1523 || prompt_tokens|17 || completion_tokens|342 || maxTokens|256
    input_tokens|9 || cached_tokens|128 || tokens_per_minute|90000 || token_count|3 || tokenCount|12
    tokenType|bearer || token_endpoint|https://id.example.com/oauth/token || token_format|jwt
    access_token_expires_at|2026-11-23T10:00:00Z || token_limit|500 || token_symbol|ETH
    tokenized|yes || cookie_consent|granted || cookie_policy|/legal/cookies || cookieName|sid
    password_policy|strong || passwordStrength|good || password_changed_at|2026-01-02
    password_reset_url|https://example.com/reset || password_required|true || passwordless|enabled
    pwd_expired|false || secret_name|database || secret_version|7 || secret_count|2
    secretary|Ann Lee || signature_algorithm|SHA256withRSA
    authorization_endpoint|https://id.example.com/authorize || access-control-allow-credentials|true
    credentials_enabled|true || apikey_name|production || api_key_prefix|live || code|1001
    code|EUR || code|SUMMER25 || code|ECONNREFUSED || code|invalid_grant
    code|authorization_required || code|22P02 || key|title || key|created_at || key|board-7
    key|theme.dark || key|Enter || key|ArrowDown || sort_key|created_at
    public_key|MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
    Idempotency-Key|8e03978e-40d5-43e8-bc93-6894a57f9324 || cache_key|boards:v2:17 || pin|red
    map_pin|blue || otp|required || mfa|enabled || auth|oauth2 || session|morning || session|Keynote
    session|3 || session_length|45 || ticket|open || ticket|1042 || ticket|BOARD-1042 || sid|7
    csrf|off || cvc|match || iban|unknown || card|visa || card_brand|mastercard || last4|4242
    exp_month|12 || authority|https://id.example.com || keyword|swift || monkey|banana
    bypass|never || compass|north || status_code|503 || postal_code|123456 || error_code|482913
    code_challenge_method|S256 || grant_type|authorization_code || state|open
    secretSanta|"Ann" || secret_santa|Jo Miller || secretSantas|"Ann, Jo" || cookies|12
    id|507f1f77bcf86cd799439011 || order|4111111111111112 || phone|+49 30 1234567
    isbn|978-3-16-148410-0 || timestamp|1700000000000 || version|1.24.3
    date|2026-11-23T06:09:23.123456Z || path|/v1/boards/7/cards/12 || color|ff8800
    text|The key to the session is a good code || sku|A1-B2-C3
    """#)

  /// Returns the rows of a table.
  static func rows(_ text: String) -> [String] {
    text.replacing("\n", with: " || ").split(separator: " || ").map {
      String($0).replacing("~", with: "")
    }
  }

  /// Returns the fields of a table.
  static func fields(_ text: String) -> [Field] { rows(text).map(Field.init(row:)) }
}
