// The web chat, by itself and in the portal: shows the thread of the customer whom the token names, and sends what they write.

const POLL_MS = 4_000, SLOWEST_POLL_MS = 30_000, RETRY_MS = [1_500, 5_000], TYPING_AFTER_MS = 600;
const TYPING_FOR_MS = 60_000, POST_TIMEOUT_MS = 45_000, GET_TIMEOUT_MS = 15_000;
const SHOWN_MESSAGES = 50, SHOWN_CHARS = 3_000;
const NAMES = { customer: 'You', bot: 'Assistant', operator: 'Support team' };

const $ = (id) => document.getElementById(id);
const log = $('log'), list = $('messages'), field = $('text'), composer = $('composer');
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** An element with properties; text goes in as text, never as markup. */
const make = (tag, properties) => Object.assign(document.createElement(tag), properties);

// ---- The token, and what must survive a reload ----

const TOKEN = 'chat:token';
const stored = {
  read(key) { try { return sessionStorage.getItem(key); } catch { return null; } },
  write(key, value) { try { sessionStorage.setItem(key, value); return true; } catch { return false; } },
};
const linked = new URLSearchParams(location.hash.slice(1)).get('token');
const token = linked || stored.read(TOKEN);
// Out of the address bar and the history; where nothing can be stored, a reload needs it there.
if (linked && stored.write(TOKEN, linked)) history.replaceState(null, '', location.pathname + location.search);
addEventListener('hashchange', () => location.reload());

/** Whose drafts these are: a link of another customer in the same tab must not send them. */
function customer() {
  try {
    return JSON.parse(atob(token.split('.')[1].replace(/-/g, '+').replace(/_/g, '/'))).sub;
  } catch {
    return token;
  }
}
const KEPT = `chat:kept:${customer()}`;
/** `outbox` holds messages the server has not confirmed, oldest first; `handed` is where a person took over. */
const kept = { draft: '', outbox: [], handed: 0, ...JSON.parse(stored.read(KEPT) || '{}') };
function keep() {
  const outbox = kept.outbox.map(({ id, text, at, error, final }) => ({ id, text, at, error, final }));
  stored.write(KEPT, JSON.stringify({ ...kept, outbox }));
}

// ---- The API ----

/** Throws `{status, detail}`; status 0 says that no answer came. */
async function call(query, body) {
  let response, answer;
  try {
    response = await fetch(`v1/messages${query}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout?.(body ? POST_TIMEOUT_MS : GET_TIMEOUT_MS),
    });
    answer = await response.json();
  } catch { /* a proxy's page, a cut answer or none: the status says what is known */ }
  if (response?.ok && answer) return answer;
  const status = response && !response.ok ? response.status : 0;
  if (status === 401) close('This chat link has expired.', 'Please open the chat again from the page or message that brought you here.');
  if (status === 410) close('This conversation is being deleted.', 'Nothing more can be sent here.');
  throw { status, detail: answer?.detail };
}

// ---- The thread: messages by number, then what is not confirmed ----

const shown = new Map();
let floor = 0, cursor = 0, closed = false, pinned = true, waitUntil = 0, waitFor = 0;

/** Changes the list, and keeps what the reader looks at in its place. */
function change(edit) {
  const below = log.scrollHeight - log.scrollTop;
  const follow = pinned;
  const earlier = edit() === 'earlier';
  arrange();
  if (follow && !earlier) log.scrollTop = log.scrollHeight;
  else if (earlier) log.scrollTop = log.scrollHeight - below;
}

function element({ author, text, at }) {
  const li = make('li', { className: author });
  const when = new Date(at);
  const exact = when.toLocaleString([], { dateStyle: 'full', timeStyle: 'medium' });
  const time = make('time', {
    dateTime: when.toISOString(), title: exact,
    textContent: when.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }),
  });
  const meta = make('p', { className: 'meta' });
  meta.append(make('b', { textContent: `${NAMES[author] ?? author} ` }), time);
  const body = make('div', { className: 'text', dir: 'auto', textContent: text, title: exact });
  li.append(meta, body);
  if (text.length > SHOWN_CHARS) {
    body.textContent = `${text.slice(0, SHOWN_CHARS).replace(/[\uD800-\uDBFF]$/, '')}…`;
    const label = `Show all ${text.length.toLocaleString()} characters`;
    const all = make('button', { type: 'button', className: 'plain', textContent: label });
    all.onclick = () => change(() => { pinned = false; body.textContent = text; all.remove(); body.tabIndex = -1; body.focus(); });
    li.append(all);
  }
  return Object.assign(li, { author, when });
}

function place(li, seq) {
  li.seq = seq;
  if (seq < Infinity) shown.set(seq, li);
  // What stands where it belongs is left alone; moving it would have it read out again.
  const { isConnected, previousElementSibling: above, nextElementSibling: below } = li;
  if (isConnected && !(above?.seq > seq) && !(below?.seq < seq)) return;
  li.remove();
  let before = list.lastElementChild;
  while (before?.seq > seq) before = before.previousElementSibling;
  before ? before.after(li) : list.prepend(li);
}

/** Days, names and states depend on the neighbours. */
function arrange() {
  let last, heard;
  for (const li of list.children) {
    const day = li.when.toDateString();
    const newDay = last?.when.toDateString() !== day;
    const first = newDay || last.author !== li.author || li.when - last.when > 300_000;
    li.classList.toggle('first', first);
    li.querySelector('.meta').classList.toggle('away', !first);
    line(li, 'day', newDay ? dayName(li.when) : '');
    line(li, 'handed', li.seq === kept.handed ? 'A person takes over from here' : '');
    if (li.author !== 'customer') heard = li;
    last = li;
  }
  const handed = byPerson(heard);
  write($('with'), handed ? 'With a person' : '');
  $('state').hidden = Boolean(last);
  const busy = kept.outbox.some((item) => item.busy && Date.now() - item.began >= TYPING_AFTER_MS);
  $('typing').hidden = handed || closed || !(busy || Date.now() < waitUntil);
}

/** Text that is the same already is left alone, or screen readers would read it out again. */
function write(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/** A line above (the day) or under a message; none where there is no text. */
function line(li, className, text) {
  let p = li.querySelector(`.${className}`);
  if (!text) return p?.remove();
  if (!p) {
    p = make('p', { className });
    className === 'day' ? li.prepend(p) : li.append(p);
  }
  write(p, text);
  return p;
}

/** A person answers until the bot is heard again. */
function byPerson(heard) {
  return heard?.author === 'operator' || (kept.handed > 0 && !(heard?.seq > kept.handed));
}

function dayName(when) {
  const days = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(when).setHours(0, 0, 0, 0)) / 86_400_000);
  return ['Today', 'Yesterday'][days] ?? when.toLocaleDateString([], { dateStyle: 'full' });
}

/** A message of the log. One that is still on its way out is shown once: the answer to the post says if it was that one. */
function add(message) {
  if (shown.has(message.seq)) return;
  const since = Date.parse(message.at) + 600_000;
  const own = message.author === 'customer' && kept.outbox.find((item) =>
    item.busy && !item.claim && item.at < since && item.text.slice(0, 1_000) === message.text.slice(0, 1_000));
  if (own) own.claim = message.seq;
  place(own ? own.li : element(message), message.seq);
  if (message.author !== 'customer') {
    if (message.seq > waitFor) waitUntil = 0;
    if (!pinned && message.seq > floor) $('newest').hidden = false;
  }
}

// ---- Reading ----

/** Everything after the last message seen. */
async function catchUp() {
  for (;;) {
    const page = await call(`?after=${cursor}`);
    // The thread is another one now: it was erased, or joined to another.
    if (page.last_seq < cursor) return location.reload();
    cursor = page.last_seq;
    if (!page.messages.length) return;
    change(() => page.messages.forEach(add));
  }
}

async function load() {
  state('Loading the conversation…');
  try {
    const { last_seq } = await call(`?after=${Number.MAX_SAFE_INTEGER}`);
    cursor = floor = Math.max(0, last_seq - SHOWN_MESSAGES);
    await catchUp();
  } catch {
    if (!closed) state('The conversation could not be loaded.', 'Check the connection.', load);
    return;
  }
  $('earlier').hidden = floor === 0;
  state('How can we help?', 'Write your question below.');
  composer.hidden = false;
  resize();
  if (matchMedia('(hover: hover)').matches) field.focus();
  log.scrollTop = log.scrollHeight;
  // History is there to be read, not to be read out.
  setTimeout(() => { log.ariaLive = 'polite'; }, 500);
  change(() => kept.outbox.forEach(post));
  kept.outbox.forEach((item) => (item.error ? fate(item, item.error) : deliver(item)));
  schedule();
}

/** The page before the first message shown. Old messages may have been deleted: look further back then. */
async function earlier() {
  const button = $('earlier');
  button.disabled = true;
  log.ariaLive = 'off';
  try {
    for (let step = SHOWN_MESSAGES, found = 0; !found && floor > 0; step *= 2) {
      const from = Math.max(0, floor - step);
      const pages = [];
      for (let after = from, page; after < floor; after = page.last_seq) {
        pages.push(page = await call(`?after=${after}`));
        if (!page.messages.length) break;
      }
      const messages = pages.flatMap((page) => page.messages).filter(({ seq }) => seq <= floor);
      found = messages.length;
      change(() => { messages.forEach(add); return 'earlier'; });
      floor = from;
    }
    button.hidden = floor === 0;
    notice('');
  } catch {
    if (!closed) notice('Earlier messages could not be loaded. Please try again.');
  }
  button.disabled = false;
  if (button.hidden) log.focus();
  setTimeout(() => { log.ariaLive = 'polite'; }, 500);
}

let timer, polling = false, failures = 0;
function schedule() {
  clearTimeout(timer);
  if (!closed && !document.hidden) timer = setTimeout(poll, Math.min(POLL_MS * 2 ** failures, SLOWEST_POLL_MS));
}
async function poll() {
  if (polling || composer.hidden || closed || document.hidden) return;
  polling = true;
  try {
    await catchUp();
    if (failures) sendFailed();
    failures = 0;
  } catch {
    failures += 1;
    if (failures > 1 || !navigator.onLine) trouble();
  }
  polling = false;
  change(() => {});
  schedule();
}
function trouble() {
  if (closed) return;
  notice(navigator.onLine
    ? 'No connection to the chat. Trying again…'
    : 'You are offline. What you write is kept here and sent when you are back.');
}

// ---- Writing ----

function submit() {
  const text = field.value.trim();
  field.focus();
  if (!text || closed) return;
  const item = { id: uuid(), text, at: Date.now() };
  kept.outbox.push(item);
  kept.draft = field.value = '';
  keep();
  resize();
  pinned = true;
  change(() => post(item));
  deliver(item);
}

/** `crypto.randomUUID` is missing where the page comes over plain HTTP. */
function uuid() {
  return '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, (c) =>
    (+c ^ (crypto.getRandomValues(new Uint8Array(1))[0] & (15 >> (+c / 4)))).toString(16));
}

function post(item) {
  item.li = element({ ...item, author: 'customer' });
  place(item.li, Infinity);
}

/** Sends until the answer is certain. The id stays the same, so that a message is taken once however often it is sent. */
async function deliver(item) {
  if (item.busy || closed) return;
  Object.assign(item, { busy: true, began: Date.now(), error: '', claim: 0 });
  change(() => fate(item, ''));
  setTimeout(() => change(() => {}), TYPING_AFTER_MS);
  for (let tries = 0; ; tries += 1) {
    try {
      confirm(item, await call('', { id: item.id, text: item.text }));
      break;
    } catch (problem) {
      const final = problem.status >= 400 && problem.status < 500 && ![408, 425, 429].includes(problem.status);
      if (final || closed || tries === RETRY_MS.length || !navigator.onLine) {
        fail(item, problem, final && !closed);
        break;
      }
      change(() => fate(item, item.claim ? '' : 'Still sending…'));
      await sleep(RETRY_MS[tries]);
    }
  }
  keep();
}

/** The connection is back. */
function sendFailed() {
  notice('');
  kept.outbox.filter((item) => item.error && !item.final).forEach(deliver);
}

function confirm(item, { status, seq, reply }) {
  kept.outbox.splice(kept.outbox.indexOf(item), 1);
  item.busy = false;
  if (status === 'escalated') kept.handed = Math.max(kept.handed, reply?.seq ?? seq);
  if (!reply && (status === 'superseded' || status === 'duplicate')) {
    waitUntil = Date.now() + TYPING_FOR_MS;
    waitFor = seq;
  }
  change(() => {
    for (const li of list.children) if (!li.querySelector('.failed')) line(li, 'fate', '');
    const delivered = $('with').textContent ? 'Delivered. A person will answer here.' : 'Delivered.';
    fate(item, status === 'silent' ? delivered : '');
    if (shown.has(seq)) {
      if (!item.claim) item.li.remove();
    } else {
      place(item.claim ? element({ ...item, author: 'customer' }) : item.li, seq);
    }
    if (reply) add({ ...reply, author: 'bot', at: Date.now() });
  });
}

function fail(item, { status, detail }, final) {
  const error = closed ? '' // The page of the next link sends it.
    : final && detail ? `Not sent: ${detail}`
    : !navigator.onLine ? 'Not sent. You are offline.'
    : status === 0 ? 'Not sent. There is no connection.'
    : 'Not sent. The chat does not answer at the moment.';
  Object.assign(item, { busy: false, final, error });
  change(() => {
    if (item.claim) post(item);
    fate(item, error || 'Not sent.');
  });
}

/** What became of an own message, under it. */
function fate(item, text) {
  const p = line(item.li, 'fate', text);
  p?.classList.toggle('failed', Boolean(item.error));
  if (p && item.error) {
    // What was refused was not taken, so that another text under a new id cannot double it.
    const button = make('button', { type: 'button', className: 'plain', textContent: item.final ? 'Edit' : 'Try again' });
    button.onclick = () => (item.final ? edit(item) : (field.focus(), deliver(item)));
    p.append(' ', button);
  }
}

function edit(item) {
  kept.outbox.splice(kept.outbox.indexOf(item), 1);
  change(() => item.li.remove());
  field.value = [item.text, field.value].filter(Boolean).join('\n');
  kept.draft = field.value;
  keep();
  resize();
  field.focus();
}

// ---- The frame ----

function notice(text) {
  $('notice').hidden = !text;
  $('notice').textContent = text;
}

function state(title, text, retry) {
  const parts = [make('strong', { textContent: title }), make('p', { textContent: text ?? '' })];
  if (retry) parts.push(make('button', { type: 'button', textContent: 'Try again', onclick: retry }));
  $('state').replaceChildren(...parts);
}

/** Nothing more comes in or goes out; what was written stays to be copied. */
function close(title, text) {
  closed = true;
  clearTimeout(timer);
  $('earlier').hidden = true;
  if (list.children.length) notice(`${title} ${text}`);
  else state(title, text);
  composer.hidden = !field.value;
  field.readOnly = composer.querySelector('button').disabled = true;
  change(() => {});
}

function resize() {
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight + 2}px`;
}

composer.onsubmit = (event) => { event.preventDefault(); submit(); };
field.oninput = () => { kept.draft = field.value; keep(); resize(); };
field.onkeydown = (event) => {
  // Enter that ends a composition (Japanese, Chinese, Korean) does not send.
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  submit();
};
$('earlier').onclick = earlier;
$('newest').onclick = () => { log.scrollTop = log.scrollHeight; field.focus(); };
log.onscroll = () => {
  pinned = log.scrollHeight - log.scrollTop - log.clientHeight < 64;
  if (pinned) $('newest').hidden = true;
};
new ResizeObserver(() => { if (pinned) log.scrollTop = log.scrollHeight; }).observe(log);
// Where the keyboard lies over the page instead of making it shorter.
visualViewport?.addEventListener('resize', () => {
  const covered = visualViewport.scale === 1 && innerHeight - visualViewport.height > 1;
  document.documentElement.style.setProperty('--height', covered ? `${visualViewport.height}px` : '');
  if (covered) scrollTo(0, 0);
});
document.addEventListener('visibilitychange', () => { clearTimeout(timer); poll(); });
addEventListener('offline', trouble);
addEventListener('online', () => {
  if (closed) return;
  if (composer.hidden) return load();
  sendFailed();
  poll();
});

/** What the portal shares with the chat. */
export { $, make, token, uuid };

field.value = kept.draft;
if (token) {
  load();
} else {
  close('This chat opens from a link.', 'Please open it again from the page or message that brought you here.');
}
