// The details of a request: the matching stub or the nearest ones, times, head and body.

/** Whether the details cover the list. */
const narrow = matchMedia('(max-width: 800px)');

/**
 * Makes a list of tabs: arrow keys move between them, and Tab reaches only the selected one.
 *
 * @returns A function that selects a tab by its index.
 */
function tabList(tabs, select) {
  const choose = (index, focuses) => {
    tabs.forEach((tab, each) => {
      tab.setAttribute('aria-selected', each === index);
      tab.tabIndex = each === index ? 0 : -1;
    });
    if (focuses) tabs[index].focus();
    select(index);
  };
  tabs.forEach((tab, index) => {
    tab.addEventListener('click', () => choose(index));
    tab.addEventListener('keydown', (event) => {
      const last = tabs.length - 1;
      const target = {
        ArrowRight: index === last ? 0 : index + 1, ArrowLeft: index ? index - 1 : last,
        Home: 0, End: last,
      }[event.key];
      if (target === undefined) return;
      event.preventDefault();
      choose(target, true);
    });
  });
  return choose;
}

/** A pane beside a list. It keeps its buttons while its content changes, as they have focus. */
class DetailsPane {
  constructor(pane, handle, list, actions, tabs) {
    Object.assign(this, { pane, handle, list });
    this.title = el('h2');
    this.badge = el('span', { class: 'badge' });
    this.actions = actions;
    this.panel = el('div', { class: 'panel', tabindex: 0, role: tabs && 'tabpanel' });
    const close = button('✕', () => this.close(), {
      class: 'plain', 'aria-label': 'Close the details', title: 'Close (Escape)',
    });
    const bar = tabs
      && el('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Parts' }, tabs);
    pane.append(
      el('header', {},
        el('div', { class: 'line' }, this.badge, this.title, close),
        el('div', { class: 'actions' }, Object.values(actions)), bar),
      this.panel);
    pane.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      this.close();
    });
  }

  /** Shows the pane. A key that opens it moves the focus into it. */
  open(opens) {
    const isNew = this.pane.hidden;
    this.pane.hidden = this.handle.hidden = false;
    if (isNew) this.list().box.dispatchEvent(new Event('scroll'));
    if (opens === 'key' || (opens && narrow.matches)) this.panel.focus();
  }

  close() {
    this.pane.hidden = this.handle.hidden = true;
    this.list().box.focus();
  }
}

const requestDetails = {
  id: null, item: null, answer: null, part: 0, revision: 0,
  traceBox: el('section', { class: 'trace' }),

  setUp() {
    const run = (action) => () => attempt(() => action(this.item));
    this.buttons = {
      stub: button('Make a stub', run(makeStub), { title: 'Make a stub of this request (s)' }),
      edit: button('Edit stub', run(({ stub }) => editStub(stubs.get(stub))), {
        title: 'Edit the stub that responded (e)',
      }),
      fault: button('Delay or fault', run(({ stub }) => editFaults(stubs.get(stub))), {
        title: 'Add a delay or a fault to the route (d)',
      }),
      curl: button('Copy as curl', run(copyCurl), { title: 'Copy as a curl command (c)' }),
    };
    const tabs = ['Overview', 'Request', 'Response'].map(
      (text) => button(text, null, { role: 'tab' }));
    this.pane = new DetailsPane(
      byID('request-details'), byID('request-handle'), () => requests.list, this.buttons, tabs);
    this.choosePart = tabList(tabs, (index) => { this.part = index; this.draw(true); });
    this.choosePart(0);
  },

  show(item, opens) {
    if (!item) return;
    if (narrow.matches && !opens) return;
    this.pane.open(opens);
    if (this.id !== item.id) {
      this.id = item.id;
      this.answer = null;
      this.revision = 0;
      clearTimeout(this.timer);
      // While an arrow key is held down, the details are not loaded.
      this.timer = setTimeout(() => this.refresh(requests.items.get(this.id)), 60);
      this.drawHead(item);
      this.draw(true);
    }
  },

  /** Loads the details if the request has changed since the last time. */
  async refresh(item) {
    if (!item || this.pane.pane.hidden || this.revision === item.revision) return;
    this.revision = item.revision;
    this.drawHead(item);
    this.abort?.abort();
    this.abort = new AbortController();
    await attempt(async () => {
      const path = `requests/${encodeURIComponent(item.id)}`;
      let answer;
      try {
        answer = await api('GET', path, null, this.abort.signal);
      } catch (error) {
        if (error.status !== 404) throw error;
        answer = { isMissing: true };
      }
      if (this.id !== item.id) return;
      const isFirst = !this.answer;
      this.answer = answer;
      this.draw(isFirst);
    });
  },

  /** Shows the requests of the trace, which may have changed although this one has not. */
  drawTrace() {
    const id = this.item?.trace?.id;
    const items = id ? [...requests.items.values()].filter(({ trace }) => trace?.id === id) : [];
    const content = `${this.id} ${items.map((item) => `${item.id}.${item.revision}`)}`;
    if (this.traceBox.content === content) return;
    this.traceBox.content = content;
    this.traceBox.hidden = items.length === 0;
    keepFocus(this.traceBox, () => this.traceBox.replaceChildren(...traceParts(items, this.id)));
  },

  drawHead(item) {
    this.item = item;
    const [path, query] = targetOf(item);
    this.pane.title.textContent = `${item.method} ${path}${query}`;
    this.pane.badge.className = `badge ${statusClass(item)}`;
    this.pane.badge.textContent = statusText(item);
    const stub = stubs.get(item.stub);
    this.buttons.edit.disabled = !stub?.definition;
    this.buttons.fault.disabled = !stub;
  },

  draw(isNew) {
    const { panel } = this.pane;
    const top = isNew ? 0 : panel.scrollTop;
    const { answer } = this;
    if (!answer || answer.isMissing) {
      const text = answer ? 'The server no longer has this request.' : 'Loading…';
      panel.replaceChildren(el('p', { class: 'muted', text }));
    } else if (this.part === 0) {
      panel.replaceChildren(
        matchSection(answer), timingSection(answer), this.traceBox, generalSection(answer));
      this.drawTrace();
    } else {
      const name = this.part === 1 ? 'request' : 'response';
      panel.replaceChildren(...messageSections(answer[name], name));
    }
    panel.scrollTop = top;
  },
};

async function copyCurl(item) {
  const path = `requests/${encodeURIComponent(item.id)}/curl`;
  await copyText(await api('GET', path), 'the curl command');
}

// MARK: Overview

function matchSection(answer) {
  const heading = el('h3', { text: 'Match' });
  const misses = answer.nearMisses ?? [];
  const stub = stubs.get(answer.stub);
  if (!requests.isUnmatched(answer)) {
    const text = stub ? 'The request matches the stub '
      : answer.stub ? `The request matched the stub ${answer.stub}, which no longer exists.`
        : 'The request has no stub yet.';
    const note = el('div', { class: 'note good' }, text);
    if (stub) {
      const source = sourceText(stub);
      note.append(
        el('code', { text: stubs.label(stub.id) }), source && ` in ${source}`,
        el('div', { class: 'actions' }, button('Show the stub', () => stubs.open(stub.id))));
    }
    const lost = misses.length
      ? el('p', { class: 'note', text: 'Stubs that are more specific did not respond:' }) : null;
    const reasons = {
      'Contract-Violation': 'The request does not keep the contract',
      'Contract-Problem': 'The body is that of the document, for this reason',
    };
    const violations = (answer.response?.headers ?? [])
      .filter(({ name }) => name === 'Contract-Violation' || name === 'Contract-Problem')
      .map(({ name, value }) => el('p', { class: 'note warn', text: `${reasons[name]}: ${value}` }));
    return el('section', {}, heading, note, violations, lost, misses.map(nearMiss));
  }
  const { proxy } = serverInfo;
  const text = proxy ? `No stub matches this request, so it was forwarded to ${proxy}.`
    : 'No stub matches this request.';
  const more = misses.length ? ' The nearest stubs and their differences:' : '';
  const note = el('p', { class: proxy ? 'note' : 'note bad', text: text + more });
  return el('section', {}, heading, note, misses.map(nearMiss));
}

/** A stub that almost matches: the conditions that are not met, and the others on one line. */
function nearMiss(miss) {
  const conditions = miss.conditions ?? [];
  const stub = stubs.get(miss.stub);
  const met = conditions.filter((condition) => condition.matched).map(({ name }) => name);
  const rows = conditions.filter((condition) => !condition.matched).map((condition) => {
    const [expected, actual] = [condition.expected, condition.actual].map(
      (value) => (value === null || value === undefined ? null : valueText(value)));
    const both = expected !== null && actual !== null;
    const [left, right] = both ? differences(expected, actual)
      : [[[false, expected ?? 'none']], [[false, actual ?? 'none']]];
    return el('tr', {},
      el('th', { scope: 'row', text: `✗ ${condition.name}` }),
      el('td', {}, markedText(left, 'want')), el('td', {}, markedText(right, 'got')));
  });
  const label = stub ? stubs.label(stub.id) : `${miss.method ?? ''} ${miss.path ?? ''}`.trim();
  const head = ['Condition', 'Expected', 'Actual'];
  return el('div', { class: 'near' },
    el('div', { class: 'line' },
      el('code', { text: label }),
      stub?.definition && button('Edit', () => attempt(() => editStub(stub)), {
        'aria-label': `Edit the stub ${label}`,
      })),
    miss.reason ? el('p', { text: miss.reason }) : null,
    rows.length > 0 && el('table', {},
      el('thead', {}, el('tr', {}, head.map((text) => el('th', { scope: 'col', text })))),
      el('tbody', {}, rows)) || null,
    met.length > 0 && el('p', { class: 'met', text: `✓ ${met.join(', ')}` }) || null);
}

function timingSection(answer) {
  const { received = 0, matched, delayed, sent } = answer.timings ?? {};
  const phases = [
    ['Receive', 'wait', 0, received], ['Match', 'wait', received, matched],
    ['Delay', 'delay', matched, delayed], ['Send', 'send', delayed, sent],
  ].filter(([, , from, to]) => typeof from === 'number' && typeof to === 'number');
  const total = Math.max(...phases.map(([, , , to]) => to), 0.001);
  const rows = phases.flatMap(([name, style, from, to]) => {
    const bar = el('u', { class: style });
    bar.style.left = `${100 * from / total}%`;
    bar.style.width = `${100 * Math.max(to - from, 0) / total}%`;
    return [
      el('span', { text: name }), el('span', { class: 'track', 'aria-hidden': true }, bar),
      el('span', { class: 'number', text: durationText(to - from) }),
    ];
  });
  const isOpen = stateOrder[answer.state] !== 2;
  return el('section', {},
    el('h3', {}, 'Time', el('span', { class: 'muted', text: durationText(answer.duration) })),
    el('div', { class: 'timing' }, rows),
    isOpen ? el('p', { class: 'muted', text: 'The request is in progress.' }) : null);
}

/** The maximum number of requests of a trace that are shown. */
const maximumTrace = 200;

/** The requests of a trace on one scale. The name of another request selects it. */
function traceParts(items, selected) {
  if (!items.length) return [];
  const [shown, depths] = byTrace(items.slice(0, maximumTrace));
  const end = (item) => item.start + (item.duration ?? 1);
  const first = Math.min(...shown.map(({ start }) => start));
  const total = Math.max(Math.max(...shown.map(end)) - first, 0.001);
  const rows = shown.flatMap((item) => {
    const [path, query] = targetOf(item);
    const text = `${item.method} ${path}${query}`;
    const name = item.id === selected ? el('b', { text, title: text })
      : button(text, () => {
        requests.list.choose(item.id);
        requestDetails.show(item, 'click');
      }, { class: 'plain', title: text, 'data-name': item.id });
    const depth = depths.get(item.id) ?? 0;
    if (depth) name.style.marginLeft = `${10 * depth}px`;
    const bar = el('u', { class: item.state === 'aborted' ? 'bad' : 'send' });
    bar.style.left = `${100 * (item.start - first) / total}%`;
    bar.style.width = `${100 * (end(item) - item.start) / total}%`;
    return [
      name, el('span', { class: 'track', 'aria-hidden': 'true' }, bar),
      el('span', { class: 'number', text: durationText(item.duration) }),
    ];
  });
  return [
    el('h3', {}, 'Trace', el('span', { class: 'muted', text: durationText(total) })),
    el('p', { class: 'muted mono', text: items[0].trace.id }),
    el('div', { class: 'timing' }, rows),
    items.length > shown.length
      ? el('p', { class: 'muted', text: `The first ${shown.length} of ${items.length} requests.` })
      : '',
  ];
}

const generalSection = (answer) => el('section', {},
  el('h3', { text: 'General' }),
  facts([
    ['Target', el('span', { class: 'mono', text: answer.url })],
    ['Arrived', timeText(answer.time, dateClock)],
    ['State', answer.state],
    ['Request body', sizeText(answer.bytesIn)],
    ['Response body', sizeText(answer.bytesOut)],
    ['Number', answer.id],
  ]));

const dateClock = new Intl.DateTimeFormat(
  undefined, { dateStyle: 'medium', timeStyle: 'medium' });

// MARK: Head and body

function messageSections(message, name) {
  if (!message) return [el('p', { class: 'muted', text: `There is no ${name} yet.` })];
  const fields = message.headers ?? [];
  const rows = fields.map((field) => el('tr', {},
    el('th', { scope: 'row', text: field.name }), el('td', { text: field.value })));
  const copied = () => fields.map((field) => `${field.name}: ${field.value}`).join('\n');
  return [
    el('section', {},
      el('h3', {}, 'Head', el('span', { class: 'space' }),
        fields.length ? button('Copy', () => copyText(copied(), 'the head')) : null),
      fields.length ? el('table', { class: 'fields' }, el('tbody', {}, rows))
        : el('p', { class: 'muted', text: 'No header fields.' })),
    bodySection(message.body ?? {}),
  ];
}

/** The maximum length of a text that is shown. Browsers need seconds for the layout of more. */
const maximumText = 300000;

function bodySection(body) {
  const isText = typeof body.text === 'string';
  const size = body.size ?? body.text?.length ?? 0;
  const summary = [body.type, sizeText(size)].filter(Boolean).join(', ');
  const heading = el('h3', {}, 'Body',
    el('span', { class: 'muted', text: summary }), el('span', { class: 'space' }));
  const section = el('section', {}, heading);
  if (!size || (!isText && !body.base64)) {
    const text = size ? 'The body was not kept.' : 'Empty.';
    section.append(el('p', { class: 'muted', text }));
    return section;
  }
  if (body.truncated) {
    const text = 'Only the start of the body was kept.';
    section.append(el('p', { class: 'note warn', text }));
  }
  if (!isText) section.append(...binaryBody(body));
  else {
    const pretty = prettyBody(body);
    const raw = el('pre', { tabindex: 0, hidden: pretty !== null });
    raw.textContent = body.text.slice(0, maximumText);
    if (pretty) {
      const toggle = button('Raw', () => {
        pretty.hidden = !pretty.hidden;
        raw.hidden = !pretty.hidden;
        toggle.setAttribute('aria-pressed', pretty.hidden);
      }, { 'aria-pressed': 'false' });
      heading.append(toggle);
      section.append(pretty);
    }
    section.append(raw);
    if (body.text.length > maximumText) {
      const text = 'Only the start of the body is shown. Copy copies all of it.';
      section.append(el('p', { class: 'note warn', text }));
    }
    heading.append(button('Copy', () => copyText(body.text, 'the body')));
  }
  return section;
}

function prettyBody({ type, text }) {
  if (/x-www-form-urlencoded/.test(type ?? '')) {
    const pairs = [...new URLSearchParams(text)].slice(0, 1000);
    return el('table', { class: 'fields' }, el('tbody', {}, pairs.map(([name, value]) =>
      el('tr', {}, el('th', { scope: 'row', text: name }), el('td', { text: value })))));
  }
  const pieces = prettyJSON(text);
  return pieces && pieces.length > 1 ? el('pre', { tabindex: 0 }, spans(pieces)) : null;
}

/** A picture, or the start of the bytes as hexadecimal digits. */
function binaryBody({ type, base64 }) {
  if (/^image\/(png|jpe?g|gif|webp|avif|svg\+xml)/.test(type ?? '')) {
    const src = `data:${type.split(';')[0]};base64,${base64}`;
    return [el('img', { class: 'preview', alt: 'The body as a picture', src })];
  }
  const bytes = [...atob(base64.slice(0, 1368))].map((character) => character.charCodeAt(0));
  const lines = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const line = bytes.slice(at, at + 16);
    const hex = line.map((byte) => byte.toString(16).padStart(2, '0')).join(' ').padEnd(47);
    const text = line.map(
      (byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : '.'));
    lines.push(`${at.toString(16).padStart(6, '0')}  ${hex}  ${text.join('')}`);
  }
  return [el('pre', { tabindex: 0, text: lines.join('\n') })];
}
