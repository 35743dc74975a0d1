// The views of scenarios, resources, snapshots and the server, the keys, and the page's start.

const state = {
  async reload() {
    const [scenarios, resources, snapshots] = await Promise.all([
      api('GET', 'scenarios'), api('GET', 'resources'), api('GET', 'snapshots'),
    ]);
    keepFocus(byID('view-state'), () => {
      showItems('scenarios', scenarios.scenarios, scenarioItem, 'No stub uses a scenario.');
      showItems('variables', [scenarios.variables ?? {}], variablesItem);
      showItems('resources', resources.resources, resourceItem, 'No file has a resource.');
      showItems('snapshots', snapshots.snapshots, snapshotItem, 'No snapshots yet.');
    });
  },
};
state.reloadSoon = throttled(150, () => state.reload());

function showItems(id, items, item, empty) {
  const box = byID(id);
  const content = JSON.stringify(items ?? []);
  if (box.content === content) return;
  box.content = content;
  box.replaceChildren(
    ...(items?.length ? items.map(item) : [el('p', { class: 'muted', text: empty })]));
}

/** Replaces the content of a view. The button with the same name as before has focus again. */
function keepFocus(view, change) {
  const name = view.contains(document.activeElement) && document.activeElement.dataset.name;
  change();
  if (!name) return;
  const named = [...view.querySelectorAll('[data-name]')];
  named.find((element) => element.dataset.name === name)?.focus();
}

/** A button of an item: it changes the server's state and shows the new one. */
const stateButton = (text, name, action, options = {}) =>
  button(text, () => attempt(async () => {
    if (await action() !== 'dialog') await state.reload();
  }), { 'data-name': `${name} ${text}`, ...options });

const itemLine = (name, note) => el('div', { class: 'line' },
  el('code', { text: name }), el('span', { class: 'muted', text: note }));

function scenarioItem({ name, state: current, states }) {
  const path = `scenarios/${encodeURIComponent(name)}`;
  const known = [...new Set([...(states ?? []), current])];
  const set = (value) => api('PUT', path, value);
  const other = () => {
    const input = el('input', { autocomplete: 'off', required: true });
    openDialog({
      title: `State of ${name}`, content: field('State', input), save: 'Set',
      submit: async () => {
        await set({ state: input.value });
        await state.reload();
      },
    });
    return 'dialog';
  };
  return el('div', { class: 'item' },
    itemLine(name, current),
    el('div', { class: 'actions', role: 'group', 'aria-label': `States of ${name}` },
      known.map((each) => stateButton(each, name, () => set({ state: each }), {
        'aria-pressed': String(each === current),
      })),
      stateButton('Other…', name, other, { class: 'plain' })),
    el('div', { class: 'actions' },
      stateButton('Back to the start', name, () => api('DELETE', path))));
}

function variablesItem(variables) {
  const edit = () => {
    editJSON({
      title: 'Variables', value: variables, hint: 'Values by name.',
      submit: async (text) => {
        const values = JSON.parse(text);
        const removed = Object.keys(variables).filter((name) => !Object.hasOwn(values, name));
        const nulls = Object.fromEntries(removed.map((name) => [name, null]));
        await api('PATCH', 'variables', removed.length ? { ...nulls, ...values } : text);
        await state.reload();
      },
    });
    return 'dialog';
  };
  return el('div', { class: 'item' },
    Object.keys(variables).length ? jsonBlock(JSON.stringify(variables))
      : el('p', { class: 'muted', text: 'No variable is set.' }),
    el('div', { class: 'actions' }, stateButton('Edit variables', 'variables', edit)));
}

function resourceItem({ name, path: route, count: size }) {
  const path = `resources/${encodeURIComponent(name)}`;
  const edit = async () => {
    editJSON({
      title: `Items of ${name}`, value: await api('GET', path), hint: 'A list of all items.',
      submit: async (text) => {
        await api('PUT', path, text);
        await state.reload();
        toast('Saved.');
      },
    });
    return 'dialog';
  };
  return el('div', { class: 'item' },
    itemLine(route ?? name, count(size, 'item')),
    el('div', { class: 'actions' },
      stateButton('Edit items', name, edit),
      stateButton('Restore the initial data', name, () => api('DELETE', path))));
}

function snapshotItem({ id, time }) {
  const path = `snapshots/${encodeURIComponent(id)}`;
  return el('div', { class: 'item' },
    itemLine(id, time ? timeText(time) : ''),
    el('div', { class: 'actions' },
      stateButton('Restore', id, async () => {
        await api('POST', `${path}/restore`);
        toast('Restored.');
      }),
      stateButton('Delete', id, () => api('DELETE', path))));
}

// MARK: Server

function showServer() {
  const { name, version, url, startedAt, seed, files, proxy, recording, data } = serverInfo;
  const failures = (data ?? []).map(({ failure }) => failure).filter(Boolean);
  byID('unsaved').hidden = !failures.length;
  byID('unsaved-text').textContent =
    failures.map((failure) => `${failure}. The server tries again.`).join(' ');
  showWarnings(serverInfo.warnings ?? []);
  byID('server-name').textContent = name ?? 'mock-server';
  byID('server-url').textContent = url ?? location.origin;
  document.title = `${name ?? 'mock-server'} ${location.host}`;
  facts([
    ['Version', version], ['Address', url],
    ['Started', startedAt && timeText(startedAt, dateClock)],
    ['Seed', seed === null || seed === undefined ? null : String(seed)],
    ['Files', files?.length ? files.join(', ') : 'none'],
    ['Proxy', valueText(proxy) || 'none'], ['Recording', valueText(recording) || 'none'],
    ['Data', failures.join(', ') || (data ?? []).map(({ file }) => file).join(', ') || 'none'],
  ], byID('server-info'));
}

/** The warnings about the files, which are in the state, too, if a resource keeps nothing. */
function showWarnings(warnings) {
  byID('warnings').hidden = !warnings.length;
  byID('warning-list').replaceChildren(...warnings.map((text) => el('li', { text })));
  const link = button(`Show ${count(warnings.length, 'warning')}`, () => selectView('server'));
  byID('state-warnings').replaceChildren(...(warnings.length ? [link] : []));
}

async function showSettings() {
  const settings = await api('GET', 'settings');
  const fields = faultFields(settings, 'all routes');
  const chance = el('input', { type: 'number', min: 0, max: 100, step: 'any' });
  chance.placeholder = 'as defined';
  if (typeof settings.faultChance === 'number') {
    chance.value = +(settings.faultChance * 100).toFixed(4);
  }
  const form = byID('settings-form');
  const apply = el('button', { class: 'primary', text: 'Apply to all routes' });
  form.replaceChildren(
    ...fields.elements, field('Chance of the fault in %', chance),
    el('p', { class: 'actions' }, apply));
  form.onsubmit = (event) => {
    event.preventDefault();
    attempt(() => api('PATCH', 'settings', {
      delay: fields.delay(), fault: fields.fault(),
      faultChance: chance.value === '' ? null : Number(chance.value) / 100,
    }), 'Applied to all routes.');
  };
}

/** Shows settings that another client has changed, unless somebody edits them here. */
function refreshSettings() {
  const isEdited = byID('settings-form').contains(document.activeElement);
  if (currentView === 'server' && !isEdited) attempt(showSettings);
}

function setUpServer() {
  byID('take-snapshot').addEventListener('click', () => attempt(async () => {
    await api('POST', 'snapshots');
    await state.reload();
  }, 'Took a snapshot.'));
  byID('reset-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const chosen = [...event.target.elements].filter((box) => box.checked);
    const parts = chosen.map((box) => box.name);
    if (!parts.length) {
      toast('Choose what to reset.', true);
      return;
    }
    attempt(async () => {
      await api('POST', 'reset', Object.fromEntries(parts.map((part) => [part, true])));
      await Promise.all([loadEverything(), showSettings()]);
    }, `Reset: ${parts.join(', ')}.`);
  });
  byID('shutdown').addEventListener('click', () => confirmThen(
    'Shut down the server?', 'The program ends. This page connects again when it is back.',
    'Shut down', () => api('POST', 'shutdown', { instance: serverInfo.instance })));
}

// MARK: Views and keys

const viewNames = ['requests', 'stubs', 'state', 'server'];
let currentView = 'requests';
let chooseView;

const selectView = (name) => chooseView(viewNames.indexOf(name));

/** The element that has the focus when no other has it. */
const mainFocus = () =>
  ({ requests: byID('request-list'), stubs: byID('stub-list') })[currentView]
    ?? byID(`tab-${currentView}`);

function showView(index) {
  currentView = viewNames[index];
  for (const name of viewNames) byID(`view-${name}`).hidden = name !== currentView;
  if (currentView === 'requests') requests.schedule();
  if (currentView === 'stubs') stubs.list.draw();
  if (currentView === 'state') attempt(() => state.reload());
  if (currentView === 'server') attempt(showSettings);
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (document.querySelector('dialog')) return;
  const { target, key } = event;
  if (target.matches('input:not([type="checkbox"]), textarea, select')) {
    if (key !== 'Escape' || target.type !== 'search') return;
    event.preventDefault();
    if (target.value === '') mainFocus().focus();
    target.value = '';
    target.dispatchEvent(new Event('input'));
    return;
  }
  const list = { requests: requests.list, stubs: stubs.list }[currentView];
  if (list && target === document.body && /^(Arrow(Up|Down)|Page|Home|End)/.test(key)) {
    list.box.focus();
    list.pressed(event);
    return;
  }
  const pane = currentView === 'stubs' ? stubDetails.pane : requestDetails.pane;
  if (key === 'Escape' && !pane.pane.hidden) {
    pane.close();
    return;
  }
  if (preferences.get('letters', 'on') !== 'on') return;
  const click = (element) => {
    if (element && !element.disabled && !element.hidden) element.click();
  };
  const inRequests = currentView === 'requests';
  const details = inRequests ? requestDetails : currentView === 'stubs' ? stubDetails : null;
  const action = (name) => () => {
    if (details && !details.pane.pane.hidden) click(details.buttons[name]);
  };
  const actions = {
    '?': showHelp,
    '/': () => byID(currentView === 'stubs' ? 'stub-filter' : 'filter-text').focus(),
    u: () => inRequests && click(byID('filter-unmatched')),
    p: () => inRequests && click(byID('pause')),
    t: () => inRequests && click(byID('group')),
    n: () => newStub(),
    s: action('stub'), e: action('edit'), d: action('fault'), c: action('curl'),
  };
  if (/^[1-4]$/.test(key)) {
    selectView(viewNames[key - 1]);
    mainFocus().focus();
  } else if (Object.hasOwn(actions, key)) {
    if (key === '/' && currentView !== 'stubs') selectView('requests');
    actions[key]();
  } else return;
  event.preventDefault();
}

// MARK: Start

requests.filter.words = null;
requestDetails.setUp();
stubDetails.setUp();
setUpRequests();
setUpStubs();
setUpServer();
makeAdjustable(byID('request-handle'), byID('request-split'));
makeAdjustable(byID('stub-handle'), byID('stub-split'));
chooseView = tabList(viewNames.map((name) => byID(`tab-${name}`)), showView);
selectView('requests');
byID('help').addEventListener('click', showHelp);
byID('server-url').addEventListener(
  'click', () => copyText(byID('server-url').textContent, 'the address'));
byID('banner-retry').addEventListener('click', () => connection.open());
document.addEventListener('keydown', pressed);
window.addEventListener('pageshow', (event) => { if (event.persisted) connection.open(); });
connection.open();
