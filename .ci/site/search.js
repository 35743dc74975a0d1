// The search of the landing page. It reads the index of the navigator, which has all pages of all modules.
"use strict";

const limit = 50;
const query = document.getElementById("query");
const results = document.getElementById("results");
const status = document.getElementById("status");
const kinds = {
  article: "guide", case: "case", class: "class", enum: "enumeration", extension: "extension", func: "function",
  init: "initializer", method: "method", module: "module", op: "operator", property: "property", protocol: "protocol",
  struct: "structure", subscript: "subscript", typealias: "type alias",
};
// The modules whose types others extend, from the ground up. A type has a page in each module that adds members to it.
const lowest = ["Promises", "Networking", "Mocking"];
let pages;

// Returns the pages below some nodes, with the title of their module and of the page above them.
function flatten(nodes, module, parent, found) {
  for (const node of nodes) {
    if (node.path) {
      // Titles of members are declarations: `func cancel()` is found by `cancel`.
      const name = node.path.slice(node.path.lastIndexOf("/") + 1);
      // `HTTPCache` has the words `http` and `cache`.
      const title = node.title.replace(/([a-z])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, "$1$3 $2").toLowerCase();
      found.push({ ...node, children: undefined, module, parent, name, words: title, text: `${node.title} ${name}`.toLowerCase() });
    }
    const inside = node.type === "module" ? node.title : module;
    flatten(node.children ?? [], inside, node.type === "module" ? "" : node.title, found);
  }
  return found;
}

async function load() {
  const response = await fetch("index/index.json");
  if (!response.ok) throw new Error(`the index cannot be loaded: ${response.status}`);
  const index = await response.json();
  const nodes = Object.values(index.interfaceLanguages).flat();
  // The root is the list of all modules.
  return flatten(nodes.flatMap((node) => node.path === "/documentation" ? node.children : [node]), "", "", []);
}

// The smaller, the better: exact names, then beginnings, words, and all others. Guides and types are before members.
function rank(page, words) {
  const title = page.title.toLowerCase();
  const name = page.name.split("(")[0];
  const places = words.map((word) => name === word ? 0
    : title.startsWith(word) || name.startsWith(word) ? 1
    : new RegExp(`\\b${word.replace(/[^\w]/g, "\\$&")}`).test(page.words) ? 2 : 3);
  const place = title === words.join(" ") ? 0 : Math.min(...places);
  const order = ["module", "article", "class", "struct", "enum", "protocol", "func"].indexOf(page.type);
  return place * 3 + (order < 0 ? 9 : order);
}

function height(page) {
  const place = lowest.indexOf(page.module);
  return place < 0 ? lowest.length : place;
}

function find(text) {
  const words = text.toLowerCase().split(/[\s.]+/).filter(Boolean);
  if (words.length === 0) return [];
  return pages
    .filter((page) => words.every((word) => page.text.includes(word) || page.parent.toLowerCase().includes(word)))
    .filter((page) => words.some((word) => page.text.includes(word)))
    .map((page) => ({ page, rank: rank(page, words) }))
    .sort((a, b) => a.rank - b.rank || a.page.title.length - b.page.title.length || height(a.page) - height(b.page)
      || a.page.path.localeCompare(b.page.path))
    .map(({ page }) => page);
}

function item(page) {
  const entry = document.createElement("li");
  const link = document.createElement("a");
  link.href = encodeURI(page.path.slice(1)) + "/";
  link.textContent = page.title;
  const place = document.createElement("span");
  place.textContent = [kinds[page.type] ?? "symbol", page.parent, page.module].filter(Boolean).join(" · ");
  entry.append(link, " ", place);
  return entry;
}

async function show() {
  const text = query.value;
  try {
    pages ??= await load();
  } catch (error) {
    status.textContent = error.message;
    return;
  }
  // Another letter may have been typed meanwhile.
  if (text !== query.value) return;
  const found = find(text);
  results.replaceChildren(...found.slice(0, limit).map(item));
  status.textContent = text.trim() === "" ? "" : found.length === 0 ? "Nothing found."
    : found.length > limit ? `The first ${limit} of ${found.length} pages` : `${found.length} ${found.length === 1 ? "page" : "pages"}`;
  history.replaceState(null, "", text === "" ? location.pathname : `#${encodeURIComponent(text)}`);
}

query.addEventListener("input", show);
query.form.addEventListener("submit", async (event) => {
  event.preventDefault();
  await show();
  results.querySelector("a")?.click();
});
// The back button returns to the results.
if (location.hash.length > 1) {
  query.value = decodeURIComponent(location.hash.slice(1));
  show();
}
