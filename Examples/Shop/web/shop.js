// The front end of the shop. The address of the API is the parameter `api` of the page, or port 8080 of
// the same host name: cookies with SameSite are sent to the same host name only.
const api = new URLSearchParams(location.search).get("api") ?? `http://${location.hostname}:8080`;
const $ = (id) => document.getElementById(id);
const money = (value) => `€${Number(value).toFixed(2)}`;
const list = { category: "", sort: "", q: "", page: 1, pages: 1 };
let product = null; // of the dialog, with its ETag

// MARK: Requests

/** A refused request: the problem document of the response, or the reason why there is none. */
class Problem extends Error {
  constructor(status, body) {
    const errors = (body?.errors ?? []).map((error) => `${error.pointer.slice(2)} ${error.detail}`);
    super([body?.detail ?? body?.title ?? "no details", ...errors].join("; "));
    this.status = status;
  }
}

async function call(method, path, { json, form, headers = {} } = {}) {
  const began = performance.now();
  const token = localStorage.getItem("token");
  if (token) headers.Authorization = `Bearer ${token}`;
  if (json !== undefined) headers["Content-Type"] = "application/json";
  const body = form ?? (json === undefined ? undefined : JSON.stringify(json));
  let status = "failed";
  try {
    const response = await fetch(api + path, { method, headers, body, credentials: "include" });
    status = response.status;
    const text = await response.text();
    const isJSON = (response.headers.get("Content-Type") ?? "").includes("json");
    const data = text && isJSON ? JSON.parse(text) : text;
    if (!response.ok) throw new Problem(status, data);
    return { status, data, headers: response.headers };
  } catch (error) {
    if (error instanceof Problem) throw error;
    status = "failed";
    throw new Problem(0, { detail: "the connection was lost" });
  } finally {
    const line = document.createElement("li");
    const time = `${Math.round(performance.now() - began)} ms`;
    for (const text of [status, `${method} ${path}`, time]) {
      line.append(Object.assign(document.createElement("span"), { textContent: text }));
    }
    $("log").prepend(line);
    while ($("log").children.length > 8) $("log").lastChild.remove();
  }
}

/** Runs an action of the user, and shows its result or its error. */
async function run(action) {
  const notice = product ? $("dialog-notice") : $("notice");
  notice.className = "";
  notice.textContent = "…";
  try {
    notice.textContent = (await action()) ?? "";
  } catch (error) {
    notice.className = "error";
    notice.textContent = error instanceof Problem ? `${error.status || "Failed"}: ${error.message}` : error;
  }
}

const on = (id, event, action) =>
  $(id).addEventListener(event, (it) => {
    it.preventDefault();
    run(() => action(it));
  });

/** Creates an element with members and children. */
function element(tag, members = {}, ...children) {
  const node = Object.assign(document.createElement(tag), members);
  node.append(...children);
  return node;
}

const button = (label, action, members = {}) =>
  element("button", { type: "button", textContent: label, onclick: () => run(action), ...members });

// MARK: Products

async function showProducts() {
  const query = new URLSearchParams({ page: list.page });
  for (const name of ["category", "sort", "q"]) if (list[name]) query.set(name, list[name]);
  const { data, headers } = await call("GET", `/products?${query}`);
  const total = Number(headers.get("X-Total-Count"));
  list.pages = Math.max(1, Math.ceil(total / 8));
  $("count").textContent = `${total} toys`;
  $("page").textContent = `Page ${list.page} of ${list.pages}`;
  $("previous").disabled = list.page === 1;
  $("next").disabled = !(headers.get("Link") ?? "").includes('rel="next"');
  $("products").replaceChildren(...data.map(card));
}

function card(item) {
  const add = button("Add", () => addToCart(item), { disabled: !item.stock });
  return element("article", { className: "product", id: `product-${item.id}` },
    element("img", { src: `${api}/images/${item.category}.svg`, alt: "" }),
    element("div", {},
      button(item.name, () => openProduct(item.id), { className: "title" }),
      element("small", { textContent: `★ ${item.rating} · ${item.stock ? `${item.stock} in stock` : "sold out"}` }),
      element("div", { className: "row" }, element("span", { className: "price", textContent: money(item.price) }), add)));
}

function show(changes) {
  return async () => {
    Object.assign(list, { page: 1 }, changes);
    await showProducts();
  };
}

on("search", "submit", () => show({ q: $("query").value.trim() })());
on("sort", "change", () => show({ sort: $("sort").value })());
on("previous", "click", () => show({ page: list.page - 1 })());
on("next", "click", () => show({ page: list.page + 1 })());
on("categories", "click", async ({ target }) => {
  if (target.tagName !== "BUTTON") return;
  for (const choice of $("categories").children) choice.ariaPressed = String(choice === target);
  await show({ category: target.value })();
});
on("suggest", "click", async () => {
  const { data } = await call("GET", `/suggestions?q=${encodeURIComponent($("query").value)}`);
  $("suggestions").replaceChildren(...data.suggestions.map((value) => element("option", { value })));
  $("hints").textContent = data.suggestions.length ? `Perhaps: ${data.suggestions.join(", ")}` : "No suggestions.";
});
on("recommend", "click", async () => {
  const { data } = await call("GET", "/recommendations");
  const products = await Promise.all(data.products.map(({ id }) => call("GET", `/products/${id}`)));
  $("recommended").textContent =
    products.map(({ data: item }, index) => `${item.name} (${data.products[index].reason})`).join(", ");
});

// MARK: One product

async function openProduct(id) {
  const [{ data, headers }, reviews] =
    await Promise.all([call("GET", `/products/${id}`), call("GET", `/products/${id}/reviews`)]);
  $("picture").src = `${api}/images/${data.category}.svg`;
  $("uploaded").textContent = "";
  $("dialog-notice").textContent = "";
  showDetails(data, headers);
  showReviews(reviews.data);
  $("product").showModal();
}

function showDetails(data, headers) {
  product = { ...data, tag: headers.get("ETag") };
  $("name").textContent = data.name;
  $("facts").textContent = `${money(data.price)} · ${data.tags.join(", ")} · ★ ${data.rating}`;
  $("price").value = data.price;
}

function showReviews(reviews) {
  $("reviews").replaceChildren(...reviews.map((review) =>
    element("li", { id: `review-${review.id}` },
      element("div", { className: "row" },
        element("strong", { textContent: `${"★".repeat(review.stars)} ${review.author}` }),
        button("×", async () => {
          await call("DELETE", `/products/${product.id}/reviews/${review.id}`);
          $(`review-${review.id}`).remove();
          return "The review is deleted.";
        }, { className: "quiet", ariaLabel: "Delete the review" })),
      review.text)));
}

$("product").addEventListener("close", () => {
  product = null;
  run(showProducts);
});
on("reprice", "submit", async () => {
  const { data, headers } = await call("PATCH", `/products/${product.id}`, {
    json: { price: Number($("price").value) }, headers: { "If-Match": product.tag },
  });
  showDetails(data, headers);
  return "The price is changed.";
});
on("review", "submit", async () => {
  const path = `/products/${product.id}/reviews`;
  const author = $("customer").dataset.name ?? "Somebody";
  await call("POST", path, { json: { author, stars: Number($("stars").value), text: $("text").value || null } });
  showReviews((await call("GET", path)).data);
  $("text").value = "";
  return "Thank you for the review.";
});
on("upload", "submit", async () => {
  const form = new FormData();
  const file = $("photo").files[0];
  if (file) form.append("photo", file);
  form.append("caption", $("caption").value);
  const { data, headers } = await call("POST", `/products/${product.id}/photo`, { form });
  $("picture").src = URL.createObjectURL(file);
  $("uploaded").textContent = `Photo ${data.id} at ${headers.get("Location")}: ${$("caption").value}`;
  return "The photo is uploaded.";
});

// MARK: Customer

function showCustomer(name) {
  $("customer").textContent = name ? `Hello, ${name}` : "Not logged in";
  if (name) $("customer").dataset.name = name;
  else delete $("customer").dataset.name;
  $("login").hidden = Boolean(name);
  $("logout").hidden = !name;
}

on("login", "submit", async () => {
  const { data } = await call("POST", "/login", { json: { email: $("email").value, password: $("password").value } });
  localStorage.setItem("token", data.token);
  showCustomer((await call("GET", "/me")).data.name);
  return `Welcome, ${data.name}.`;
});
on("logout", "click", async () => {
  await call("POST", "/logout");
  localStorage.clear();
  showCustomer(null);
  showCart([]);
  return "Good-bye.";
});

// MARK: Cart

const cart = () => localStorage.getItem("cart");

async function addToCart({ id, name, price }) {
  if (!cart()) localStorage.setItem("cart", (await call("POST", "/account/carts", { json: {} })).data.id);
  const path = `/account/carts/${cart()}/items`;
  try {
    await call("POST", path, { json: { product: id, name, price, quantity: 1 } });
  } catch (error) {
    if (error.status !== 409) throw error;
    const [item] = (await call("GET", `${path}?product=${id}`)).data;
    await call("PATCH", `${path}/${item.id}`, { json: { quantity: item.quantity + 1 } });
  }
  await loadCart();
  return `${name} is in the cart.`;
}

async function loadCart() {
  showCart(cart() ? (await call("GET", `/account/carts/${cart()}/items`)).data : []);
}

function showCart(items) {
  const total = items.reduce((sum, item) => sum + item.price * item.quantity, 0);
  $("total").textContent = items.length ? `Total ${money(total)}` : "The cart is empty.";
  $("total").dataset.value = total;
  const change = (item, quantity) => async () => {
    await call("PATCH", `/account/carts/${cart()}/items/${item.id}`, { json: { quantity } });
    await loadCart();
  };
  $("items").replaceChildren(...items.map((item) =>
    element("li", { id: `item-${item.id}` }, `${item.quantity} × ${item.name}`,
      element("div", { className: "row" },
        element("span", { className: "price", textContent: money(item.price * item.quantity) }),
        element("span", {},
          button("−", change(item, item.quantity - 1), { className: "quiet less", ariaLabel: "One less" }),
          button("+", change(item, item.quantity + 1), { className: "quiet more", ariaLabel: "One more" }),
          button("×", async () => {
            await call("DELETE", `/account/carts/${cart()}/items/${item.id}`);
            await loadCart();
          }, { className: "quiet remove", ariaLabel: "Remove" }))))));
}

async function emptyCart() {
  if (cart()) await call("DELETE", `/account/carts/${cart()}`);
  localStorage.removeItem("cart");
  showCart([]);
}

on("load-cart", "click", loadCart);
on("empty-cart", "click", emptyCart);
on("shipping", "submit", async () => {
  const weight = 0.4 * Math.max(1, $("items").children.length);
  const { data } = await call("POST", "/shipping", { json: { country: $("country").value, weight } });
  $("parcel").textContent = `${money(data.price)}, arrives on ${data.arrives}`;
});

// MARK: Orders

on("checkout", "submit", async () => {
  const json = { cart: cart(), total: Number($("total").dataset.value), address: $("address").value || null };
  const { data } = await call("POST", "/account/orders", { json });
  await emptyCart();
  await loadOrders();
  return `Thank you, ${data.id} is placed.`;
});
on("load-orders", "click", () => loadOrders());

async function loadOrders(cursor = "") {
  const { data, headers } = await call("GET", `/account/orders?_cursor=${cursor}&_limit=2&_sort=-placedAt`);
  const rows = data.map((order) =>
    element("li", { id: order.id }, `${order.id}: ${money(order.total)}${order.status ? `, ${order.status}` : ""}`,
      element("div", { className: "row" },
        button("Details", () => showOrder(order.id), { className: "quiet details" }),
        button("Track", () => track(order.id), { className: "quiet track" }),
        button("Cancel", () => cancel(order.id), { className: "quiet cancel", disabled: Boolean(order.status) }))));
  const next = headers.get("X-Next-Cursor");
  if (next) {
    rows.push(element("li", {}, button("More", () => loadOrders(next), { className: "quiet", id: "more-orders" })));
  }
  if (!cursor) return $("orders").replaceChildren(...rows);
  $("more-orders").parentElement.replaceWith(...rows);
}

async function showOrder(id) {
  const { data } = await call("GET", `/account/orders/${id}`);
  $("order").textContent = `${data.id} to ${data.address}, placed ${data.placedAt.slice(0, 10)}`;
}

async function cancel(id) {
  await call("PATCH", `/account/orders/${id}`, { json: { status: "cancelled" } });
  await loadOrders();
  return `${id} is cancelled.`;
}

/** Follows the delivery by server-sent events. */
async function track(id) {
  const source = new EventSource(`${api}/tracking/${id}`, { withCredentials: true });
  $("tracking").hidden = false;
  source.addEventListener("step", (event) => {
    const { step, progress } = JSON.parse(event.data);
    $("tracking").value = progress;
    $("tracking-step").textContent = `${id}: ${step}`;
    if (progress === 100) source.close();
  });
}

// MARK: Workshop

on("invoice", "click", () => call("GET", "/invoice"));
on("reset", "click", async () => {
  await call("POST", "/reset");
  localStorage.clear();
  showCustomer(null);
  showCart([]);
  $("orders").replaceChildren();
  await show({ category: "", sort: "", q: "" })();
  return "The shop is as it was at the start.";
});

// The first response sets the cookie of the client. Requests before it would be those of other clients.
run(async () => {
  await showProducts();
  if (!localStorage.getItem("token")) return;
  showCustomer((await call("GET", "/me")).data.name);
  await loadCart();
});
