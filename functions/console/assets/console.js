// Keys, the theme, canned replies, drafts, and what somebody was doing in a part of a page that is replaced. Everything
// here is a convenience: pages work without it.
"use strict";

const root = document.documentElement;
const theme = () => localStorage.getItem("theme");
const show = (wanted) => (wanted ? root.setAttribute("data-theme", wanted) : root.removeAttribute("data-theme"));
show(theme());

const isDark = () =>
  theme() ? theme() === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-theme-switch]")) {
    localStorage.setItem("theme", isDark() ? "light" : "dark");
    show(theme());
  }
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

document.addEventListener("change", (event) => {
  const canned = event.target.closest("select[data-canned]");
  if (!canned || !canned.value) return;
  const field = document.getElementById(canned.dataset.canned);
  field.value = field.value ? `${field.value}\n${canned.value}` : canned.value;
  canned.value = "";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.focus();
});

// A reply that is being written outlives its page: a session may end, a link may be hit by mistake.
const draftOf = (field) => `draft ${field.form.getAttribute("action")}`;
document.addEventListener("input", ({ target }) => {
  if (target.id === "reply") sessionStorage.setItem(draftOf(target), target.value);
});
document.addEventListener("DOMContentLoaded", () => {
  const reply = document.getElementById("reply");
  if (reply && !reply.value) reply.value = sessionStorage.getItem(draftOf(reply)) ?? "";
});
document.addEventListener("submit", ({ target }) => {
  if (target.querySelector("#reply")) sessionStorage.removeItem(draftOf(target.querySelector("#reply")));
  if (target.getAttribute("action") === "/console/sign-out") sessionStorage.clear();
});

// A second press while the first is on its way sends nothing; the server would not, either.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  if (form.dataset.sent) return event.preventDefault();
  form.dataset.sent = "yes";
});
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

// ---- Parts of an open page that are replaced when something changed ----

/** Names an element in a way that fits in the part that comes, too: the nearest id, and which of its kind below it. */
function place(element) {
  const near = element.parentElement.closest("[id]");
  const kind = element.name ? `[name="${CSS.escape(element.name)}"]` : element.tagName.toLowerCase();
  return { id: near.id, kind, nth: [...near.querySelectorAll(kind)].indexOf(element) };
}

function placed({ id, kind, nth }) {
  return document.getElementById(id)?.querySelectorAll(kind)[nth];
}

/** What somebody opened, wrote and looked at there. */
function doing(part) {
  const focus = document.activeElement;
  const fields = [...part.querySelectorAll("textarea, select")].filter((field) => field.closest("details[open]"));
  return {
    top: part.scrollTop,
    open: [...part.querySelectorAll("details[open]")].map(place),
    fields: fields.map((field) => ({ ...place(field), value: field.value })),
    focus: focus && focus !== part && part.contains(focus) ? { ...place(focus), ends: [focus.selectionStart, focus.selectionEnd] } : null,
    isFocused: focus === part,
  };
}

/** Goes on with it in the part that came. Scrolled to its end it stays there; elsewhere what is looked at stays in sight. */
function goOn(part, was, height) {
  for (const details of was.open) {
    const again = placed(details);
    if (again) again.open = true;
  }
  for (const { value, ...field } of was.fields) {
    const again = placed(field);
    if (again) again.value = value;
  }
  part.scrollTop = was.top < -4 ? was.top - (part.scrollHeight - height) : 0;
  const again = was.isFocused ? part : was.focus && placed(was.focus);
  if (!again) return;
  again.focus({ preventScroll: true });
  if (was.focus?.ends[0] != null) again.setSelectionRange(...was.focus.ends);
}

let before = null;
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const part = detail.target;
  if (!detail.shouldSwap || !part) return;
  if (part.id === "timeline") before = { was: doing(part), height: part.scrollHeight };
  if (part.id === "list") {
    const focus = part.contains(document.activeElement) ? document.activeElement : null;
    const isOnLine = Boolean(focus?.matches(".row"));
    before = { isOnLine, elsewhere: focus && !isOnLine ? place(focus) : null };
  }
});
document.addEventListener("htmx:afterSwap", () => {
  const timeline = document.getElementById("timeline");
  if (timeline && before?.was) goOn(timeline, before.was, before.height);
  // Whoever was on a line stays on it; whoever writes elsewhere is left alone.
  if (on && document.getElementById("list")) mark(on, before?.isOnLine);
  if (before?.elsewhere) placed(before.elsewhere)?.focus();
  before = null;
  reachable();
});

/** What scrolls by itself can be reached by keyboard. */
function reachable() {
  for (const part of document.querySelectorAll("#timeline, main.conversation > aside")) part.tabIndex = 0;
}
document.addEventListener("DOMContentLoaded", reachable);

// ---- Keys ----

const rows = () => [...document.querySelectorAll(".row")];
let on = null;

function mark(address, withFocus) {
  on = address;
  for (const row of rows()) {
    row.toggleAttribute("data-on", row.href === on);
    if (withFocus && row.href === on) row.focus();
  }
}

function move(by) {
  const all = rows();
  if (!all.length) return;
  const at = all.findIndex((row) => row.href === on);
  mark(all[Math.min(Math.max(at + by, 0), all.length - 1)].href, true);
}

function take(address) {
  const form = document.getElementById("take");
  form.action = `${address}/take-over`;
  form.requestSubmit();
}

const KEYS = [
  ["j", "next line"],
  ["k", "line before"],
  ["Enter", "open"],
  ["t", "take over"],
  ["/", "search"],
  ["?", "these keys"],
];

function help() {
  let dialog = document.querySelector("dialog");
  if (!dialog) {
    dialog = document.createElement("dialog");
    dialog.setAttribute("aria-label", "Keys");
    const list = dialog.appendChild(document.createElement("dl"));
    for (const [key, what] of KEYS) {
      list.appendChild(document.createElement("dt")).appendChild(document.createElement("kbd")).textContent = key;
      list.appendChild(document.createElement("dd")).textContent = what;
    }
    document.body.appendChild(dialog);
  }
  dialog.open ? dialog.close() : dialog.showModal();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat && !"jk".includes(event.key)) return;
  if (event.target.closest("input, textarea, select")) return;
  const isHelp = document.querySelector("dialog[open]") !== null;
  const marked = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (event.key === "?") help();
  else if (isHelp) return;
  else if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "t" && !marked && on) take(on);
  else if (marked) marked.tagName === "INPUT" ? marked.focus() : marked.click();
  else return;
  event.preventDefault();
});
