// Elements and texts. Data reaches the page only as text nodes and attributes set by the DOM:
// the page never parses them as markup, so a path such as `<img src=x onerror=...>` stays text.

const byID = (id) => document.getElementById(id);

/**
 * Creates an element.
 *
 * @param name The tag.
 * @param options Attributes. `class` and `text` are properties, `on...` are listeners, and
 *   `false`, `null` and `undefined` leave an attribute out.
 * @param children Elements and texts. Empty ones are left out.
 */
function el(name, options = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(options)) {
    if (value === false || value === null || value === undefined) continue;
    if (key === 'text') element.textContent = value;
    else if (key === 'class') element.className = value;
    else if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

const button = (text, onclick, options = {}) =>
  el('button', { type: 'button', text, onclick, ...options });

/** A definition list of pairs. Pairs without a value are left out. */
function facts(pairs, list = el('dl', { class: 'facts' })) {
  const known = pairs.filter(([, value]) => (value ?? '') !== '');
  list.replaceChildren(
    ...known.flatMap(([name, value]) => [el('dt', { text: name }), el('dd', {}, value)]));
  return list;
}

// MARK: Texts

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3,
  hour12: false,
});

function timeText(time, format = clock) {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time ?? '') : format.format(date);
}

function durationText(ms) {
  if (typeof ms !== 'number') return '';
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60000 ? `${(ms / 1000).toFixed(2)} s` : `${(ms / 60000).toFixed(1)} min`;
}

function sizeText(bytes) {
  if (typeof bytes !== 'number') return '';
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

const count = (number, noun) =>
  `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;

/** The size of a list and of its shown part. */
const partText = (shown, all, noun) =>
  shown === all ? count(all, noun) : `${shown.toLocaleString('en')} of ${count(all, noun)}`;

/** A member of a stub file as text: a string as it is, other values as JSON. */
const valueText = (value) =>
  value === null || value === undefined ? ''
    : typeof value === 'string' ? value : JSON.stringify(value);

function faultText(fault) {
  if (!fault || typeof fault === 'string') return fault ?? '';
  const bytes = fault.afterBytes ? ` after ${fault.afterBytes} B` : '';
  const chance = fault.chance < 1 ? `, ${+(fault.chance * 100).toFixed(1)} %` : '';
  return `${fault.type} at ${fault.at ?? 'request'}${bytes}${chance}`;
}

/** The path and the query of a request, as sent. */
function targetOf(item) {
  const url = String(item.url ?? '');
  const path = String(item.path ?? url);
  const mark = url.indexOf('?');
  return mark < 0 || path.includes('?') ? [path, ''] : [path, url.slice(mark).split('#')[0]];
}

// MARK: JSON

const jsonToken = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const maximumTokens = 20000;

/**
 * Formats a JSON text for people, without a change of its numbers, member order and duplicates.
 *
 * @returns Pieces `[class, text]`, or `null` if the text is no JSON or too long.
 */
function prettyJSON(text) {
  try { JSON.parse(text); } catch { return null; }
  const tokens = text.match(jsonToken) ?? [];
  if (tokens.length > maximumTokens) return null;
  const pieces = [];
  let depth = 0;
  const line = () => pieces.push(['', '\n' + '  '.repeat(Math.min(depth, 100))]);
  tokens.forEach((token, index) => {
    const next = tokens[index + 1];
    if (token === '{' || token === '[') {
      depth += 1;
      pieces.push(['', token]);
      if (next !== '}' && next !== ']') line();
    } else if (token === '}' || token === ']') {
      depth -= 1;
      if (!['{', '['].includes(tokens[index - 1])) line();
      pieces.push(['', token]);
    } else if (token === ',') {
      pieces.push(['', ',']);
      line();
    } else if (token === ':') pieces.push(['', ': ']);
    else if (token[0] === '"') pieces.push([next === ':' ? 'key' : 'string', token]);
    else pieces.push([/^[-\d]/.test(token) ? 'number-value' : 'word', token]);
  });
  return pieces;
}

const spans = (pieces) =>
  pieces.map(([name, text]) => (name ? el('span', { class: name, text }) : text));

/** A block of JSON with colours, or of plain text. */
function jsonBlock(text) {
  const pieces = prettyJSON(text);
  return el('pre', { tabindex: 0 }, pieces ? spans(pieces) : text);
}

// MARK: Differences

/**
 * Compares two texts word by word.
 *
 * Long texts are compared by their common start and end only, which bounds the time.
 *
 * @returns For each text its pieces `[same, text]`.
 */
function differences(left, right) {
  const words = (text) => text.match(/\w+|\s+|[^\w\s]/gu) ?? [];
  const [a, b] = [words(left), words(right)];
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [restA, restB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  let [keptA, keptB] = commonWords(restA, restB);
  // Common quotes and commas alone would only make the marks harder to read.
  if (![...keptA].some((index) => /\w/.test(restA[index]))) keptA = keptB = new Set();
  const pieces = (all, rest, kept) => [
    ...all.slice(0, start).map((word) => [true, word]),
    ...rest.map((word, index) => [kept.has(index), word]),
    ...all.slice(all.length - end).map((word) => [true, word]),
  ];
  return [pieces(a, restA, keptA), pieces(b, restB, keptB)];
}

/** The positions of a longest common sequence of words in both lists. */
function commonWords(a, b) {
  const kept = [new Set(), new Set()];
  if (a.length * b.length > 60000) return kept;
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const at = i * width + j;
      lengths[at] = a[i] === b[j] ? lengths[at + width + 1] + 1
        : Math.max(lengths[at + width], lengths[at + 1]);
    }
  }
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) { kept[0].add(i++); kept[1].add(j++); }
    else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) i += 1;
    else j += 1;
  }
  return kept;
}

/** Marks the pieces that differ. */
function markedText(pieces, name) {
  const parts = [];
  for (const [same, text] of pieces) {
    const last = parts.at(-1);
    if (last && last[0] === same) last[1] += text;
    else parts.push([same, text]);
  }
  return parts.map(([same, text]) => (same ? text : el('mark', { class: name, text })));
}
