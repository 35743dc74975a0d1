
'use strict';
// All texts of the trace are set as text, never as markup.
const trace = JSON.parse(document.getElementById('data').textContent);
const list = document.getElementById('list');
const space = document.getElementById('space');
const panel = document.getElementById('details');
const HEIGHT = 26;
const GROUPS = {
  queue: 'wait', offline: 'wait', retryDelay: 'wait', refresh: 'wait', timer: 'wait',
  dns: 'setup', connect: 'setup', tls: 'setup', send: 'send', server: 'server',
  receive: 'receive', cache: 'receive', unknown: 'lost',
};
const group = (kind) => GROUPS[kind] ?? 'local';
const effects = trace.spans.map(() => []);
trace.spans.forEach((span, index) => {
  for (const cause of span.causes) effects[cause].push(index);
});
let chosen = -1;

function svg(name, attributes = {}, text) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

function html(name, text, parent) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  parent?.append(element);
  return element;
}

function timeText(nanoseconds) {
  for (const [unit, size] of [['us', 1e3], ['ms', 1e6], ['s', 1e9]]) {
    const value = nanoseconds / size;
    if (value < 999.5 || unit === 's') return nanoseconds ? `${+value.toPrecision(3)} ${unit}` : '0 ms';
  }
}

// Positions in pixels: the names are at the left, the bars at the right.
function layout() {
  const width = list.clientWidth;
  const left = Math.min(320, Math.round(width * 0.4));
  const scale = Math.max(width - left - 24, 40) / Math.max(trace.elapsed, 1);
  return { width, left, x: (time) => left + 8 + time * scale };
}

function arrow(from, to, kind, { x }) {
  const [cause, span] = [trace.spans[from], trace.spans[to]];
  const [start, end] = [x(Math.min(cause.end, span.start)), x(span.start)];
  const [top, bottom] = [from * HEIGHT + HEIGHT / 2, to * HEIGHT + HEIGHT / 2];
  const both = cause.critical && span.critical && kind === '';
  return svg('path', {
    class: `arrow ${kind} ${both ? 'critical' : ''}`,
    d: `M${start} ${top}V${bottom}H${end}m-4 -3l4 3l-4 3`,
  });
}

function row(index, { width, left, x }) {
  const span = trace.spans[index];
  const y = index * HEIGHT;
  const element = svg('g', {
    id: `span-${index}`, role: 'option', 'data-index': index, 'aria-selected': index === chosen,
    'aria-label': `${span.name}, ${timeText(span.end - span.start)}${span.critical ? ', critical' : ''}`,
    class: span.critical ? 'critical' : '',
  });
  element.append(svg('rect', { class: 'row-back', x: 0, y, width, height: HEIGHT }));
  const clip = Math.max(Math.floor((left - 84) / 7), 4);
  const name = [...span.label];
  const shown = name.length > clip ? `${name.slice(0, clip - 1).join('')}…` : span.label;
  element.append(svg('text', { class: 'name', x: 12, y: y + 17 }, shown));
  element.append(svg('text', { class: 'time', x: left, y: y + 17 }, timeText(span.end - span.start)));
  const bar = (kind, from, to) => element.append(svg('rect', {
    class: `bar ${group(kind)}`, x: x(from), y: y + 6, width: Math.max(x(to) - x(from), 1), height: 11,
  }));
  for (const part of span.parts) bar(part.kind, part.start, part.end);
  if (!span.parts.length) bar('unknown', span.start, span.end);
  for (const [from, to] of span.path) {
    element.append(svg('rect', {
      class: 'path', x: x(from), y: y + 19, width: Math.max(x(to) - x(from), 1), height: 3,
    }));
  }
  return element;
}

// Only the visible rows exist.
function draw() {
  const first = Math.max(Math.floor(list.scrollTop / HEIGHT) - 5, 0);
  const last = Math.min(Math.ceil((list.scrollTop + list.clientHeight) / HEIGHT) + 5, trace.spans.length);
  const places = layout();
  const height = trace.spans.length * HEIGHT;
  const picture = svg('svg', { height, role: 'presentation' });
  const arrows = svg('g', { 'aria-hidden': 'true' });
  for (let index = first; index < last; index += 1) {
    picture.append(row(index, places));
    const { cause, causes } = trace.spans[index];
    for (const each of causes) arrows.append(arrow(each, index, each === cause ? '' : 'joined', places));
    for (const each of effects[index].filter((other) => other >= last).slice(0, 50)) {
      arrows.append(arrow(index, each, trace.spans[each].cause === index ? '' : 'joined', places));
    }
  }
  picture.append(arrows);
  space.replaceChildren(picture);
}

function jump(title, indexes) {
  if (!indexes.length) return;
  html('h2', title, panel);
  for (const index of indexes.slice(0, 100)) {
    const button = html('button', `${trace.spans[index].id} ${trace.spans[index].label}`, panel);
    button.type = 'button';
    button.addEventListener('click', () => { choose(index); list.focus(); });
    html('br', undefined, panel);
  }
}

function facts(entries) {
  const element = html('dl', undefined, panel);
  for (const [key, value] of entries) {
    if (value === undefined || value === null) continue;
    html('dt', key, element);
    html('dd', String(value), element);
  }
}

function showDetails() {
  const span = trace.spans[chosen];
  panel.replaceChildren();
  panel.hidden = !span;
  if (!span) return;
  html('h2', `${span.id} ${span.label}`, panel);
  facts([
    ['kind', span.kind], ['outcome', span.outcome], ['site', span.site],
    ['start', timeText(span.start)], ['duration', timeText(span.end - span.start)],
    ['critical', span.critical ? 'yes' : 'no'], ['cause', span.causeText],
    ...Object.entries(span.attributes),
  ]);
  if (span.parts.length) html('h2', 'Parts', panel);
  facts(span.parts.map((part) => [
    part.words,
    timeText(part.end - part.start) + (part.attempt ? `, attempt ${part.attempt}` : '')
      + (part.hop > 1 ? `, hop ${part.hop}` : '')
      + (part.heldBy === undefined ? '' : `, held by ${part.heldBy}`),
  ]));
  span.hops.forEach((hop, number) => {
    html('h2', `Hop ${number + 1}`, panel);
    facts(Object.entries(hop));
  });
  jump('Waited for', span.causes);
  jump('Let begin', effects[chosen]);
}

function choose(index) {
  chosen = Math.min(index, trace.spans.length - 1);
  if (chosen >= 0) {
    const top = chosen * HEIGHT;
    if (top < list.scrollTop) list.scrollTop = top;
    if (top + HEIGHT > list.scrollTop + list.clientHeight) {
      list.scrollTop = top + HEIGHT - list.clientHeight;
    }
    list.setAttribute('aria-activedescendant', `span-${chosen}`);
  } else {
    list.removeAttribute('aria-activedescendant');
  }
  showDetails();
  draw();
}

function nextCritical() {
  for (let step = 1; step <= trace.spans.length; step += 1) {
    const index = (chosen + step) % trace.spans.length;
    if (trace.spans[index].critical) return index;
  }
  return chosen;
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || !trace.spans.length) return;
  const page = Math.max(Math.floor(list.clientHeight / HEIGHT) - 1, 1);
  const targets = {
    ArrowDown: () => chosen + 1, ArrowUp: () => Math.max(chosen - 1, 0),
    PageDown: () => chosen + page, PageUp: () => Math.max(chosen - page, 0),
    Home: () => 0, End: () => trace.spans.length - 1,
    ArrowLeft: () => trace.spans[chosen]?.cause ?? Math.max(chosen, 0),
    ArrowRight: () => effects[chosen]?.[0] ?? Math.max(chosen, 0),
    c: nextCritical, Escape: () => -1,
  };
  if (!Object.hasOwn(targets, event.key)) return;
  event.preventDefault();
  choose(targets[event.key]());
});
list.addEventListener('click', (event) => {
  const element = event.target.closest('[data-index]');
  if (element) choose(Number(element.dataset.index));
});
list.addEventListener('scroll', draw);
new ResizeObserver(draw).observe(list);

const failure = document.getElementById('failure');
failure.textContent = trace.failure ?? '';
failure.hidden = !trace.failure;
const legend = document.getElementById('legend');
for (const [kind, words] of Object.entries(trace.legend)) {
  const item = html('li', undefined, legend);
  const picture = svg('svg', { 'aria-hidden': 'true' });
  picture.append(svg('rect', { width: 12, height: 12, class: group(kind) }));
  item.append(picture, words);
}
space.style.height = `${trace.spans.length * HEIGHT}px`;
draw();
