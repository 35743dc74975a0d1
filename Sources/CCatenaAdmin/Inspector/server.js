// The admin API and the event stream. All addresses are relative to the page.

/** An error of the server, with the members of its problem details. */
class Problem extends Error {
  constructor(status, problem = {}) {
    const place = problem.line ? `line ${problem.line}, column ${problem.column ?? 1}: ` : '';
    const pointer = problem.pointer?.length > 1 ? ` (at ${problem.pointer})` : '';
    const text = problem.detail ?? problem.title ?? `The server responded with ${status}.`;
    super(place + text + pointer);
    this.status = status;
    this.line = problem.line;
    this.column = problem.column;
  }
}

/**
 * Sends a request to the admin API.
 *
 * @param body A value that is sent as JSON, a text that is JSON already, or nothing.
 * @returns The decoded JSON, or the text of another type.
 */
async function api(method, path, body, signal) {
  const options = { method, signal, cache: 'no-store', headers: {} };
  if (!['GET', 'DELETE'].includes(method)) {
    options.headers['Content-Type'] = 'application/json';
    options.body = typeof body === 'string' ? body : JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Problem(0, { detail: 'The server does not respond.' });
  }
  const text = await response.text();
  const isJSON = /\bjson\b/.test(response.headers.get('Content-Type') ?? '');
  let value = text;
  if (isJSON && text) {
    try { value = JSON.parse(text); } catch { value = {}; }
  }
  if (!response.ok) throw new Problem(response.status, isJSON ? value : {});
  return value;
}

/** The latest requests of the journal, which has pages. */
async function allRequests() {
  let items = [];
  for (let after = '', page = 0; page < 100; page += 1) {
    const answer = await api('GET', `requests?limit=500${after}`);
    items = items.concat(answer.requests).slice(-maximumRequests);
    if ((answer.next ?? null) === null || !answer.requests.length) break;
    after = `&after=${encodeURIComponent(answer.next)}`;
  }
  return items;
}

/** All stubs, of which one response may have only a part. */
async function allStubs() {
  const items = [];
  for (;;) {
    const answer = await api('GET', `stubs?limit=10000&offset=${items.length}`);
    items.push(...answer.stubs);
    if (!answer.stubs.length || items.length >= (answer.total ?? 0)) return items;
  }
}

/** Shows a short message at the bottom of the window. */
function toast(text, isError = false) {
  const element = el('div', { class: isError ? 'toast bad' : 'toast', text });
  const list = byID('toasts');
  list.append(element);
  while (list.children.length > 3) list.firstChild.remove();
  setTimeout(() => element.remove(), isError ? 8000 : 3000);
}

/** Runs an action of a button and shows its error. */
async function attempt(action, success) {
  try {
    await action();
    if (success) toast(success);
  } catch (error) {
    if (error.name !== 'AbortError') toast(error.message, true);
  }
}

async function copyText(text, name) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`Copied ${name}.`);
  } catch {
    showText(`Copy ${name}`, text);  // The page has no access to the clipboard.
  }
}

// MARK: Settings of the page

/** Choices that survive a reload. A browser may refuse to store them. */
const preferences = {
  get(name, fallback) {
    try {
      return localStorage.getItem(`inspector.${name}`) ?? fallback;
    } catch {
      return fallback;
    }
  },
  set(name, value) {
    try { localStorage.setItem(`inspector.${name}`, value); } catch { /* Not stored. */ }
  },
};

// MARK: Event stream

/**
 * The connection to the event stream.
 *
 * It opens the stream again after it ends, with growing pauses, and then loads everything anew:
 * the server may have been restarted, or may have dropped events.
 */
const connection = {
  source: null,
  timer: 0,
  failures: 0,
  startedAt: null,

  open() {
    clearTimeout(this.timer);
    this.source?.close();
    const source = new EventSource('events');
    this.source = source;
    source.addEventListener('open', () => this.opened(source));
    source.addEventListener('error', () => this.failed(source));
    for (const name of ['request', 'stubs', 'scenarios', 'resources', 'settings', 'reset']) {
      source.addEventListener(name, (event) => this.received(name, event.data));
    }
  },

  async opened(source) {
    try {
      await loadEverything();
    } catch {
      this.failed(source);
      return;
    }
    if (this.source !== source) return;
    const isBack = this.failures > 0;
    this.failures = 0;
    const info = serverInfo;
    if (isBack) {
      const isNew = this.startedAt !== info.startedAt;
      toast(isNew ? 'The server was restarted.' : 'Connected again.');
    }
    this.startedAt = info.startedAt;
    byID('banner').hidden = true;
    showConnection('live', 'Live');
  },

  async failed(source) {
    if (this.source !== source) return;
    source.close();
    this.source = null;
    this.failures += 1;
    // After a short interruption nothing is said: the first attempt follows at once.
    const pause = Math.min(200 * 2 ** (this.failures - 1), 5000);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open(), pause);
    if (this.failures < 2) return;
    showConnection('gone', 'Not connected');
    let title = 'The server is gone.';
    let text = 'The page connects again as soon as it is back.';
    try {
      await api('GET', 'info');
    } catch (error) {
      if (error.status === 401) {
        title = 'The server needs its token.';
        text = 'Open the address with ?token=... that the program printed when it started.';
      } else if (error.status) text = error.message;
    }
    if (this.failures === 0) return;
    byID('banner-title').textContent = title;
    byID('banner-text').textContent = text;
    byID('banner').hidden = false;
  },

  received(name, data) {
    if (name === 'request') {
      try { requests.receive(JSON.parse(data)); } catch { /* Not a summary. */ }
    } else if (name === 'stubs') stubs.reloadSoon();
    else if (name === 'reset') attempt(loadEverything);
    else if (name === 'settings') refreshSettings();
    else state.reloadSoon();
  },
};

function showConnection(name, text) {
  const element = byID('connection');
  element.className = `connection ${name}`;
  element.textContent = text;
}

/** The answer of `GET info`. */
let serverInfo = {};

async function loadEverything() {
  const [info] = await Promise.all([api('GET', 'info'), stubs.reload(), requests.reload()]);
  serverInfo = info;
  showServer();
  attempt(() => state.reload());
}

/** A function that calls another one at most once in an interval. */
function throttled(milliseconds, action) {
  let timer = 0;
  return () => {
    if (timer) return;
    timer = setTimeout(() => { timer = 0; attempt(action); }, milliseconds);
  };
}
