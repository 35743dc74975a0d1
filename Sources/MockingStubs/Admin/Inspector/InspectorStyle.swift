extension InspectorPage {
  /// The style sheet, for light and dark color schemes, wide and narrow windows.
  static let style = #"""
    :root {
      color-scheme: light dark;
      --page: #f5f6f8; --surface: #fff; --hover: #f1f4f8; --line: #dde1e7; --strong-line: #8a94a1;
      --text: #1b2026; --muted: #596370; --accent: #1a5bb8; --accent-soft: #e4eefb;
      --on-accent: #fff;
      --good: #14693a; --good-soft: #ddf3e5; --warn: #875000; --warn-soft: #fcefd9;
      --bad: #b0231b; --bad-soft: #fde9e7; --info: #5b489f; --info-soft: #eeeafa;
      --wait: #8fa3bd; --delay: #d9952b; --send: #3b9a63;
      --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono",
      monospace;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --page: #121518; --surface: #191d21; --hover: #20262c; --line: #2c3339;
        --strong-line: #6d7884;
        --text: #e2e6ea; --muted: #9aa5b1; --accent: #86b4ff; --accent-soft: #1c2f4a;
        --on-accent: #0d1b30; --good: #74d198; --good-soft: #16301f; --warn: #e8b765;
        --warn-soft: #362a10; --bad: #ff958c; --bad-soft: #3d1d1b; --info: #bcacff;
        --info-soft: #2a2443; --wait: #5f7895; --delay: #c58a2c; --send: #46a370;
      }
    }
    * { box-sizing: border-box; }
    [hidden] { display: none !important; }
    html, body { height: 100%; margin: 0; }
    body {
      display: flex; flex-direction: column; background: var(--page); color: var(--text);
      font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
    }
    h1, h2, h3, p, dl, dd { margin: 0; }
    h1 { font-size: 15px; font-weight: 650; }
    h2 { font-size: 15px; font-weight: 650; }
    h3 { font-size: 13px; font-weight: 650; }
    .mono, code, pre, textarea { font-family: var(--mono); font-size: 12.5px; }
    .muted { color: var(--muted); }
    .space { flex: 1; }
    .count { color: var(--muted); font-variant-numeric: tabular-nums; white-space: nowrap; }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }

    /* Controls */
    button, .button, select, input, textarea {
      font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--line);
      border-radius: 6px;
    }
    button, .button, select, input { min-height: 30px; padding: 3px 10px; }
    button, .button { cursor: pointer; white-space: nowrap; text-decoration: none; }
    .button { display: inline-flex; align-items: center; }
    select, input, textarea { border-color: var(--strong-line); }
    select:disabled, input:disabled {
      color: var(--muted); border-color: var(--line);
      opacity: .75;
    }
    input[type="checkbox"] { min-height: 0; accent-color: var(--accent); margin: 0 6px 0 0; }
    input.mono, textarea { font-family: var(--mono); font-size: 12.5px; }
    ::placeholder { color: var(--muted); opacity: 1; }
    button:hover, .button:hover { background: var(--hover); }
    button:disabled { color: var(--muted); cursor: default; opacity: .75; background: none; }
    button[aria-pressed="true"] {
      background: var(--accent-soft); border-color: var(--accent); color: var(--accent);
    }
    button.primary {
      background: var(--accent); border-color: var(--accent);
      color: var(--on-accent);
    }
    button.primary:hover { filter: brightness(1.08); }
    button.danger { color: var(--bad); border-color: var(--bad); }
    button.plain { background: none; border-color: transparent; color: var(--muted); }
    button.plain:hover { background: var(--hover); color: var(--text); }
    textarea { width: 100%; padding: 8px 10px; line-height: 1.5; resize: vertical; tab-size: 2; }
    .actions { display: flex; flex-wrap: wrap; gap: 6px; }
    .end { margin-left: auto; }

    /* Header */
    .bar {
      display: flex; align-items: center; gap: 8px 12px; padding: 0 12px; min-height: 46px;
      background: var(--surface); border-bottom: 1px solid var(--line);
    }
    .bar h1, #server-url { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    #server-url { padding: 3px 6px; min-width: 0; }
    .views { margin: 0 auto; }
    .tabs { display: flex; gap: 2px; align-self: stretch; }
    .tabs button {
      border: 0; border-radius: 0; background: none; color: var(--muted); padding: 0 12px;
      border-bottom: 2px solid transparent; border-top: 2px solid transparent;
    }
    .tabs button:hover { color: var(--text); background: none; }
    .tabs button[aria-selected="true"] { color: var(--text); border-bottom-color: var(--accent); }
    .tabs button:focus-visible { outline-offset: -3px; }
    .connection { display: inline-flex; align-items: center; gap: 7px; color: var(--muted); }
    .connection::before {
      content: ""; width: 9px; height: 9px; border-radius: 50%; background: var(--strong-line);
    }
    .connection.live { color: var(--good); }
    .connection.live::before { background: var(--send); }
    .connection.gone { color: var(--bad); }
    .connection.gone::before { background: var(--bad); border-radius: 1px; }
    .banner {
      display: flex; align-items: center; gap: 12px; padding: 8px 14px; color: var(--bad);
      background: var(--bad-soft); border-bottom: 1px solid var(--bad);
    }
    .banner p { flex: 1; }

    /* Views */
    main { flex: 1; min-height: 0; display: flex; }
    .view { flex: 1; min-width: 0; display: flex; flex-direction: column; }
    .toolbar { display: flex; flex-wrap: wrap; align-items: center; gap: 6px; padding: 8px 12px; }
    .toolbar input { flex: 0 1 260px; min-width: 150px; }
    .split { flex: 1; min-height: 0; display: flex; border-top: 1px solid var(--line); }
    .list {
      flex: 1; min-width: 0; display: flex; flex-direction: column; position: relative;
      background: var(--surface); container-type: inline-size;
    }
    .handle { flex: 0 0 7px; cursor: col-resize; background: var(--page); touch-action: none; }
    .handle { border: solid var(--line); border-width: 0 1px; }
    .handle:hover, .handle:focus-visible { background: var(--accent-soft); }

    /* Lists: rows have a fixed height, and only the visible ones exist. */
    .rows { flex: 1; overflow: auto; position: relative; overflow-anchor: none; }
    .rows:focus-visible { outline-offset: -2px; }
    .rows:focus-visible[aria-activedescendant] { outline: none; }
    .rows:focus-visible .row[aria-selected="true"] {
      outline: 2px solid var(--accent); outline-offset: -2px;
    }
    .rows > div { position: relative; min-width: 100%; }
    .row {
      display: grid; align-items: center; gap: 0 12px; padding: 0 12px; height: 30px;
      grid-template-columns: 98px 62px minmax(90px, 3fr) 66px minmax(60px, 2fr) 68px
        62px minmax(90px, 2fr);
      white-space: nowrap;
    }
    .stubs .row {
      grid-template-columns: 62px minmax(120px, 3fr) minmax(80px, 2fr) 68px minmax(60px, 2fr);
    }
    .rows .row { position: absolute; left: 0; right: 0; top: 0; cursor: default; }
    .row > span { overflow: hidden; text-overflow: ellipsis; unicode-bidi: isolate; }
    .row.head {
      height: 28px; font-size: 12px; color: var(--muted); border-bottom: 1px solid var(--line);
      padding-right: calc(12px + var(--scrollbar, 0px));
    }
    .row.head .duration, .row.head .size, .row .duration, .row .size { text-align: right; }
    .rows .row:hover { background: var(--hover); }
    .rows .row[aria-selected="true"] { background: var(--accent-soft); }
    .row.unmatched { box-shadow: inset 3px 0 var(--bad); }
    .rows .off .path, .rows .off .method { color: var(--muted); text-decoration: line-through; }
    .rows .time, .rows .stub, .rows .size, .rows .duration, .rows .notes { color: var(--muted); }
    .rows .time, .rows .duration, .rows .size {
      font-variant-numeric: tabular-nums;
      font-size: 13px;
    }
    .rows .method, .rows .path { font-family: var(--mono); font-size: 12.5px; }
    .rows .stub { font-size: 13px; }
    .rows .method { font-weight: 600; }
    .path i { font-style: normal; color: var(--muted); }
    .status b { font-variant-numeric: tabular-nums; font-weight: 600; }
    .s2 { color: var(--good); } .s3 { color: var(--info); } .s4 { color: var(--warn); }
    .s5, .sx { color: var(--bad); } .s0 { color: var(--muted); }
    .row .none { color: var(--bad); }
    .fall.cell { position: relative; align-self: stretch; }
    .fall u { position: absolute; top: 10px; height: 10px; min-width: 3px; border-radius: 2px; }
    .fall u { background: var(--wait); text-decoration: none; }
    .fall u.open { background: var(--delay); } .fall u.bad { background: var(--bad); }
    .follow {
      position: absolute; bottom: 12px; right: 24px;
      box-shadow: 0 2px 10px rgb(0 0 0 / .2); border-radius: 16px; border-color: var(--strong-line);
    }
    .empty {
      position: absolute; inset: 29px 0 0; display: flex; flex-direction: column; gap: 10px;
      align-items: center; justify-content: center; text-align: center; padding: 20px;
      color: var(--muted); pointer-events: none;
    }
    .empty > * { pointer-events: auto; max-width: 100%; }
    .empty strong { color: var(--text); font-size: 16px; font-weight: 600; }
    .empty code {
      padding: 6px 10px; background: var(--page); border: 1px solid var(--line); border-radius: 6px;
      color: var(--text); overflow-wrap: anywhere;
    }
    @container (max-width: 860px) {
      .row { grid-template-columns: 98px 62px minmax(90px, 3fr) 66px minmax(60px, 2fr) 68px 62px; }
      .row .fall { display: none; }
    }
    @container (max-width: 640px) {
      .row { grid-template-columns: 98px 62px minmax(0, 1fr) 66px 68px; }
      .stubs .row { grid-template-columns: 62px minmax(0, 3fr) minmax(0, 2fr) 48px; }
      .row .stub, .row .size { display: none; }
    }
    @container (max-width: 440px) {
      .row { grid-template-columns: 58px minmax(0, 1fr) 64px 60px; gap: 0 8px; }
      .stubs .row { grid-template-columns: 58px minmax(0, 1fr) minmax(0, 80px) 40px; }
      .row .time { display: none; }
    }

    /* Details */
    .details {
      flex: 0 0 var(--details, 46%); min-width: 0; display: flex; flex-direction: column;
      background: var(--surface);
    }
    .details header { padding: 10px 14px 0; display: grid; gap: 8px; }
    .details .line { display: flex; align-items: flex-start; gap: 8px; }
    .details .line h2 {
      flex: 1; min-width: 0; font: 600 13.5px/1.5 var(--mono); overflow-wrap: anywhere;
      max-height: 6em; overflow: auto; unicode-bidi: isolate;
    }
    .details .tabs { border-bottom: 1px solid var(--line); margin: 0 -14px; padding: 0 6px; }
    .details .tabs button { min-height: 34px; }
    .panel {
      flex: 1; overflow: auto; padding: 14px; display: grid; gap: 18px;
      align-content: start;
    }
    .panel > section { display: grid; gap: 8px; min-width: 0; }
    .panel h3 { display: flex; align-items: center; gap: 8px; min-height: 24px; }
    .panel h3 .muted { font-weight: 400; } .panel h3 button { font-weight: 400; }
    .badge { border-radius: 5px; padding: 1px 7px; font-size: 12.5px; font-weight: 600; }
    .badge { white-space: nowrap; background: var(--hover); }
    .badge.s2 { background: var(--good-soft); } .badge.s3 { background: var(--info-soft); }
    .badge.s4 { background: var(--warn-soft); }
    .badge.s5, .badge.sx { background: var(--bad-soft); }
    .note {
      padding: 8px 12px; border-radius: 6px; background: var(--hover);
      overflow-wrap: anywhere;
    }
    .note.good { background: var(--good-soft); } .note.bad { background: var(--bad-soft); }
    .note.warn { background: var(--warn-soft); }
    .note .actions { margin-top: 6px; }
    table { border-collapse: collapse; width: 100%; table-layout: fixed; }
    th, td { text-align: left; vertical-align: top; padding: 4px 10px 4px 0; font-weight: 400; }
    th, td { border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
    thead th { color: var(--muted); font-size: 12px; }
    tbody th { color: var(--muted); }
    .fields tbody th { width: 34%; }
    .fields td, .fields tbody th { font: 12.5px/1.5 var(--mono); unicode-bidi: isolate; }
    .near { border: 1px solid var(--line); border-radius: 8px; padding: 10px 12px; }
    .near { display: grid; gap: 6px; }
    .near .line { align-items: center; }
    .near .line code { flex: 1; overflow-wrap: anywhere; font-weight: 600; }
    .near td { font: 12.5px/1.5 var(--mono); white-space: pre-wrap; }
    .near th:first-child { width: 27%; }
    .near .met { color: var(--good); }
    mark { border-radius: 3px; color: inherit; padding: 0 1px; }
    mark.want { background: var(--good-soft); color: var(--good); }
    mark.got { background: var(--bad-soft); color: var(--bad); }
    .timing { display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: 6px 12px; }
    .timing { font-variant-numeric: tabular-nums; align-items: center; }
    .timing .track {
      position: relative; height: 14px; background: var(--hover);
      border-radius: 3px;
    }
    .timing .track u { position: absolute; inset: 0 auto; min-width: 2px; border-radius: 3px; }
    .timing .wait { background: var(--wait); } .timing .delay { background: var(--delay); }
    .timing .send { background: var(--send); }
    .timing .number { text-align: right; }
    .facts { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 4px 16px; }
    .facts dt { color: var(--muted); }
    .facts dd { overflow-wrap: anywhere; }
    pre {
      margin: 0; padding: 10px 12px; background: var(--page); border: 1px solid var(--line);
      border-radius: 6px; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere;
      tab-size: 2;
      line-height: 1.5; unicode-bidi: plaintext;
    }
    .key { color: var(--accent); } .string { color: var(--good); }
    .number-value { color: var(--info); }
    .word { color: var(--warn); }
    img.preview {
      max-width: 100%; max-height: 320px; justify-self: start; border: 1px solid var(--line);
    }
    .placeholder { margin: auto; color: var(--muted); padding: 24px; }

    /* Cards */
    .cards {
      display: grid; grid-template-columns: repeat(auto-fit, minmax(min(420px, 100%), 1fr));
      gap: 14px;
      padding: 14px; overflow: auto; align-content: start; align-items: start;
    }
    .card { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; }
    .card { padding: 14px 16px; display: grid; gap: 12px; min-width: 0; }
    .item { padding: 10px 0; border-top: 1px solid var(--line); display: grid; gap: 8px; }
    .item:first-child { border-top: 0; padding-top: 0; }
    .item .line { display: flex; align-items: baseline; gap: 10px; overflow-wrap: anywhere; }
    .item code { overflow-wrap: anywhere; }
    .choices { display: flex; flex-wrap: wrap; gap: 8px 18px; margin-bottom: 12px; }

    /* Dialogs */
    dialog {
      width: min(560px, calc(100vw - 24px)); max-height: calc(100vh - 24px); padding: 0; border: 0;
      border-radius: 12px; background: var(--surface); color: var(--text);
      box-shadow: 0 16px 50px rgb(0 0 0 / .35), 0 0 0 1px var(--line);
    }
    dialog.wide { width: min(860px, calc(100vw - 24px)); }
    dialog::backdrop { background: rgb(10 14 20 / .45); }
    dialog form { display: grid; gap: 14px; padding: 18px 20px; }
    dialog footer { display: flex; flex-wrap: wrap; gap: 8px; justify-content: flex-end; }
    dialog textarea { min-height: min(46vh, 420px); }
    .error { color: var(--bad); overflow-wrap: anywhere; white-space: pre-wrap; }
    .field { display: grid; gap: 4px; }
    .field > label, .field > .label { font-weight: 600; font-size: 13px; }
    .field small { color: var(--muted); font-size: 12.5px; }
    .columns {
      display: grid; grid-template-columns: repeat(auto-fit, minmax(140px, 1fr));
      gap: 12px;
    }
    .stack, #settings-form { display: grid; gap: 14px; }
    .field :is(input, select) { width: 100%; min-width: 0; }
    kbd {
      font: 12px var(--mono); border: 1px solid var(--strong-line); border-bottom-width: 2px;
      border-radius: 5px; padding: 1px 6px; background: var(--page); white-space: nowrap;
    }
    .keys { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 7px 16px; }
    .toasts {
      position: fixed; bottom: 16px; left: 50%; transform: translateX(-50%); display: grid;
      gap: 8px;
      z-index: 5; pointer-events: none; max-width: calc(100vw - 24px);
    }
    .toast {
      background: var(--text); color: var(--page); border-radius: 8px; padding: 8px 14px;
      box-shadow: 0 4px 16px rgb(0 0 0 / .3); overflow-wrap: anywhere;
    }
    .toast.bad { background: var(--bad); color: var(--surface); }

    /* Narrow windows: the details cover the list. */
    @media (max-width: 800px) {
      .bar { flex-wrap: wrap; padding: 6px 10px 0; }
      #server-url { flex: 1; text-align: left; }
      .views { order: 9; width: 100%; margin: 0; }
      .views button { flex: 1; min-height: 36px; padding: 0 4px; }
      .toolbar { padding: 8px 10px; }
      .toolbar input { flex-basis: 100%; }
      .handle { display: none; }
      .split { position: relative; }
      .details { position: absolute; inset: 0; z-index: 2; }
      .view:has(.details:not([hidden])) .toolbar { display: none; }
    }
    @media (prefers-reduced-motion: no-preference) {
      .toast { animation: rise .18s ease-out; }
      @keyframes rise { from { opacity: 0; transform: translateY(6px); } }
    }
    @media (forced-colors: active) {
      .rows .row[aria-selected="true"] { outline: 2px solid Highlight; outline-offset: -2px; }
      button[aria-pressed="true"], .tabs button[aria-selected="true"] { border-color: Highlight; }
    }
    """#
}
