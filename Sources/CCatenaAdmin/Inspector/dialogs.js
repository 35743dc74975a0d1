// Dialogs. The element `dialog` keeps focus inside, closes with Escape and returns focus.

/**
 * Opens a dialog with a form.
 *
 * @param submit Called when the user saves. The dialog closes when it returns, and shows the
 *   message of an error. Without it, the dialog has only the button to close.
 * @param isDirty Returns whether closing would lose input. The first Escape then warns.
 */
function openDialog({
  title, content, submit, save = 'Save', danger, wide, isDirty, tools = [],
}) {
  const heading = el('h2', { text: title, id: 'dialog-title' });
  const error = el('p', { class: 'error', role: 'alert', hidden: true });
  const dialog = el('dialog', { class: wide ? 'wide' : '', 'aria-labelledby': 'dialog-title' });
  const opener = document.activeElement;
  const close = () => dialog.close();
  const saveButton = submit
    && el('button', { class: danger ? 'danger' : 'primary', text: save });
  const form = el('form', {}, heading, content, error, el('footer', {},
    tools, tools.length ? el('span', { class: 'space' }) : null,
    button(submit ? 'Cancel' : 'Close', close, submit ? {} : { autofocus: true }), saveButton));
  const showError = (text) => {
    error.hidden = false;
    error.textContent = text;
  };
  let isWarned = false;
  dialog.addEventListener('cancel', (event) => {
    if (!isDirty?.() || isWarned) return;
    event.preventDefault();
    isWarned = true;
    showError('Press Escape again to discard the changes.');
  });
  form.addEventListener('input', () => { isWarned = false; });
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (!submit || saveButton.disabled) return;
    saveButton.disabled = true;
    try {
      await submit();
      close();
    } catch (problem) {
      showError(problem.message);
      dialog.dispatchEvent(new CustomEvent('refused', { detail: problem }));
    } finally {
      saveButton.disabled = false;
    }
  });
  dialog.addEventListener('close', () => {
    dialog.remove();
    // The element that opened the dialog may have been replaced.
    const target = opener?.isConnected ? opener : mainFocus();
    if (document.activeElement === document.body) target.focus();
  });
  dialog.append(form);
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Asks before something is lost. */
const confirmThen = (title, text, save, submit) =>
  openDialog({ title, content: el('p', { text }), save, submit, danger: true });

/** Shows a text to copy by hand. */
function showText(title, text) {
  const area = el('textarea', { readonly: true, spellcheck: 'false', 'aria-label': title });
  area.value = text;
  openDialog({ title, content: area, wide: true });
  area.focus();
  area.select();
}

// MARK: Delay and fault

const faultTypes = {
  '': 'As defined', none: 'No fault',
  close: 'Close the connection', reset: 'Reset the connection', stall: 'Send nothing more',
  garbage: 'Send garbage', malformedChunk: 'Send a malformed chunk',
};
const faultStages = {
  request: 'Before the head', head: 'In the head', body: 'In the body', end: 'After the body',
};

const selectOf = (options, value, attributes) => {
  const select = el('select', attributes,
    Object.entries(options).map(([key, text]) => el('option', { value: key, text })));
  select.value = value;
  return select;
};

function field(label, control, hint) {
  control.id ||= `field-${field.count = (field.count ?? 0) + 1}`;
  return el('div', { class: 'field' },
    el('label', { for: control.id, text: label }), control,
    hint ? el('small', { text: hint }) : null);
}

/**
 * The fields for a delay and a fault, which replace those of a definition.
 *
 * @returns The elements, and functions that return the values as in a stub file. They throw for
 *   texts that are no JSON; the server checks the rest.
 */
function faultFields({ delay, fault }, named = '') {
  const old = fault && typeof fault === 'object' ? fault : { type: fault ?? '' };
  const delayField = el('input', {
    class: 'mono', autocomplete: 'off', spellcheck: 'false', placeholder: 'as defined',
  });
  delayField.value = valueText(delay);
  const presets = ['As defined', '0 ms', '200 ms', '1 s', '5 s'].map((text) =>
    button(text, () => {
      delayField.value = text === 'As defined' ? '' : text;
      delayField.focus();
    }));
  const type = selectOf(faultTypes, old.type ?? '', {});
  const stage = selectOf(faultStages, old.at ?? 'request', {});
  const bytes = el('input', { type: 'number', min: 0, step: 1 });
  bytes.value = old.afterBytes ?? 0;
  const chance = el('input', { type: 'number', min: 0, max: 100, step: 'any' });
  chance.value = +((old.chance ?? 1) * 100).toFixed(4);
  const rest = [field('At', stage), field('After bytes', bytes)];
  if (!named) rest.push(field('Chance in %', chance));
  const update = () => {
    const hasFault = !['', 'none'].includes(type.value);
    for (const control of [stage, chance]) control.disabled = !hasFault;
    bytes.disabled = !hasFault || !['head', 'body'].includes(stage.value);
  };
  type.addEventListener('change', update);
  stage.addEventListener('change', update);
  update();
  return {
    elements: [
      field('Delay', delayField, '"80 ms" or "1.5 s", or {"from": "80 ms", "to": "300 ms"}'),
      el('div', { class: 'actions', role: 'group', 'aria-label': 'Delays' }, presets),
      field('Fault', type),
      el('div', { class: 'columns' }, rest),
    ],
    delay() {
      const text = delayField.value.trim();
      if (!text) return null;
      if (text[0] !== '{') return text.replace(/^"|"$/g, '');
      try {
        return JSON.parse(text);
      } catch {
        throw new Error('The delay is no JSON object.');
      }
    },
    fault() {
      if (['', 'none'].includes(type.value)) return type.value || null;
      const value = { type: type.value };
      if (stage.value !== 'request') value.at = stage.value;
      if (!bytes.disabled && Number(bytes.value) > 0) value.afterBytes = Number(bytes.value);
      if (!named && Number(chance.value) < 100) value.chance = Number(chance.value) / 100;
      if (old.text !== undefined && old.type === value.type) value.text = old.text;
      return Object.keys(value).length === 1 ? value.type : value;
    },
  };
}

function editFaults(stub) {
  if (!stub) return;
  const fields = faultFields(stub);
  openDialog({
    title: `Delay or fault of ${stubs.label(stub.id)}`,
    content: el('div', { class: 'stack' }, fields.elements),
    save: 'Apply',
    submit: async () => {
      const change = { delay: fields.delay(), fault: fields.fault() };
      await api('PATCH', `stubs/${encodeURIComponent(stub.id)}`, change);
      await stubs.reload();
      toast(change.delay || change.fault ? 'Applied.' : 'The route responds as defined.');
    },
  });
}

// MARK: Help

const keys = [
  ['↑ ↓ Home End', 'Move in a list'],
  ['Page Up Page Down', 'Move by a page'],
  ['Enter', 'Open the details'],
  ['Escape', 'Close the details or a dialog'],
  ['Tab', 'Move to the next control'],
  ['1 2 3 4', 'Requests, stubs, state, server'],
  ['/', 'Filter by text; a word with - in front excludes'],
  ['u', 'Show unmatched requests only'],
  ['p', 'Pause or resume'],
  ['t', 'Show the requests of a trace together'],
  ['s', 'Make a stub of the selected request'],
  ['e', 'Edit the stub of the selected request, or the selected stub'],
  ['d', 'Add a delay or a fault to its route'],
  ['c', 'Copy the selected request as a curl command'],
  ['n', 'New stub'],
  ['Ctrl Enter', 'Save in a dialog'],
  ['Ctrl Space', 'Complete a name in the editor of a stub'],
  ['?', 'This help'],
];

function showHelp() {
  if (document.querySelector('dialog')) return;
  const names = keys.flatMap(([key, text]) => {
    const parts = key.replace(/Page (Up|Down)/g, 'Page_$1').split(' ');
    return [
      el('dt', {}, parts.flatMap((part) => [el('kbd', { text: part.replace('_', ' ') }), ' '])),
      el('dd', { text }),
    ];
  });
  const box = el('input', { type: 'checkbox', id: 'letter-keys' });
  box.checked = preferences.get('letters', 'on') === 'on';
  box.addEventListener(
    'change', () => preferences.set('letters', box.checked ? 'on' : 'off'));
  openDialog({
    title: 'Keys', wide: true,
    content: [
      el('dl', { class: 'keys' }, names),
      el('label', {}, box, 'Use single characters as keys'),
    ],
  });
}
