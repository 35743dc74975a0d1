extension InspectorPage {
  /// The HTML document, with places for its nonce, icon, style and script.
  static let markup = #"""
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>mock-server</title>
    <link rel="icon" href="{icon}">
    <style nonce="{nonce}">
    {style}
    </style>
    </head>
    <body>
    <header class="bar">
      <h1 id="server-name">mock-server</h1>
      <button type="button" id="server-url" class="plain mono" title="Copy the address"></button>
      <div class="tabs views" role="tablist" aria-label="Views">
        <button type="button" role="tab" id="tab-requests"
          aria-controls="view-requests">Requests</button>
        <button type="button" role="tab" id="tab-stubs" aria-controls="view-stubs">Stubs</button>
        <button type="button" role="tab" id="tab-state" aria-controls="view-state">State</button>
        <button type="button" role="tab" id="tab-server" aria-controls="view-server">Server</button>
      </div>
      <span id="connection" class="connection" role="status">Connecting</span>
      <button type="button" id="help" class="plain" aria-label="Help and keys"
        title="Help (?)">?</button>
    </header>
    <div id="banner" class="banner" role="alert" hidden>
      <p><strong id="banner-title"></strong> <span id="banner-text"></span></p>
      <button type="button" id="banner-retry">Try now</button>
    </div>
    <noscript><p class="banner">This page needs JavaScript.</p></noscript>
    <main>
      <section id="view-requests" class="view" role="tabpanel" aria-labelledby="tab-requests">
        <div class="toolbar">
          <input type="search" id="filter-text" class="mono" placeholder="Filter by text"
            aria-label="Filter requests by text" autocomplete="off" spellcheck="false">
          <select id="filter-method" aria-label="Method">
            <option value="">All methods</option>
            <option>GET</option><option>POST</option><option>PUT</option><option>PATCH</option>
            <option>DELETE</option><option>HEAD</option><option>OPTIONS</option>
          </select>
          <select id="filter-status" aria-label="Status">
            <option value="">All statuses</option>
            <option value="2">2xx</option><option value="3">3xx</option>
            <option value="4">4xx</option><option value="5">5xx</option>
            <option value="open">In progress</option><option value="aborted">Aborted</option>
          </select>
          <button type="button" id="filter-unmatched" aria-pressed="false">Unmatched only</button>
          <span id="request-count" class="count"></span>
          <div class="actions end">
            <button type="button" id="pause" aria-pressed="false">Pause</button>
            <button type="button" id="clear">Clear</button>
            <a class="button" id="export-har" href="har" download="mock-server.har">Export HAR</a>
          </div>
        </div>
        <div class="split" id="request-split">
          <div class="list">
            <div class="row head" aria-hidden="true">
              <span class="time">Time</span><span class="method">Method</span>
              <span class="path">Path</span><span class="status">Status</span>
              <span class="stub">Stub</span><span class="duration">Duration</span>
              <span class="size">Size</span><span class="fall">Waterfall</span>
            </div>
            <div id="request-list" class="rows" role="listbox" tabindex="0"
              aria-label="Requests"></div>
            <div id="request-empty" class="empty" hidden></div>
            <button type="button" id="follow" class="follow" hidden>Newest requests</button>
          </div>
          <div class="handle" id="request-handle" role="separator" tabindex="0"
            aria-label="Width of the details" aria-orientation="vertical" hidden></div>
          <aside id="request-details" class="details"
            aria-label="Details of the request" hidden></aside>
        </div>
      </section>
      <section id="view-stubs" class="view" role="tabpanel" aria-labelledby="tab-stubs" hidden>
        <div class="toolbar">
          <input type="search" id="stub-filter" class="mono" placeholder="Filter by text"
            aria-label="Filter stubs by text" autocomplete="off" spellcheck="false">
          <span id="stub-count" class="count" role="status"></span>
          <button type="button" id="new-stub" class="primary end">New stub</button>
        </div>
        <div class="split" id="stub-split">
          <div class="list stubs">
            <div class="row head" aria-hidden="true">
              <span class="method">Method</span><span class="path">Path</span>
              <span class="notes">Changes</span><span class="duration">Hits</span>
              <span class="stub">Source</span>
            </div>
            <div id="stub-list" class="rows" role="listbox" tabindex="0" aria-label="Stubs"></div>
            <div id="stub-empty" class="empty" hidden></div>
          </div>
          <div class="handle" id="stub-handle" role="separator" tabindex="0"
            aria-label="Width of the details" aria-orientation="vertical" hidden></div>
          <aside id="stub-details" class="details" aria-label="Details of the stub" hidden></aside>
        </div>
      </section>
      <section id="view-state" class="view cards" role="tabpanel"
        aria-labelledby="tab-state" hidden>
        <div class="card">
          <h2>Scenarios</h2>
          <div id="scenarios"></div>
        </div>
        <div class="card">
          <h2>Variables</h2>
          <div id="variables"></div>
        </div>
        <div class="card">
          <h2>Resources</h2>
          <div id="resources"></div>
        </div>
        <div class="card">
          <h2>Snapshots</h2>
          <p class="muted">A snapshot has all items, states and variables.</p>
          <p><button type="button" id="take-snapshot">Take a snapshot</button></p>
          <div id="snapshots"></div>
        </div>
      </section>
      <section id="view-server" class="view cards" role="tabpanel"
        aria-labelledby="tab-server" hidden>
        <div class="card">
          <h2>Server</h2>
          <dl id="server-info" class="facts"></dl>
          <p class="actions">
            <a class="button" href="har" download="mock-server.har">Export HAR</a>
            <a class="button" href="openapi.json" target="_blank"
              rel="noopener">OpenAPI document</a>
          </p>
        </div>
        <div class="card">
          <h2>All routes</h2>
          <form id="settings-form"></form>
        </div>
        <div class="card">
          <h2>Reset</h2>
          <form id="reset-form">
            <div class="choices">
              <label><input type="checkbox" name="requests" checked> Requests</label>
              <label><input type="checkbox" name="scenarios" checked> Scenarios</label>
              <label><input type="checkbox" name="resources" checked> Resources</label>
              <label><input type="checkbox" name="stubs"> Stubs</label>
              <label><input type="checkbox" name="settings"> Settings</label>
            </div>
            <p class="actions"><button type="submit">Reset</button></p>
          </form>
        </div>
        <div class="card">
          <h2>Shut down</h2>
          <p class="muted">Ends the program. Changes of stubs and their state are lost.</p>
          <p class="actions"><button type="button" id="shutdown"
            class="danger">Shut down</button></p>
        </div>
      </section>
    </main>
    <div id="toasts" class="toasts" role="status" aria-live="polite"></div>
    <script type="module" nonce="{nonce}">
    {script}
    </script>
    </body>
    </html>
    """#
}
