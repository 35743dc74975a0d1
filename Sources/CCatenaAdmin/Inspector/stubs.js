// The list of stubs, and the editor of a stub.

const sourceText = ({ source }) =>
  source ? [source.file, source.line].filter(Boolean).join(':') : '';

const stubs = {
  items: [],
  byID: new Map(),
  /** The resources in the list, by the identifiers of their rows. */
  resources: new Map(),
  /** The paths of the resources whose routes are rows, too. */
  expanded: new Set(),
  words: [],
  revision: 0,

  async reload() {
    const load = this.load = (this.load ?? 0) + 1;
    const loaded = await allStubs();
    if (load !== this.load) return;
    this.revision += 1;
    this.items = loaded.map((stub) => ({
      ...stub, id: String(stub.id), revision: this.revision,
      text: [stub.method, stub.path, stub.description, sourceText(stub), changesOf(stub)]
        .join(' ').toLowerCase(),
    }));
    this.byID = new Map(this.items.map((stub) => [stub.id, stub]));
    this.show();
    requests.list.invalidate();
    const item = requestDetails.item;
    if (item) requestDetails.drawHead(item);
  },

  get(id) { return this.byID.get(String(id)); },

  /** The method and the path of a stub. */
  label(id) {
    if (id === null || id === undefined) return '';
    const stub = this.get(id);
    return stub ? `${stub.method ?? 'any'} ${stub.path}` : `stub ${id}`;
  },

  show() {
    const shown = this.items.filter(
      ({ text }) => this.words.every((word) => text.includes(word)));
    this.list.show(this.rows(shown));
    const all = this.items.length;
    byID('stub-count').textContent = partText(shown.length, all, 'stub');
    const empty = byID('stub-empty');
    const advice = 'Start the program with a stub file, or add a stub here.';
    empty.hidden = shown.length > 0;
    empty.replaceChildren(
      el('strong', { text: all ? 'No stub matches the filter' : 'No stubs yet' }),
      el('span', { text: all ? '' : advice }));
    stubDetails.draw();
  },

  /** The rows of stubs: one for each resource, and one for each other stub. */
  rows(shown) {
    const groups = new Map();
    for (const stub of shown) {
      if (stub.resource) groups.set(stub.resource, [...(groups.get(stub.resource) ?? []), stub]);
    }
    this.resources = new Map();
    return shown.flatMap((stub) => {
      const members = groups.get(stub.resource) ?? [];
      if (members.length < 2) return [stub];
      const isExpanded = this.expanded.has(stub.resource);
      if (stub !== members[0]) return isExpanded ? [stub] : [];
      const row = {
        id: `resource ${stub.resource}`, revision: this.revision, resource: stub.resource,
        stubs: members, hits: members.reduce((sum, each) => sum + (each.hits ?? 0), 0),
      };
      this.resources.set(row.id, row);
      return isExpanded ? [row, stub] : [row];
    });
  },

  /** Shows the routes of a resource as rows, or hides them. */
  expand(resource, isExpanded) {
    if (isExpanded) this.expanded.add(resource);
    else this.expanded.delete(resource);
    this.show();
  },

  /** Shows a stub in its view. */
  open(id) {
    selectView('stubs');
    const { resource } = this.get(id) ?? {};
    if (resource && !this.expanded.has(resource)) this.expand(resource, true);
    if (!this.list.items.some((stub) => stub.id === String(id))) {
      byID('stub-filter').value = '';
      this.words = [];
      this.show();
    }
    this.list.box.focus();
    this.list.choose(String(id), 'click');
  },
};
stubs.reloadSoon = throttled(150, () => stubs.reload());
/** Refreshes the hits while they are visible. */
stubs.hitSoon = throttled(2000, () => (currentView === 'stubs' ? stubs.reload() : null));

const changesOf = (stub) => [
  stub.enabled === false && 'off',
  stub.delay && `delay ${valueText(stub.delay)}`,
  stub.fault && `fault ${faultText(stub.fault)}`,
].filter(Boolean).join(', ');

/** The part of a description after the method and the path, which tells equal routes apart. */
function conditionsOf(stub) {
  const start = `${stub.method ?? ''} ${stub.path}`.trim();
  const text = stub.description ?? '';
  return text.startsWith(start) ? text.slice(start.length) : text && ` ${text}`;
}

/** Fills the row of a resource: the number and the methods of its routes. */
function fillResource(resource, row) {
  const methods = [...new Set(resource.stubs.map(({ method }) => method ?? 'any'))].join(' ');
  const routes = count(resource.stubs.length, 'route');
  const changed = resource.stubs.filter(changesOf).length;
  const changes = changed ? `${count(changed, 'route')} changed` : '';
  row.setAttribute('aria-label', `resource ${resource.resource}, ${routes}, `
    + `${count(resource.hits, 'hit')}${changes ? `, ${changes}` : ''}`);
  row.replaceChildren(
    el('span', { class: 'method', text: 'REST' }),
    el('span', { class: 'path', title: `${routes}: ${methods}` },
      resource.resource, el('i', { text: `  ${routes}: ${methods}` })),
    el('span', { class: 'notes', title: changes, text: changes }),
    el('span', { class: 'duration', text: resource.hits.toLocaleString('en') }),
    el('span', { class: 'stub', text: sourceText(resource.stubs[0]) }));
}

function fillStub(stub, row) {
  if (stub.stubs) {
    fillResource(stub, row);
    return;
  }
  const changes = changesOf(stub);
  const isOff = stub.enabled === false;
  row.classList.toggle('off', isOff);
  row.setAttribute('aria-label', `${stubs.label(stub.id)}, ${count(stub.hits ?? 0, 'hit')}`
    + (changes ? `, ${changes}` : ''));
  row.replaceChildren(
    el('span', { class: 'method', text: stub.method ?? 'any' }),
    el('span', { class: 'path', title: stub.description || stub.path },
      stub.path, el('i', { text: conditionsOf(stub) })),
    el('span', { class: 'notes', title: changes, text: changes }),
    el('span', { class: 'duration', text: (stub.hits ?? 0).toLocaleString('en') }),
    el('span', { class: 'stub', text: sourceText(stub) }));
}

const stubDetails = {
  id: null,

  setUp() {
    const run = (action) => () => attempt(() => action(stubs.get(this.id)));
    this.buttons = {
      edit: button('Edit', run(editStub), { title: 'Edit the stub (e)' }),
      fault: button('Delay or fault', run(editFaults), {
        title: 'Add a delay or a fault (d)',
      }),
      toggle: button('Turn off', run(toggleStub)),
      duplicate: button('Duplicate', run((stub) => newStub(stub.definition))),
      remove: button('Delete', run(removeStub), { class: 'danger' }),
      rows: button('', () => {
        const { resource } = stubs.resources.get(this.id);
        stubs.expand(resource, !stubs.expanded.has(resource));
      }),
    };
    this.pane = new DetailsPane(
      byID('stub-details'), byID('stub-handle'), () => stubs.list, this.buttons);
  },

  show(stub, opens) {
    if (!stub || (narrow.matches && !opens)) return;
    this.id = stub.id;
    this.pane.open(opens);
    this.pane.panel.scrollTop = 0;
    this.draw();
  },

  draw() {
    if (this.pane.pane.hidden) return;
    const { buttons, pane } = this;
    const resource = stubs.resources.get(this.id);
    for (const [name, each] of Object.entries(buttons)) {
      each.hidden = (name === 'rows') !== Boolean(resource);
    }
    if (resource) {
      this.drawResource(resource);
      return;
    }
    const stub = stubs.get(this.id);
    if (!stub) {
      this.pane.close();
      return;
    }
    const isOff = stub.enabled === false;
    pane.title.textContent = stubs.label(stub.id);
    pane.badge.textContent = isOff ? 'off' : 'on';
    pane.badge.className = `badge ${isOff ? 's4' : 's2'}`;
    buttons.edit.disabled = buttons.duplicate.disabled = !stub.definition;
    buttons.toggle.textContent = isOff ? 'Turn on' : 'Turn off';
    pane.panel.replaceChildren(
      facts([
        ['Description', stub.description],
        ['Delay', valueText(stub.delay)],
        ['Fault', faultText(stub.fault)],
        ['Hits', (stub.hits ?? 0).toLocaleString('en')],
        ['Source', sourceText(stub)],
        ['Identifier', stub.id],
      ]),
      el('section', {},
        el('h3', { text: 'Definition' }),
        stub.definition ? jsonBlock(JSON.stringify(stub.definition))
          : el('p', { class: 'muted', text: 'A resource, or Swift code.' })));
  },

  drawResource({ resource, stubs: members, hits }) {
    const { buttons, pane } = this;
    pane.title.textContent = resource;
    pane.badge.textContent = 'resource';
    pane.badge.className = 'badge s3';
    buttons.rows.textContent = stubs.expanded.has(resource)
      ? 'Hide the routes in the list' : 'Show the routes in the list';
    const notes = (stub) => [count(stub.hits ?? 0, 'hit'), changesOf(stub)].filter(Boolean);
    const row = (stub) => el('tr', {},
      el('th', { scope: 'row' }, button(stubs.label(stub.id), () => stubs.open(stub.id), {
        class: 'plain mono', title: 'Show the route',
      })),
      el('td', { text: notes(stub).join(', ') }));
    pane.panel.replaceChildren(
      facts([
        ['Routes', String(members.length)], ['Hits', hits.toLocaleString('en')],
        ['Source', sourceText(members[0])],
      ]),
      el('section', {},
        el('h3', { text: 'Routes' }),
        el('table', {}, el('tbody', {}, members.map(row)))),
      el('p', {}, button('Show the items', () => selectView('state'))));
  },
};

// MARK: Changes

/** The hint, the check and the completion of the editor of a stub. */
const stubEditor = {
  hint: 'Members: method, path, when, status, headers, json or text, delay, fault, '
    + 'scenario, times. Ctrl Space completes, and Ctrl Enter saves.',
  check: (text, signal) => api('POST', 'stubs?check=true', text, signal),
  suggest: stubSuggestions,
};

/** Opens the editor with a stub that would respond to a request. */
async function makeStub(item) {
  const answer = await api('POST', `requests/${encodeURIComponent(item.id)}/stub`);
  newStub(answer.definition, 'Stub of this request');
}

function newStub(definition, title = 'New stub') {
  const example = { method: 'GET', path: '/hello', status: 200, json: { message: 'Hello' } };
  editJSON({
    title, ...stubEditor, save: 'Add the stub', value: definition ?? example,
    submit: async (text) => {
      const answer = await api('POST', 'stubs', text);
      await stubs.reload();
      const added = answer.stubs?.[0];
      toast(added ? `Added ${stubs.label(added.id)}.` : 'Added.');
      if (added && currentView === 'stubs') stubs.list.choose(String(added.id));
    },
  });
}

function editStub(stub) {
  if (!stub?.definition) return;
  editJSON({
    title: `Edit ${stubs.label(stub.id)}`, ...stubEditor, value: stub.definition,
    submit: async (text) => {
      await api('PUT', `stubs/${encodeURIComponent(stub.id)}`, text);
      await stubs.reload();
      toast('Saved. Files are not changed.');
    },
  });
}

async function toggleStub(stub) {
  const enabled = stub.enabled === false;
  await api('PATCH', `stubs/${encodeURIComponent(stub.id)}`, { enabled });
  await stubs.reload();
}

function removeStub(stub) {
  const text = 'The stub is removed until the files are loaded again.';
  confirmThen(`Delete ${stubs.label(stub.id)}?`, text, 'Delete', async () => {
    await api('DELETE', `stubs/${encodeURIComponent(stub.id)}`);
    await stubs.reload();
  });
}

function setUpStubs() {
  stubs.list = new VirtualList(byID('stub-list'), {
    fill: fillStub, select: (stub, opens) => stubDetails.show(stub, opens),
  });
  byID('stub-filter').addEventListener('input', (event) => {
    stubs.words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    stubs.show();
  });
  byID('new-stub').addEventListener('click', () => newStub());
}
