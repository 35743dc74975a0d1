// The editor of a JSON text: the check while it is typed, and the completion of names and values.

const responseNames = [
  'status', 'headers', 'json', 'text', 'base64', 'file', 'folder', 'problem', 'events', 'lines',
  'every', 'repeat', 'delay', 'bodyDelay', 'bytesPerSecond', 'dribble', 'fault', 'interim',
  'trailers', 'template', 'let', 'webhook', 'changes',
];
const routeNames = [
  'id', 'method', 'path', 'when', 'scenario', 'set', 'increment', 'priority', 'times', 'sequence',
  'afterLast', 'oneOf', 'proxy', 'rateLimit', 'comment', ...responseNames,
];
const whenNames = [
  'query', 'headers', 'form', 'cookies', 'text', 'json', 'jsonEquals', 'jsonPath', 'jsonSchema', 'parts',
  'variables', 'if', 'any', 'all', 'not',
];
/** The names of members by the name of their object. */
const objectNames = {
  when: whenNames, any: whenNames, all: whenNames, not: whenNames,
  sequence: responseNames, oneOf: ['weight', ...responseNames],
  fault: ['type', 'at', 'afterBytes', 'chance', 'text'],
  scenario: ['name', 'when', 'then'],
  delay: ['from', 'to', 'median', 'sigma', 'cap'],
  bodyDelay: ['from', 'to', 'median', 'sigma', 'cap'],
  dribble: ['pieces', 'over'],
  webhook: [
    'url', 'method', 'headers', 'json', 'text', 'after', 'retries', 'backoff', 'secret', 'hmac',
    'allow', 'if', 'comment',
  ],
  changes: ['resource', 'create', 'update', 'with', 'delete', 'each', 'if', 'as', 'comment'],
};
/** The objects whose members have any names, and values that are conditions. */
const namedConditions = ['query', 'headers', 'form', 'cookies', 'text', 'parts'];
const conditionNames = ['equals', 'contains', 'matches', 'exists'];
const faultNames = ['close', 'reset', 'stall', 'garbage', 'malformedChunk'];
/** The values of members by their names. */
const memberValues = {
  method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
  fault: faultNames, 'fault.type': faultNames, 'fault.at': ['request', 'head', 'body', 'end'],
  afterLast: ['repeats', 'fails'],
};

/**
 * The place of a caret in the text of a stub.
 *
 * @returns The names of the objects around it, whether it is in a name, the name of the member of
 *   a value, and the start of the string. `null` outside of strings.
 */
function jsonContext(text, at) {
  const levels = [];
  for (let index = 0; index < at;) {
    const level = levels.at(-1);
    const character = text[index];
    if (character === '"') {
      let end = index + 1;
      while (end < at && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
      const isName = Boolean(level?.isObject && !level.hasColon);
      if (end >= at) {
        const path = levels.slice(0, -1).map(({ isObject, name }) => (isObject ? name : '*'));
        if (path[0] === 'routes') path.splice(0, 2);
        return { path, isName, member: level?.name, start: index + 1 };
      }
      if (isName) level.name = text.slice(index + 1, end);
      index = end + 1;
      continue;
    }
    if (character === '{' || character === '[') levels.push({ isObject: character === '{' });
    else if (character === '}' || character === ']') levels.pop();
    else if (level && character === ':') level.hasColon = true;
    else if (level && character === ',') level.hasColon = false;
    index += 1;
  }
  return null;
}

/** The names or the values of a stub that may be at the caret. */
function stubSuggestions({ path, isName, member }) {
  const names = path.filter((name) => name !== '*');
  const [parent, name] = names.slice(-2);
  const last = name ?? parent;
  if (!isName) {
    const isResponse = !names.length || ['sequence', 'oneOf'].includes(last);
    return memberValues[`${last}.${member}`] ?? (isResponse && memberValues[member]) ?? [];
  }
  if (!names.length) return routeNames;
  // A body may have members of all names.
  if (names.some((each) => ['json', 'jsonEquals', 'set', 'let'].includes(each))) return [];
  if (names.includes('when')) {
    if (namedConditions.includes(parent) && name) return conditionNames;
    if (last === 'text') return conditionNames;
    if (namedConditions.includes(last)) return [];
  }
  return objectNames[last] ?? [];
}

/**
 * Adds a list of suggestions to a text area. Tab and Enter insert the selected one.
 *
 * @param suggest Returns the texts for a place of the caret.
 * @returns The element of the list.
 */
function completing(area, suggest) {
  const list = el('div', {
    class: 'completions', role: 'listbox', id: 'completions', 'aria-label': 'Suggestions',
    hidden: true,
  });
  let shown = [];
  let selected = 0;
  let context = null;
  const draw = () => {
    list.hidden = !shown.length;
    list.replaceChildren(...shown.map((text, index) => {
      const option = el('div', { role: 'option', id: `completion-${index}`, text });
      option.setAttribute('aria-selected', index === selected);
      option.addEventListener('pointerdown', (event) => {
        event.preventDefault();
        accept(text);
      });
      return option;
    }));
    if (!shown.length) area.removeAttribute('aria-activedescendant');
    else {
      area.setAttribute('aria-activedescendant', `completion-${selected}`);
      list.children[selected].scrollIntoView({ block: 'nearest' });
    }
  };
  const hide = () => {
    shown = [];
    draw();
  };
  const update = () => {
    const at = area.selectionStart;
    context = at === area.selectionEnd ? jsonContext(area.value, at) : null;
    const typed = context ? area.value.slice(context.start, at) : '';
    const all = context ? suggest(context) : [];
    shown = all.filter((text) => text.startsWith(typed) && text !== typed);
    selected = 0;
    draw();
  };
  const accept = (text) => {
    const { start, isName } = context;
    const rest = area.value.slice(area.selectionStart);
    const isClosed = rest.startsWith('"');
    const hasColon = /^"?\s*:/.test(rest);
    const end = area.selectionStart + (isClosed ? 1 : 0);
    area.setRangeText(`${text}"${isName && !hasColon ? ': ' : ''}`, start, end, 'end');
    hide();
    area.focus();
    area.dispatchEvent(new Event('input', { bubbles: true }));
  };
  area.setAttribute('aria-autocomplete', 'list');
  area.setAttribute('aria-controls', 'completions');
  area.addEventListener('input', update);
  area.addEventListener('blur', hide);
  area.addEventListener('keydown', (event) => {
    if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault();
      update();
      return;
    }
    if (!shown.length || event.ctrlKey || event.metaKey || event.altKey) return;
    const count = shown.length;
    const actions = {
      ArrowDown: () => { selected = (selected + 1) % count; draw(); },
      ArrowUp: () => { selected = (selected + count - 1) % count; draw(); },
      Enter: () => accept(shown[selected]), Tab: () => accept(shown[selected]),
      Escape: hide,
    };
    if (!Object.hasOwn(actions, event.key)) {
      if (/^(ArrowLeft|ArrowRight|Home|End|Page)/.test(event.key)) hide();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  });
  return list;
}

/**
 * Checks the text of an area a moment after each change.
 *
 * @param check Sends the text to the server, and throws its error. Without it, only the syntax is
 *   checked.
 * @returns The element with the result, and a function that ends the check.
 */
function checking(area, check) {
  const result = el('p', { class: 'check', role: 'status' });
  let timer = 0;
  let abort = null;
  const show = (text, isValid) => {
    result.textContent = text;
    result.className = isValid ? 'check good' : 'check';
    area.setAttribute('aria-invalid', !isValid);
  };
  const run = async () => {
    abort = new AbortController();
    try {
      JSON.parse(area.value);
      await check?.(area.value, abort.signal);
      show('Valid.', true);
    } catch (error) {
      if (error.name === 'AbortError') return;
      show(error instanceof SyntaxError ? `Not JSON yet: ${error.message}` : error.message, false);
    }
  };
  const stop = () => {
    clearTimeout(timer);
    abort?.abort();
  };
  area.addEventListener('input', () => {
    stop();
    timer = setTimeout(run, 300);
  });
  return { result, stop };
}

/**
 * Opens an editor of a JSON text.
 *
 * The text is sent as it is typed, so that the positions in errors of the server are right.
 *
 * @param check Checks a text by the server while it is typed.
 * @param suggest Returns the suggestions for a place of the caret.
 */
function editJSON({
  title, value, text = JSON.stringify(value, null, 2), hint, save, submit, check, suggest,
}) {
  const area = el('textarea', {
    spellcheck: 'false', autocapitalize: 'off', 'aria-label': 'JSON', autofocus: true,
  });
  area.value = text;
  const format = button('Format', () => {
    const pieces = prettyJSON(area.value);
    if (pieces) area.value = pieces.map(([, piece]) => piece).join('');
  });
  const list = suggest ? completing(area, suggest) : null;
  const { result, stop } = checking(area, check);
  const dialog = openDialog({
    title, wide: true, save, tools: [format],
    content: el('div', { class: 'field' }, area, list, result, el('small', { text: hint ?? '' })),
    isDirty: () => area.value !== text,
    submit: async () => {
      stop();
      try {
        JSON.parse(area.value);
      } catch (error) {
        throw new Error(`This is no JSON: ${error.message}`);
      }
      await submit(area.value);
    },
  });
  dialog.addEventListener('close', stop);
  dialog.addEventListener('refused', ({ detail }) => {
    area.focus();
    if (!detail.line) return;
    const lines = area.value.split('\n').slice(0, detail.line - 1);
    const at = lines.reduce((sum, line) => sum + line.length + 1, 0) + (detail.column ?? 1) - 1;
    area.setSelectionRange(at, at + 1);
  });
  area.setSelectionRange(0, 0);
}
