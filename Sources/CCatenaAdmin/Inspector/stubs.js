// The list of stubs, and the editor of a stub.

const sourceText = ({ source }) =>
  source ? [source.file, source.line].filter(Boolean).join(':') : '';

const stubs = {
  items: [],
  byID: new Map(),
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
    this.list.show(shown);
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

  /** Shows a stub in its view. */
  open(id) {
    selectView('stubs');
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

function fillStub(stub, row) {
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
    const stub = stubs.get(this.id);
    if (!stub) {
      this.pane.close();
      return;
    }
    const { buttons, pane } = this;
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
};

// MARK: Changes

const stubHint = 'Members: method, path, when, status, headers, json or text, delay, fault, '
  + 'scenario, times. Ctrl Enter saves.';

/** Opens the editor with a stub that would respond to a request. */
async function makeStub(item) {
  const answer = await api('POST', `requests/${encodeURIComponent(item.id)}/stub`);
  newStub(answer.definition, 'Stub of this request');
}

function newStub(definition, title = 'New stub') {
  const example = { method: 'GET', path: '/hello', status: 200, json: { message: 'Hello' } };
  editJSON({
    title, hint: stubHint, save: 'Add the stub', value: definition ?? example,
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
    title: `Edit ${stubs.label(stub.id)}`, hint: stubHint, value: stub.definition,
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
