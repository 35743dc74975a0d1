// A list of thousands of rows of which only the visible ones exist in the document.

const rowHeight = 30;
const extraRows = 10;

/**
 * A list box with rows of one height.
 *
 * Items have an `id` and a `revision`, which changes with the content. A row is filled again
 * only when the revision of its item changes.
 */
class VirtualList {
  /**
   * @param box The element with the role `listbox`. It scrolls.
   * @param fill Fills a new row with an item.
   * @param arrange Called with the visible pairs of item and row after each change.
   * @param select Called with the item that the user selects, and with `click` or `key` if the
   *   user opens it.
   */
  constructor(box, { fill, arrange, select }) {
    Object.assign(this, { box, fill, arrange, select });
    this.items = [];
    this.rows = new Map();
    this.selectedID = null;
    /** Whether the list stays at its end when items are added. */
    this.follows = false;
    this.space = el('div', { role: 'presentation' });
    box.append(this.space);
    box.addEventListener('scroll', () => this.scrolled(), { passive: true });
    box.addEventListener('keydown', (event) => this.pressed(event));
    box.addEventListener('click', (event) => this.clicked(event));
    new ResizeObserver(() => {
      const scrollbar = box.offsetWidth - box.clientWidth;
      box.parentElement.style.setProperty('--scrollbar', `${scrollbar}px`);
      if (this.follows) this.scrollToEnd();
      this.draw();
    }).observe(box);
  }

  get selected() { return this.items[this.indexOf(this.selectedID)]; }

  indexOf(id) { return id === null ? -1 : this.items.findIndex((item) => item.id === id); }

  /** Replaces the items. The first visible one keeps its place, or the list is at its end. */
  show(items) {
    const offset = this.box.scrollTop % rowHeight;
    const anchor = this.items[Math.floor(this.box.scrollTop / rowHeight)];
    this.items = items;
    this.space.style.height = `${items.length * rowHeight}px`;
    if (this.follows) this.scrollToEnd();
    else if (anchor && this.box.scrollTop > 0) {
      const index = this.indexOf(anchor.id);
      if (index >= 0) this.box.scrollTop = index * rowHeight + offset;
    }
    this.draw();
  }

  scrollToEnd() { this.box.scrollTop = this.box.scrollHeight; }

  get isAtEnd() {
    return this.box.scrollTop + this.box.clientHeight >= this.box.scrollHeight - rowHeight / 2;
  }

  scrolled() {
    if (this.canFollow) this.follows = this.isAtEnd;
    this.onscroll?.();
    this.draw();
  }

  /** Creates the rows of the visible items and of the selected one, and removes all others. */
  draw() {
    const { box, items, rows } = this;
    const first = Math.max(Math.floor(box.scrollTop / rowHeight) - extraRows, 0);
    const end = Math.min(
      Math.ceil((box.scrollTop + box.clientHeight) / rowHeight) + extraRows, items.length);
    const indexes = [];
    for (let index = first; index < end; index += 1) indexes.push(index);
    const selected = this.indexOf(this.selectedID);
    if (selected >= 0 && (selected < first || selected >= end)) indexes.push(selected);
    const kept = new Set(indexes.map((index) => items[index].id));
    for (const [id, row] of rows) {
      if (kept.has(id)) continue;
      row.remove();
      rows.delete(id);
    }
    const pairs = indexes.map((index) => [items[index], this.row(items[index], index)]);
    if (selected >= 0) box.setAttribute('aria-activedescendant', this.rowID(this.selectedID));
    else box.removeAttribute('aria-activedescendant');
    this.arrange?.(pairs);
  }

  /** The identifier of a row. It must have no spaces. */
  rowID(id) { return `${this.box.id}-${encodeURIComponent(id)}`; }

  row(item, index) {
    let row = this.rows.get(item.id);
    if (!row) {
      row = el('div', { role: 'option', id: this.rowID(item.id) });
      row.item = item.id;
      this.rows.set(item.id, row);
      this.space.append(row);
    }
    if (row.revision !== item.revision) {
      row.revision = item.revision;
      row.className = 'row';
      this.fill(item, row);
    }
    if (row.index !== index) {
      row.index = index;
      row.style.transform = `translateY(${index * rowHeight}px)`;
      row.setAttribute('aria-posinset', index + 1);
    }
    row.setAttribute('aria-setsize', this.items.length);
    row.setAttribute('aria-selected', item.id === this.selectedID);
    return row;
  }

  /** Fills all rows again at the next drawing. */
  invalidate() {
    for (const row of this.rows.values()) row.revision = null;
    this.draw();
  }

  choose(id, opens) {
    this.selectedID = id;
    const index = this.indexOf(id);
    if (index >= 0) this.reveal(index);
    this.draw();
    this.select(this.items[index] ?? null, opens);
  }

  reveal(index) {
    const top = index * rowHeight;
    const bottom = top + rowHeight - this.box.clientHeight;
    if (this.box.scrollTop > top) this.box.scrollTop = top;
    else if (this.box.scrollTop < bottom) this.box.scrollTop = bottom;
    if (this.canFollow) this.follows = this.isAtEnd;
  }

  clicked(event) {
    const row = event.target.closest('[role="option"]');
    if (row) this.choose(row.item, 'click');
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.items.length) return;
    const page = Math.max(Math.floor(this.box.clientHeight / rowHeight) - 1, 1);
    const last = this.items.length - 1;
    const current = this.indexOf(this.selectedID);
    const targets = {
      ArrowDown: current + 1,
      ArrowUp: current < 0 ? last : current - 1,
      PageDown: current + page, PageUp: current - page, Home: 0, End: last,
    };
    if (event.key in targets) {
      event.preventDefault();
      this.choose(this.items[Math.max(0, Math.min(last, targets[event.key]))].id);
    } else if (event.key === 'Enter' && current >= 0) {
      event.preventDefault();
      this.choose(this.selectedID, 'key');
    }
  }
}

// MARK: Waterfall

/**
 * The scale of a waterfall, which shortens the time in which no request was in progress.
 *
 * @param spans Pairs of start and end in milliseconds.
 * @returns A function from a time to a fraction from 0 to 1.
 */
function waterfallScale(spans) {
  const merged = [];
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  const busy = merged.reduce((sum, [start, end]) => sum + end - start, 0);
  const longestGap = Math.max(busy / Math.max(merged.length, 4), 1);
  let at = 0;
  const parts = merged.map(([start, end], index) => {
    if (index) at += Math.min(start - merged[index - 1][1], longestGap);
    const part = { start, end, at };
    at += end - start;
    return part;
  });
  const total = Math.max(at, 1);
  return (time) => {
    const part = parts.findLast((each) => each.start <= time) ?? parts[0];
    return part ? (part.at + Math.min(time, part.end) - part.start) / total : 0;
  };
}

// MARK: Split

/** Makes the width of a details pane adjustable, by dragging and by arrow keys. */
function makeAdjustable(handle, split) {
  const set = (percent) => {
    const value = Math.round(Math.max(25, Math.min(75, percent)));
    split.style.setProperty('--details', `${value}%`);
    handle.setAttribute('aria-valuenow', value);
    preferences.set('details', value);
  };
  set(Number(preferences.get('details', 46)) || 46);
  handle.setAttribute('aria-valuemin', 25);
  handle.setAttribute('aria-valuemax', 75);
  handle.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
  });
  handle.addEventListener('pointermove', (event) => {
    if (!handle.hasPointerCapture(event.pointerId)) return;
    const bounds = split.getBoundingClientRect();
    set(100 * (bounds.right - event.clientX) / bounds.width);
  });
  handle.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: 3, ArrowRight: -3 }[event.key];
    if (!step) return;
    event.preventDefault();
    set(Number(handle.getAttribute('aria-valuenow')) + step);
  });
}
