/// The fields that recordings keep, and the secrets that they mask, as data.
///
/// The rows of a table are separated by two bars or a line break. A tilde in a secret is left out: without it, scanners of
/// repositories would take this file for a leak. None of the values has ever been in use.
enum MaskingTable {
  /// Names and their values in JSON, which are kept in all positions.
  static let innocentFields = rows(
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
    uuid|"123e4567-e89b-12d3-a456-426614174000" || email|"ann@example.com"
    phone|"+49 30 901820" || timestamp|1795435200123 || created_at|"2026-11-21T06:09:23.123456Z"
    snowflake|"1045678901234567890" || ean|"4006381333931" || order_number|"2026-000123"
    version|"1.2.3-rc4+build5" || build|"20261121T060923Z" || color|"#ff00aa" || price|4111.11
    latitude|52.520008 || sha|"da39a3ee5e6b4b0d3255bfef95601890afd80709"
    cursor|"eyJpZCI6MTIzfQ" || locale|"en-US" || user_agent|"Mozilla/5.0 (X11; Linux x86_64)"
    description|"The token bucket refills; see the password rules."
    note|"Basic plan, 1 a month" || title|"Reset your password" || card_brand|"visa"
    card_last4|"4242" || iban_country|"DE"
    """#)

  /// Names and values that are masked in each position where the name is next to the value.
  static let namedSecrets = rows(
    #"""
    password|loach-9091-salmon || passwd|8dWrdE03WKpm || user_password|pike-8818-chub
    newPassword|ZAzHx4LP4AzUdIG1OHqttidv || new_password|roach-4638-carp
    password_confirmation|3DO7GWIQtUlmOS6ECJSRO5k0A8Uci0qR
    currentPassword|HpvkTSOsq63Hvzl8IBtPnRNbzoc51Feo || old_password|bzDp8mFmQp5zvqYMtrb1uvZw
    pwd|DMjJxyZLLKcgTAOGSf9uih4v || user_pwd|uWfpTbmRsHdRXfr8nBNXYK7Gh5Qhy50B
    db_password|perch-5613-hunter || DB_PASS|zander-7786-dace || secret|8Krk3QCI33jOqw5LoVFq
    client_secret|uPzNP3MzTtpcqpyZ9NfU || clientSecret|hkjXRS4ASfzgUOVm0HnC
    app_secret|pike-6934-salmon || webhook_secret|1bFFHiCv1Jtc || shared_secret|chub-4820-roach
    consumer_secret|Iv6IK652wFQsVFOs3CfYlcdgDs25sPdd || secretKey|tench-7250-trout
    secret_key|bTZBW4nZrK6sYQsuNEt1iXR1 || aws_secret_access_key|1ypKM9Oe1MQh
    token|perch-9905-eel || access_token|chub-3619-zander || accessToken|G3tTwZk7bcctMFyW8DgK
    refresh_token|26cDBbyY7piEcz80x5uW || refreshToken|1xHgKk7gwxIbZkJpRL4s
    id_token|eel-5914-loach || idToken|m4fVUpb5CUKR || auth_token|bream-3703-bream
    authToken|3zLp1f4WDeKsom9z3vGc || X-Auth-Token|carp-9035-carp
    csrf_token|76lMXouvBW8J5Vcd4ifav4QrlBbciwU1 || csrfToken|salmon-4394-loach
    xsrf-token|5X4NDce7WBvizuOAr7y1 || api_token|hunter-9518-perch || apiToken|a9IOQD1630CU
    device_token|UaFnYVKwQzpLUCadT2rIhEhvLlb5O7nb || push_token|HVcQXPQjWJQh3qb38JzfqfB8
    bot_token|QSe8tfSgAvA2 || personal_access_token|DfrCs6SiQdPwVhC6Zz8oXkS0
    session_token|BQwqgTVt4Qx5WYIvHsecEg6N || reset_token|r17jdfBQ3pTc
    invite_token|0T9dlc4uB7EnCl5hM1Yr0NHL || verification_token|oVVvpWbj8hkogOdad9ls
    bearer_token|hunter-4478-dace || oauth_token|yEo8Vet1jlGSZRGyfTzIHy6r
    api_key|roach-1790-perch || apiKey|SlNNtZx3cK8nkB6VRLet || X-Api-Key|nc1OAPZnod6tHqlqMfjB0tkg
    apikey|a72GgcX5kSDzFVqmgIfO || api-key|tEjUroYyeq3C7qhuMk9zUGIAJsam9cDI
    access_key|pike-9393-perch || accessKey|GCAk7E3Vo9UctolfTclkWVag
    private_key|oREXncB0mtSCtjXS6vtD4ySKcqVDnQuR || privateKey|f17V8DOxjCH8
    auth_key|C8WKMxKHO9MF || X-Auth-Key|zander-3380-tench
    subscription-key|LE45BSpD0N4h22vRBmqPIHVBr1dvZXSL
    Ocp-Apim-Subscription-Key|perch-1761-zander || x-functions-key|9Z8wTTTO2zKLMSDUAzGK
    master_key|Iuwk7tWSNqi0 || X-Parse-Master-Key|fYiW3rirXJtivfaO99UzCLLNbGXMeZOp
    account_key|qY7iGxKZOdvRc4yEa41G2lGF || AccountKey|V7Hqwf3k3vlg
    signing_key|QBHTmHpP8oR10zTA5JF4x2J3 || encryption_key|chub-1652-zander
    license_key|XaELf81GrQOsZJ7u9LyF || pre_shared_key|pike-9734-eel
    recovery_key|eel-4387-perch || session_key|eF0CnKrdLgo0mezWznCS
    shared_key|KaVTFc40mAEkFy1Av7eO || credential|sgsyROx7tsZq0PK7luOXplt6r2DaFIcU
    credentials|98diMhn0dHQwu4ryzagypDme || user_credential|29B66QHYxGj1
    authorization|dFhtF3RjND6pmenwFvL6vOo7 || proxy-authorization|dace-9707-zander
    jwt|VCa9jE0gBAdnNxGPykFx6yjz || accessJwt|0LW1MQKS4lHW || client_assertion|5il9DPDJvrxL
    code_verifier|dace-3310-tench || passphrase|GgIkkBb4RUc9x7yuZgW8SvrD || passcode|53eYfugPp1R8
    passkey|1d31RLu1n4ZSrv6XnRe5yXh5G1NUVgLz || hmac|GW0xMr4d4Pqj
    X-Shopify-Hmac-Sha256|5Iz2zx9tlOSZnYfuIBrl || sessionid|pike-5878-bream
    session_id|hunter-3695-perch || sessionId|a5bu2bcIAxBbE9fVO6kPRbbkFCESN1Ax
    PHPSESSID|zSxJF56k1y5g || JSESSIONID|dace-5781-zander || ASPSESSID|Hs35Df0LyJ43i6XStRdK
    connect.sid|bream-5619-salmon || cookie_value|XtlLadq2E1QX || device_code|tiiFDIa6pFknOo3sSN9F
    auth_code|9Y8aeNDJZ36O8wvIkoRd3PCpwgXQ5Dyk || SAMLResponse|PzcJ1R40IBOUx9sxCZW4AF7BvFHeEqs2
    recovery_code|MRymnlNzgyk6TL7Bu7Vepa5r || backup_code|roach-5973-bream
    verification_code|salmon-1216-roach || reset_code|YaUmZXlOCVzg3aR9uVdzysbzroay3MRh
    activation_code|luFPZ4LU6oAomcMPbuTZyov2rEKchaSW || login_code|trout-7449-carp
    access_code|7xZJnHlbC5blPWFXbVQHAofyzjKGdDSL || confirmation_code|chub-6325-chub
    security_code|loach-3637-tench || otp_code|trXIItnbSvej8IzWzeSnugdfOt7YcqoV
    mfa_code|HWt1RPunZtQR5luYwVvGyZ5x9RdP1qLO || totp_code|trout-1441-eel
    sms_code|carp-4725-roach || dbpass|roach-8821-hunter
    smtp_pass|sSFOBPNnGpSblbv2luVea0TCEaH05m3Q || ftp_pass|dace-4060-hunter
    root_pass|chub-5406-carp || admin_pass|bZ9vxbMXMEokbV8QixpN71b4fYjODdKX
    psk|loach-2179-roach || wpa_psk|QMd9B4MWQRmD || seed_phrase|perch-3344-bream
    DPoP|EdPayGN3x4wF || one_time_password|EMwbja3UxG0wuk8qUdow
    user[password]|oNEBJl13xje4PAFXTqGI || card[token]|carp-1686-hunter
    service_key|mNyjYQGLKdhh5n77hPrlhuo4CDUmGTNV || consumer_key|7X722deKcNbw
    server_key|trout-3288-tench || X-Gitlab-Token|22t96eXoRB36v8B6Z93YIufX
    X-Vault-Token|loach-9954-perch || X-Amz-Security-Token|PDijrqadenTGcXA3q9EA7lMg
    X-CSRF-Token|aCm8LNQsXbJDXph2ULt1jXxyT28Na7hS || X-XSRF-TOKEN|i7S997QpS7VkfsMXbdLxTshQPFXkIMb2
    Private-Token|bream-5491-chub || stripe_token|roAEmm9mw4vmvarMqOE0
    fcm_token|YK6Tye4zdNV6GJMm9OEgiEv1NJNv1gvg || security_answer|tench-1710-hunter
    card_pin|kYRgZbD1B2hPNGONDPmdjgaMenBG5nUH || pincode|jBpVgyz5D1Iu9HQqg5vXbEKF || pin|9476
    X-User-Pin|4903 || user_pin|5679 || card[pin]|1200 || otp|300197 || totp|430819 || mfa|330636
    cvc|689 || card[cvc]|388 || cvv|238 || card_cvv|641 || cvv2|209 || csc|478 || card[cvv2]|884
    login.otp|478265 || ssn|123-45-6789 || userPin|8834 || cardCvc|283 || code|482913
    key|fDFmmBXySPsSVU5wQB2p6MrFbNuxEI8p || sig|3QX47Hokt8t9PUWYZhDXmoxD || auth|TGMfP6U0qxoCrPZq
    sid|CWlj1RZXaGyn6CLY || session|550e8400-e29b-41d4-a716-446655440000
    X-Auth|4VotrQxoVsRDRKZ1AZldCPPFvHpklwyj || X-Session|0hBBfbqASUma0HLBVb0wYYpugVKeyBVw
    assertion|R1qsLTyYugkm9UybEpkmdlw4rcvsDhTL || bearer|V6I5w7csHZgHKhJe
    nonce|Nk72JDjEnybZvz2nylxMiCLK8bAWUv6c || code|BPkjDYC2p7ludSJHqzCHEmN7
    ticket|ST-1856339-hY4P0sNw33FXudKGgzz3 || X-Ticket|zl9q61YRVim5sA5C5xyn4ejOXLFB3e28
    service_ticket|fcpGKeWLZNp9lJ8v || signature|cnlrRoX1wiGd4lW5
    X-Signature|vfcdKen1xhf0jVTa0gsSMjAvZm3PlqhO
    X-Hub-Signature-256|sha256=97876fc25b53c62eb7d275d1bfceef13852b33a9621aa7b6fb49fe01a1b08310
    X-Amz-Signature|xpuCeDzkdzi1P1jR
    Stripe-Signature|v1=193c644bd3af2286230586f2674c8122773e09df57bc211a43ad009db67e4425,t=1492774577
    client_signature|rIkTHi1q6f8jmfBCtWKLTrRW || token_type|4GgS8saQqpSArxGD2JrRNNvLdzOFgy4z
    password_hint_url|pLZ5ekW5W4ason8A || token_id_version|81hCuSU9QUBnQD08O9kDkKfgBlaUkFJR
    iban|DE89370400440532013000 || app_key|pDzi2x14fyQvqXOj3xhN8j85
    client_key|vCc2cpi6FCUBHTg9f3CS6PzhiCyIJCtU || X-Key|n8AXRTXXtyB6hTr2
    card_number|4242424242424241 || cc_number|4242424242424241 || pan|4000001234567899
    cardNumber|4242424242424241 || credit_card|4242424242424241
    """#)

  /// Values that are masked by their form in all positions, whatever their name is.
  static let shapedSecrets = lines(
    """
    4450509983981777 || 4209162106517542 || 5412646128006526 || 2301050635348557
    378239915670093 || 344198748424550 || 6011501150776038 || 3530839395083235 || 36863382951076
    6297000476236350 || 4368907635498094 || 4004 0444 4636 5948 || 5331-8466-3686-7819
    3721 861422 06488 || DE30227103384808414986 || FR6016432588746691833996752
    ES5194062320204190291330 || IT4959236216297901378817225 || NL1519837765381228
    GB38565258607310709956 || CH3603849299202872316 || AT064380974842179229
    PL49130158048049950051408915 || SE2593822200444822862892 || NO4048292093885
    BE83715089709771 || PT63693309773355249269389 || IE16669954299710952425
    DE16 0037 3624 1276 5896 28 || FR70 2262 0927 1032 5526 2519 554
    eyJhbGciOiAiSFMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAwfQ.l3lQXCUs95wGq0SyvkV0JP00Iw4Klzbv
    eyJhbGciOiAiSFMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiA3OTE5fQ.dyLNKAXcKKToNDqhxsO0gRdsbK53rWfy
    eyJhbGciOiAiSFMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAxNTgzOH0.T8MtK72VC1cINvMuGirIn29SLMqswrRO
    eyJhbGciOiAiSFMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAyMzc1N30.1tuLedLw3wUIpGwVKqDPNBesrWPJdE1k
    eyJhbGciOiAiSFMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAzMTY3Nn0.vKz7PhS1DR19dbd0WUmJ2G21suWCVpij
    eyJhbGciOiAiSFMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAzOTU5NX0.EkuidYW7RJwAI0kdvsk4or7GLl0d2tFc
    AK~IAHL7NU01D24K9PZ2I || AS~IA4MVQS41BTXNI1SWX || gh~p_d80NMtaCacpenpZouOhFcQqbE3lIk0CzJEis
    gh~o_SEPfzZCfhvag97ZG6r4p4351H2PIWixkNlal || gh~s_4YCMwOpz5qsCAhZmuooQ68yiN2ZselCJzbtt
    gh~u_kBiS4ASVYj20kxfHvSQuZgpdC9Bm4Ps1qS90 || gh~r_xgW550bglFxGsQyoRSGMC6Rr95NlbYLxa11T
    gl~pat-ZfVP6fO5aJAQS8dDBDnx || sk~_live_TgVRAHBTHJCZf0CHAM3L2wQ8
    sk~_test_n0d0AZJ2hZIGgR4fkf3L30od || rk~_live_2gbj7tfR6XYlRkDBPpnCZiPu
    wh~sec_ltK9NERWZYawx6KbSvWl1y1vRQqfzFAT || np~m_bnOsXZkLMRP9IGwJUnM5WP71RJ9wIiwAYgE5
    py~pi-BOT237WVzgYrv9Z3hL76Cg9Bf7mtucDWy8uGRHBLoryaEjHF684xDx1wIC83
    hf~_i9np6JswCZzeJN4d6uMOh975VU3lY9AzM9 || gs~k_DVL8CN9UBWORzXQGK16CvfxWFzs3Gc9CndVguISm
    sh~pat_8ac22801cf8a4e94c5d8bb50f414761c || sh~pss_5e868ba6908d550467fd189868cbf2f6
    do~p_v1_bd4826c6535b012287b5f0a08510b64175493424abc6c07ba911c779f57820d1
    AI~zalwsuJjOIIlAqoLZjImtL07ErAUibeYaK8at || GO~CSPX-m5BfWTeIuj6mhIcNolKCSEk8gWgi
    xo~xb-kDr6jZFVBs6nNRcRyDQ6rPL3ZzlHJJ6Mx6olGR53
    xo~xp-oI1LXIKcmiV9hthjzQ52VqfTVuip7QMW4cCWfmVm
    xa~pp-I2i2TF7kDH0N6af1I2CjnvncdjfJl1zS8tfvlRGH
    hv~s.md1nPLVTQ1wDnD7M0AFA1chJI6h4Eun13e0E9DJf || gl~sa_kuUCPuX3Wm5NMpOOdlym90XJNuj0TyeR
    sn~trys_YtHDMxW0RLLvEoJcuHAWdefh548HtTpqSyZirQvy || NR~AK-88KOJNSCCCCX91O1KEZ8S4W4XM3
    ru~bygems_d778fcb54f7cbfc0c683bdcc85158c198646a16b5e210f07
    dc~kr_pat_6M1mzHO0qJhBQwxCukOiXnRwrlT || li~n_api_a8OuGXURd5Nhb9aae4mTiUlkuH0ccoixdr0j8bT4
    sk~-XkL6QoIxKdOA9qUrRQuxQD1yIHoUhfglfbSg7hAN1oI8LBxo
    sk~-proj-bQs7RRvWdMyhAqVGT8xudxhHqhmjprv3QThZZwRcYZwWDk5v
    ya~29.e8VjIRaPhmYYNYGIeokGpBHdr0HBSWwVxbL20LdzwfXIwd9BlqGgrLAdznlH
    sq~0atp-lHN9SS34RjhmdWgFW1rEa9
    SG~.Wg7zGlRvMoYcDiNmZl8If7.1wa47zu0kqEWgYfCvxSkKzZuVbjaGuEuZFhhfsEnr1S
    """)

  private static func lines(_ text: String) -> [String] {
    text.replacing("\n", with: " || ").split(separator: " || ").map {
      String($0).replacing("~", with: "")
    }
  }

  private static func rows(_ text: String) -> [(name: String, value: String)] {
    lines(text).map { line in
      let parts = line.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
      return (String(parts[0]), String(parts[1]))
    }
  }
}
