// The list of requests: storage, filter, pause and rows.

const maximumRequests = 5000;
/** A later state of a request replaces an earlier one, in whichever order they arrive. */
const stateOrder = { received: 0, answering: 1, done: 2, aborted: 2 };

const requests = {
  /** The requests by identifier, in the order of arrival. */
  items: new Map(),
  /** The requests that arrive during a pause. */
  held: new Map(),
  /** The requests that arrive while the list is loaded. */
  arrived: null,
  isPaused: false,
  /** Whether the journal has been loaded once. */
  isLoaded: false,
  /** Whether the requests of a trace follow each other. */
  isGrouped: false,
  /** The indents of the rows by identifier. */
  depths: new Map(),
  loads: 0,
  filter: { text: '', method: '', status: '', unmatched: false },
  frame: 0,

  /** Loads all requests of the journal. */
  async reload() {
    const load = ++this.loads;
    const arrived = new Map();
    this.arrived = arrived;
    const loaded = await allRequests();
    if (load !== this.loads) return;
    this.arrived = null;
    this.isLoaded = true;
    // A restarted server uses the same identifiers again, so only the revisions are kept.
    const previous = this.items;
    this.items = new Map();
    this.held.clear();
    for (const summary of [...loaded, ...arrived.values()]) this.put(summary, previous);
    this.showPause();
    this.schedule();
  },

  receive(summary) {
    this.arrived?.set(summary.id, summary);
    if (this.isPaused) {
      this.held.set(String(summary.id), summary);
      if (this.held.size > maximumRequests) this.held.delete(this.held.keys().next().value);
      this.showPause();
    } else {
      this.put(summary);
      this.schedule();
    }
    stubs.hitSoon();
  },

  /** Adds a request or its next state. */
  put(summary, previous) {
    const id = String(summary.id);
    const old = this.items.get(id);
    if (old && stateOrder[old.state] > stateOrder[summary.state]) return;
    const revision = (old ?? previous?.get(id))?.revision ?? 0;
    const item = { ...summary, id, revision: revision + 1 };
    item.start = new Date(item.time).getTime() || 0;
    const parts = [
      item.method, item.url, item.status ?? '', this.stubText(item), item.trace?.id ?? '',
    ];
    item.text = parts.join(' ').toLowerCase();
    this.items.set(id, item);
    if (this.items.size > maximumRequests) this.items.delete(this.items.keys().next().value);
  },

  /** Whether no stub has responded. With a proxy, such a request was forwarded. */
  isUnmatched(item) {
    return (item.stub ?? null) === null && item.state !== 'received';
  },

  /** The stub of a request as text. */
  stubText(item) {
    if (!this.isUnmatched(item)) return stubs.label(item.stub);
    return serverInfo.proxy ? 'forwarded' : 'no stub';
  },

  matches(item) {
    const { words, method, status, unmatched } = this.filter;
    if (method && item.method !== method) return false;
    if (unmatched && !this.isUnmatched(item)) return false;
    if (status === 'aborted' && item.state !== 'aborted') return false;
    if (status === 'open' && stateOrder[item.state] === 2) return false;
    if (/^\d/.test(status) && String(item.status ?? '')[0] !== status) return false;
    return !words || words.every((word) =>
      word.length > 1 && word[0] === '-' ? !item.text.includes(word.slice(1))
        : item.text.includes(word));
  },

  /** Shows the changes in the next frame, however many there are. */
  schedule() {
    this.frame ||= requestAnimationFrame(() => { this.frame = 0; this.show(); });
  },

  show() {
    const all = [...this.items.values()];
    const matching = all.filter((item) => this.matches(item));
    const [shown, depths] = this.isGrouped ? byTrace(matching) : [matching, new Map()];
    const former = this.depths;
    this.depths = depths;
    for (const [id, row] of this.list.rows) {
      if (former.get(id) !== depths.get(id)) row.revision = null;
    }
    this.list.show(shown);
    byID('request-count').textContent = partText(shown.length, all.length, 'request');
    this.showEmpty(all.length, shown.length);
    requestDetails.refresh(this.items.get(requestDetails.id));
    requestDetails.drawTrace();
    this.showFollow();
  },

  showEmpty(all, shown) {
    const box = byID('request-empty');
    box.hidden = shown > 0;
    if (shown > 0) return;
    if (!this.isLoaded) {
      box.replaceChildren(el('strong', { text: 'Connecting to the server…' }));
      return;
    }
    if (all > 0) {
      box.replaceChildren(
        el('strong', { text: 'No request matches the filter' }),
        button('Clear the filter', () => clearFilter()));
      return;
    }
    const stub = stubs.items.find(({ method, path }) => /^(GET)?$/.test(method ?? '') && path);
    const path = stub ? stub.path.replace(/\{[^}]*\}/g, '1') : '/';
    const command = `curl ${location.origin}${path}`;
    box.replaceChildren(
      el('strong', { text: 'No requests yet' }),
      el('span', { text: 'Requests appear here as they arrive. Try:' }),
      el('code', { text: command }),
      button('Copy', () => copyText(command, 'the command')));
  },

  showFollow() {
    byID('follow').hidden = this.list.follows || this.list.isAtEnd;
  },

  setPaused(isPaused) {
    this.isPaused = isPaused;
    if (!isPaused) {
      for (const summary of this.held.values()) this.put(summary);
      this.held.clear();
      this.schedule();
    }
    this.showPause();
  },

  setGrouped(isGrouped) {
    this.isGrouped = isGrouped;
    byID('group').setAttribute('aria-pressed', isGrouped);
    this.show();
  },

  showPause() {
    const pause = byID('pause');
    pause.setAttribute('aria-pressed', this.isPaused);
    const size = this.held.size;
    const held = size ? ` (${size.toLocaleString('en')} new)` : '';
    pause.textContent = this.isPaused ? `Resume${held}` : 'Pause';
  },
};

/**
 * Moves the requests of each trace to its first one, in the order of arrival.
 *
 * A request below another one has the same parent, because a server has forwarded the
 * `traceparent`. Others of the trace are below its first request.
 *
 * @returns The requests, and their depths by identifier, without those of traces with one request.
 */
function byTrace(items) {
  const groups = new Map();
  for (const item of items) {
    const key = item.trace?.id ?? item;
    if (groups.has(key)) groups.get(key).push(item);
    else groups.set(key, [item]);
  }
  const depths = new Map();
  for (const group of groups.values()) {
    if (group.length < 2) continue;
    const parents = new Map();
    for (const { id, trace } of group) {
      const depth = Math.min(parents.get(trace.parent) ?? (parents.size ? 1 : 0), 6);
      parents.set(trace.parent, depth + 1);
      depths.set(id, depth);
    }
  }
  return [[...groups.values()].flat(), depths];
}

function setFilter(change) {
  Object.assign(requests.filter, change);
  const words = requests.filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  requests.filter.words = words.length ? words : null;
  byID('filter-unmatched').setAttribute('aria-pressed', requests.filter.unmatched);
  requests.show();
}

function clearFilter() {
  byID('filter-text').value = byID('filter-method').value = byID('filter-status').value = '';
  setFilter({ text: '', method: '', status: '', unmatched: false });
  byID('request-list').focus();
}

// MARK: Rows

const statusClass = ({ status, state }) =>
  state === 'aborted' ? 'sx' : status ? `s${String(status)[0]}` : 's0';

const statusText = ({ status, state }) =>
  state === 'aborted' ? 'aborted' : status ? String(status) : '···';

function fillRequest(item, row) {
  const isUnmatched = requests.isUnmatched(item) && !serverInfo.proxy;
  const [path, query] = targetOf(item);
  const label = requests.stubText(item);
  const depth = requests.depths.get(item.id);
  const target = el('span', { class: 'path', title: path + query },
    depth ? el('i', { text: '└ ', 'aria-hidden': 'true' }) : null, path, el('i', { text: query }));
  if (depth) target.style.paddingLeft = `${14 * (depth - 1)}px`;
  row.classList.toggle('traced', depth !== undefined);
  row.classList.toggle('unmatched', isUnmatched);
  row.bar = el('u');
  row.setAttribute(
    'aria-label', `${item.method} ${path}${query}, ${statusText(item)}, ${label}`
      + (depth === undefined ? '' : `, trace ${item.trace.id.slice(0, 8)}`));
  row.replaceChildren(
    el('span', { class: 'time', text: timeText(item.time) }),
    el('span', { class: 'method', text: item.method }),
    target,
    el('span', { class: `status ${statusClass(item)}` }, el('b', { text: statusText(item) })),
    el('span', { class: isUnmatched ? 'stub none' : 'stub', title: label, text: label }),
    el('span', { class: 'duration', text: durationText(item.duration) }),
    el('span', { class: 'size', text: sizeText(item.bytesOut) }),
    el('span', { class: 'fall cell' }, row.bar));
}

/** Places the bars of the visible rows on one scale. */
function arrangeWaterfall(pairs) {
  const end = (item) => item.start + (item.duration ?? 1);
  const scale = waterfallScale(pairs.map(([item]) => [item.start, end(item)]));
  for (const [item, row] of pairs) {
    const from = scale(item.start);
    row.bar.style.left = `${100 * from}%`;
    row.bar.style.width = `${Math.max(100 * (scale(end(item)) - from), 0)}%`;
    row.bar.className =
      item.state === 'aborted' ? 'bad' : stateOrder[item.state] === 2 ? '' : 'open';
  }
}

function setUpRequests() {
  const list = new VirtualList(byID('request-list'), {
    fill: fillRequest,
    arrange: arrangeWaterfall,
    select: (item, opens) => requestDetails.show(item, opens),
  });
  list.canFollow = list.follows = true;
  list.onscroll = () => requests.showFollow();
  requests.list = list;

  byID('follow').addEventListener('click', () => {
    list.follows = true;
    list.scrollToEnd();
    list.box.focus();
  });
  byID('filter-text').addEventListener(
    'input', (event) => setFilter({ text: event.target.value }));
  byID('filter-method').addEventListener(
    'change', (event) => setFilter({ method: event.target.value }));
  byID('filter-status').addEventListener(
    'change', (event) => setFilter({ status: event.target.value }));
  byID('filter-unmatched').addEventListener(
    'click', () => setFilter({ unmatched: !requests.filter.unmatched }));
  byID('group').addEventListener('click', () => requests.setGrouped(!requests.isGrouped));
  byID('pause').addEventListener('click', () => requests.setPaused(!requests.isPaused));
  byID('clear').addEventListener('click', () => attempt(async () => {
    await api('DELETE', 'requests');
    await requests.reload();
    list.box.focus();
  }));
}
