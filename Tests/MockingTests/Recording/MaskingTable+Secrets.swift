/// The secrets of the table.
extension MaskingTable {
  /// Names all of whose values are secret, with a value that is a word.
  static let wordSecrets = """
    password passwd user_password userPassword newPassword old_password passwordConfirmation
    db_password DB_PASSWORD smtpPassword passphrase passcode passkey pwd user_pwd pass dbpass
    adminpass userpass secret client_secret clientSecret app_secret webhook_secret sharedSecret
    secretKey secret_id token access_token accessToken refresh_token refreshToken id_token idToken
    auth_token authToken bearer_token csrf_token csrfToken xsrf-token session_token device_token
    push_token api_token reset_token verificationToken invite_token personal_access_token
    X-Auth-Token X-CSRF-Token jwt accessJwt hmac X-Shopify-Hmac-Sha256 credential credentials
    authorization Proxy-Authorization X-Amz-Security-Token sessionid session_id sessionId PHPSESSID
    JSESSIONID cookie set-cookie client_assertion code_verifier apikey api_key apiKey api-key
    X-Api-Key x-apikey access_key accessKey private_key privateKey auth_key X-Auth-Key
    subscription_key Ocp-Apim-Subscription-Key x-functions-key master_key X-Parse-Master-Key
    account_key AccountKey shared_key signing_key encryption_key session_key license_key
    pre_shared_key recovery_key seed_phrase mnemonic recovery_codes backup_code device_code authcode
    sms_code otp_code totp_code mfa_code verification_code security_code reset_code activation_code
    login_code access_code confirmation_code two_factor_code samlResponse user[password]
    user.password pass-word PASSWORD Password passWord ldappass proxypass sshpass mysql_password
    pgpass redis_password ftppass keypass storepass rootpass mailpass httppass confirm_password
    current_password encrypted_password password_hash password_digest bot_token gitlab_token
    npm_token slack_token jira_api_token oauth_token oauth_token_secret consumer_secret
    X-Access-Token X-Session-Token X-Refresh-Token token_secret tokens.access secretAccessKey
    aws_secret_access_key aws_session_token X-Vault-Token vapid_private_key connect.sid.secret
    auth_session_id ASP.NET_SessionId client_credential basic_credentials jwt_token id_jwt hmac_key
    hmac_secret cookie_secret session_secret signing_secret
    """.split { $0 == " " || $0 == "\n" }.map { Field(name: String($0), value: "trout") }

  /// Names and values that are masked in each position where the name is next to the value.
  static let namedSecrets = fields(
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
    private_key|oREXncB0mtSCtjXS6vtD4ySKcqVDnQuR || privateKey|f17V8DOxjCH8 || auth_key|C8WKMxKHO9MF
    X-Auth-Key|zander-3380-tench || subscription-key|LE45BSpD0N4h22vRBmqPIHVBr1dvZXSL
    Ocp-Apim-Subscription-Key|perch-1761-zander || x-functions-key|9Z8wTTTO2zKLMSDUAzGK
    master_key|Iuwk7tWSNqi0 || X-Parse-Master-Key|fYiW3rirXJtivfaO99UzCLLNbGXMeZOp
    account_key|qY7iGxKZOdvRc4yEa41G2lGF || AccountKey|V7Hqwf3k3vlg
    signing_key|QBHTmHpP8oR10zTA5JF4x2J3 || encryption_key|chub-1652-zander
    license_key|XaELf81GrQOsZJ7u9LyF || pre_shared_key|pike-9734-eel || recovery_key|eel-4387-perch
    session_key|eF0CnKrdLgo0mezWznCS || shared_key|KaVTFc40mAEkFy1Av7eO
    credential|sgsyROx7tsZq0PK7luOXplt6r2DaFIcU || credentials|98diMhn0dHQwu4ryzagypDme
    user_credential|29B66QHYxGj1 || authorization|dFhtF3RjND6pmenwFvL6vOo7
    proxy-authorization|dace-9707-zander || jwt|VCa9jE0gBAdnNxGPykFx6yjz || accessJwt|0LW1MQKS4lHW
    client_assertion|5il9DPDJvrxL || code_verifier|dace-3310-tench
    passphrase|GgIkkBb4RUc9x7yuZgW8SvrD || passcode|53eYfugPp1R8
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
    root_pass|chub-5406-carp || admin_pass|bZ9vxbMXMEokbV8QixpN71b4fYjODdKX || psk|loach-2179-roach
    wpa_psk|QMd9B4MWQRmD || seed_phrase|perch-3344-bream || DPoP|EdPayGN3x4wF
    one_time_password|EMwbja3UxG0wuk8qUdow || user[password]|oNEBJl13xje4PAFXTqGI
    card[token]|carp-1686-hunter || service_key|mNyjYQGLKdhh5n77hPrlhuo4CDUmGTNV
    consumer_key|7X722deKcNbw || server_key|trout-3288-tench
    X-Gitlab-Token|22t96eXoRB36v8B6Z93YIufX || X-Vault-Token|loach-9954-perch
    X-Amz-Security-Token|PDijrqadenTGcXA3q9EA7lMg || X-CSRF-Token|aCm8LNQsXbJDXph2ULt1jXxyT28Na7hS
    X-XSRF-TOKEN|i7S997QpS7VkfsMXbdLxTshQPFXkIMb2 || Private-Token|bream-5491-chub
    stripe_token|roAEmm9mw4vmvarMqOE0 || fcm_token|YK6Tye4zdNV6GJMm9OEgiEv1NJNv1gvg
    security_answer|tench-1710-hunter || card_pin|kYRgZbD1B2hPNGONDPmdjgaMenBG5nUH
    pincode|jBpVgyz5D1Iu9HQqg5vXbEKF || X-Secret|sT4amuoK7s4iHgxXxElM
    appSecret|mmBXySPsSVU5wQB2p6MrFbNuxEI8py3Q || signing_secret|dace-4649-salmon
    jwt_secret|9PUWYZhDXmoxDpTGMfP6U0qx || cookie_secret|1RZXaGyn6CLYYzFTjl6XXOT4
    session_secret|perch-7785-salmon || password1|TO5wEqR4VotrQxoVsRDRKZ1A
    passwordHash|hunter-8250-loach || X-Access-Token|bream-9497-perch
    X-Refresh-Token|yj3U0hBBfbqASUma0HLBVb0w || deploy_token|perch-6308-trout
    github_token|trout-7234-tench || gitlab_token|pike-5114-carp
    npm_token|Yugkm9UybEpkmdlw4rcvsDhTLgBoRBAp || slack_token|WtdhekFIZiLlsWDVlYbH5V6I
    webhook_token|hunter-5757-dace || download_token|dace-2837-dace
    upload_token|72JDjEnybZvz2nylxMiC || pin|1320 || X-User-Pin|7764 || user_pin|6408
    card[pin]|1623 || otp|496252 || totp|546450 || mfa|787702 || cvc|272 || card[cvc]|259 || cvv|566
    card_cvv|903 || cvv2|551 || csc|976 || card[cvv2]|340 || login.otp|287306 || ssn|123-45-6789
    userPin|6258 || cardCvc|154 || code|482913 || key|HBswWjorq3ntSG5HQh27IVMGGIcUvkRf
    sig|F9IwveypdDjoaQphY4P0sNw33FXudKGg || auth|z3473Rzl9q61YRVim5sA5C5x
    sid|n4ejOXLFB3e28efcpGKeWLZN || session|550e8400-e29b-41d4-a716-446655440000
    X-Auth|d4lW5HvfcdKen1xhf0jVTa0gsSMjAvZm || X-Session|lqhOIwfLQP2Tw5CnIkTXATdIeAdELjMU
    assertion|m4FHye1lwlhWzImW || bearer|OJ9DxoB6e9olQBdw || nonce|zDCFZcgK2rkfxPgRhvMJVs3S
    code|J7WZPjtFCbYZdM2M || ticket|ST-1856339-xpuCeDzkdzi1P1jRsJVm
    X-Ticket|GsGmnH4HU6ZC9yL5gpcvQ87d || service_ticket|2hNUQ9OJyWniHixANgu6ERXP
    signature|5ffq1nNTfhaW8lqM4nFemoI7jyqde5fo || X-Signature|pg3IC4bsWAEI7lPow138Xz6f1GQ0N6cc
    X-Hub-Signature-256|sha256=425f85482462de9839087d8be8a1cf3cc47250976d3ead6e5e523d505f7fa94e
    X-Amz-Signature|SVmLbVMTkGxdpZPD4Q54IBjh
    Stripe-Signature|v1=4b34ae1174fed32ec34ece956d9cd389a0a072ee12d521cb3ea925c8c2511db4,t=1492774577
    client_signature|vOaBp05v3nqIxZQv || token_type|ipMTQ8Mh1ZSuADVcbXLrZQe78MTPI5EP
    password_hint_url|pUM9wYaHTpS2inIARooGlY5M || token_id_version|g56bCNDRb0cc6sDBl1mBmwnZ
    iban|DE89370400440532013000 || app_key|T9YMdaqcqqWr21qB || client_key|RVyY76xLOsmgGX7r
    X-Key|PB3YnZBIPzTFJ9VfOS0lh5R9 || card_number|4242424242424241 || cc_number|4242424242424241
    pan|4000001234567899 || cardNumber|4242424242424241 || credit_card|4242424242424241
    code|4/0AX4XfWhs3cretQ7 || code|SplxlOBeZQQYbYS6WxSbIA || code|b2f1c9d8e7
    key|4f2c81d9e07b4f2c81d9e07b || key|AbCd1234efGH5678 || key|s3cret || pin|4711 || pin|123456
    user_pin|0815 || X-User-Pin|4711 || card_pin|9876 || otp|123456 || otp|82J4K9 || totp|492039
    mfa|193847 || cvc|123 || cvc|1234 || card[cvc]|737 || card.cvv|321 || cvv2|999 || csc|4321
    ssn|078-05-1120 || ssn|078051120 || card_number|4000000000000000
    cardNumber|5555 0000 0000 0000 || pan|6011000000000000000 || iban|DE00 1234 5678 9012 3456 78
    sid|s3cretsid || sid|4f2c81d9e07b4f2c || auth|4f2c81d9e07b4f2c81d9 || basic_auth|a1b2c3d4e5f6
    session|4f2c81d9e07b || session|123e4567-e89b-12d3-a456-426614174000 || user_session|x9y8z7w6v5
    X-Session|k3j9x0qpw8r7 || ticket|ST-1856339-aA5Yuvrxzpv8Tau1cYQ7 || ticket|4f2c81d9e07b
    X-Ticket|7fXkQ2p9ZbL4mN8s || DPoP|7fXkQ2p9ZbL4mN8sVtR1cYwE || csrf|a8f5f167f44f4964
    xsrf|9x8c7v6b5n || bearer|7fXkQ2p9ZbL4mN8s || assertion|PHNhbWxwOlJlc3BvbnNl1x2y3z
    sig|Zm9vYmFyYmF6cXV4MTIz || sig|9f86d081884c7d65
    signature|sha256=757107ea0eb2509fc211221cce984b8a
    X-Hub-Signature-256|sha256=757107ea0eb2509fc211221cce984b8a
    x_signature|9f86d081884c7d659a2feaa0 || psk|a1b2c3d4e5 || token_type|7fXkQ2p9ZbL4mN8sVtR1cYwE
    token_name|Zx81Qw9LmN4tRv7bKp2sYd6h || secret_version|Zx81Qw9LmN4tRv7bKp2sYd6h
    stream_key|live_7fXkQ2p9ZbL4 || encryption.key|MDEyMzQ1Njc4OWFiY2RlZg==
    """#)

  /// Values that are masked by their form in all positions, whatever their name is.
  static let shapedSecrets = rows(
    """
    4861422064822717 || 4203384808414986 || 5461643258874666 || 2301918339967528 || 379406232020414
    349029133059237 || 6011621629790137 || 3530788172251988 || 36377653812289 || 6233914739723441
    4272355652586075 || 4310 7099 5603 8494 || 5329-9202-8723-1643 || 3738 097484 21792
    DE04229130158048049950 || FR1305140891593822200444822 || ES2286289248292093885715
    IT1508970977169330977335524 || NL5792693896699542 || GB18412765896282262092
    CH2171032552625195542 || AT462745846528859260 || PL17506999609939741541040941
    SE0563466900381675484162 || NO7459497089595 || BE49824839944544 || PT71591095583859479614480
    IE69725961700038845732 || DE59 2725 2085 6820 5423 48 || FR97 9204 7012 8356 6077 9283 672
    eyJhbGciOiAiSFMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAwfQ.E00mvqsTETBb3tSKx3ni96Bs6wxd80NM
    eyJhbGciOiAiSFMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiA3OTE5fQ.taCacpenpZouOhFcQqbE3lIk0CzJEisS
    eyJhbGciOiAiSFMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAxNTgzOH0.EPfzZCfhvag97ZG6r4p4351H2PIWixkN
    eyJhbGciOiAiSFMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAyMzc1N30.lal4YCMwOpz5qsCAhZmuooQ68yiN2Zse
    eyJhbGciOiAiSFMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAzMTY3Nn0.lCJzbttkBiS4ASVYj20kxfHvSQuZgpdC
    eyJhbGciOiAiSFMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAzOTU5NX0.9Bm4Ps1qS90xgW550bglFxGsQyoRSGMC
    AK~IARLBXAFFA90D313NX || AS~IAG071792F270WND09 || gh~p_2hZIGgR4fkf3L30od2gbj7tfR6XYlRkDBPpn
    gh~o_CZiPultK9NERWZYawx6KbSvWl1y1vRQqfzFA || gh~s_TbnOsXZkLMRP9IGwJUnM5WP71RJ9wIiwAYgE
    gh~u_5BOT237WVzgYrv9Z3hL76Cg9Bf7mtucDWy8u || gh~r_GRHBLoryaEjHF684xDx1wIC83i9np6JswCZz
    gl~pat-eJN4d6uMOh975VU3lY9A || sk~_live_zM9DVL8CN9UBWORzXQGK16Cv
    sk~_test_fxWFzs3Gc9CndVguISmquyee || rk~_live_rbc1yErRQ8GY9vjHDYIt1H3L
    wh~sec_jylARV9r0wXRxS4YkaEi4NKUcjIo2ncV || np~m_zlC9qYnrwuJm3s9b2qXAGWk9lGKJZbjmKpYE
    py~pi-1QG79KBdrtrRZmrWyw9REeFmxBIi9r9emHGzmRlhXHKWk0xHbceVfKSqUNoJ
    hf~_8xkEauTRb6qJ8lGZWRcLaVNwUnidp23Uk9 || gs~k_6it5hjO4fGUjZvxzJIOJm9QyaLo8wu1LsddHyppW
    sh~pat_9f57820d15b9a45d87469f8d4020096d || sh~pss_22a463175ef53345e84fd961ce8c5b75
    do~p_v1_71643934c82a471e2664f5e02e46a611425c92a5616be6edfd133fa62fe25aea
    AI~zaX3Wm5NMpOOdlym90XJNuj0TyeRYtHDMxW0R || GO~CSPX-QvyQKIVIko55jLns8ccc0TOVScx5
    xo~xb-JB76SoB5kW9KSNezPIsE2wE3xVmUDGQZA8o3GoqF || xo~xp-z2LHLVP2xV5kjEpzV5w7F6yG3aymP2Lqg3xV6By9
    xa~pp-yqkLcl3ryctrTn3VjI2YMmIvd6mNXwSJWkWDfLcG || hv~s.aTR17Ebo6M1mzHO0qJhBQwxCukOiXnRwrlTa8OuG
    gl~sa_XURd5Nhb9aae4mTiUlkuH0ccoixdr0j8 || sn~trys_bT4XkL6QoIxKdOA9qUrRQuxQD1yIHoUhfglfbSg7
    NR~AK-H0O81XOBSVDYH0Q6XUDXH7QHMJP || ru~bygems_8a3b1be5a240362757d18dbb01cb2b1d5838d1c65543613f
    dc~kr_pat_W1rEa9Wg7zGlRvMoYcDiNmZl8If || li~n_api_71wa47zu0kqEWgYfCvxSkKzZuVbjaGuEuZFhhfsE
    sk~-nr1S3Pgg2JIgqY7cJhpsl1EI9rfEgAS2NZPLfvJejPFEvuiy
    sk~-proj-TvjEhSP846tjeqYNBqCs8W6mR8reZModbXURxGxyUJLJKPvu
    ya~29.WnuNkxuQOpAbfUz2eeTcEoLFyJDsJyH6rtIrIO2RH8LiBtu1z98nokjxM0gW
    sq~0atp-v7rNUL1wLqgil0qJs60Ski
    SG~.mADhttFiniE4JSBcniN9QK.Q4Aq2Jl6A38mez4OeE8YQupmH8rTlcAFS8kk63kLzrU || 4111111111111111
    4111 1111 1111 1111 || 4012-8888-8888-1881 || 4242424242424242 || 4000056655665556
    5555555555554444 || 5200828282828210 || 5105 1051 0510 5100 || 2223003122003222
    378282246310005 || 3714 496353 98431 || 6011111111111117 || 6011000990139424 || 30569309025904
    38520000023237 || 3566002020360505 || 6200000000000005 || DE89370400440532013000
    DE89 3704 0044 0532 0130 00 || GB82WEST12345698765432 || GB29 NWBK 6016 1331 9268 19
    FR1420041010050500013M02606 || NL91ABNA0417164300 || CH9300762011623852957
    AT611904300234573201 || BE68539007547034 || ES9121000418450200051332
    IT60X0542811101000000123456 || SE4550000000058398257466 || NO9386011117947
    PL61109010140000071219812874 || SA0380000000608010167519
    eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N
    eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ.
    eyJhbGciOiJSU0EtT0FFUCJ9.OKOawDo13gRp2ojaHV7L.48V1_ALb6US04U3b.5eym8TW_c8SuK0l.XFBoMYUZodetZdvTiFvSkQ
    gh~p_16C7e42F292c6912E7710c838347Ae178B4a || gh~o_16C7e42F292c6912E7710c838347Ae178B4a
    gi~thub_pat_11ABCDEFG0abcdefghijkl_0123456789abcdefghij || gl~pat-x1y2z3A4B5C6D7E8F9G0
    xo~xb-123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx
    xo~xp-123456789012-123456789012-123456789012-abcdef0123456789
    sk~_live_4eC39HqLyjWDarjtT1zdp7dc || sk~_test_4eC39HqLyjWDarjtT1zdp7dc
    rk~_live_4eC39HqLyjWDarjtT1zdp7dc || wh~sec_4eC39HqLyjWDarjtT1zdp7dc || AK~IAIOSFODNN7EXAMPLE
    AS~IAIOSFODNN7EXAMPLE || AI~zaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q
    np~m_1a2B3c4D5e6F7g8H9i0J1k2L3m4N5o6P7q8R || sk~-proj-1a2B3c4D5e6F7g8H9i0J1k2L
    sk~-ant-api03-1a2B3c4D5e6F7g8H9i0J1k2L
    SG~.ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf09kqeF8tAmbihYzrnopKc1s5cr
    hf~_aBcDeFgHiJkLmNoPqRsTuVwXyZ012345 || do~p_v1_1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d
    sh~pat_1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d || py~pi-AgEIcHlwaS5vcmcCJDAxMjM0NTY3
    ya~29.a0AfH6SMBx1y2z3A4B5C6D7E8F9G0 || dc~kr_pat_a1B2c3D4e5F6g7H8i9J0k1L2m3N
    """)
}
