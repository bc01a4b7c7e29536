// The customer portal: the chat, and beside it what is the customer's own: requests, orders, settings, feedback.

import { $, make, token, uuid } from '../chat/chat.js';

const TIMEOUT_MS = 20_000, FEEDBACK_CHARS = 1_000;
const CHANNELS = { chat: 'Web chat', sms: 'SMS', whatsapp: 'WhatsApp', email: 'E-mail', telegram: 'Telegram', slack: 'Slack', voice: 'Phone' };

// ---- The API ----

/** Throws a sentence for people. */
async function call(path, method = 'GET', body) {
  let response, answer;
  try {
    response = await fetch(`v1/me${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout?.(TIMEOUT_MS),
    });
    answer = await response.json();
  } catch { /* a proxy's page, a cut answer or none: the status says what is known */ }
  if (response?.ok && answer) return answer;
  if (response?.status === 401) throw 'This link has expired. Please open the portal again from the page or message that brought you here.';
  if (response?.status >= 400 && response.status < 500 && answer?.detail) throw answer.detail;
  throw navigator.onLine ? 'That did not work. Please try again.' : 'You are offline. Please try again when you are back.';
}

// ---- Pieces ----

const add = (parent, ...children) => (parent.append(...children.filter(Boolean)), parent);
const paragraph = (className, text) => make('p', { className, textContent: text });
const button = (textContent, onclick, className = '') => make('button', { type: 'button', textContent, onclick, className });

/** A point in time, or what a record says in place of one. */
function when(text, withTime = false) {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const date = new Date(day ? `${text}T00:00` : text);
  if (Number.isNaN(date.getTime())) return text;
  return date.toLocaleString([], { dateStyle: 'medium', ...(withTime && !day && { timeStyle: 'short' }) });
}

const line = (...parts) => parts.filter(Boolean).join(' · ');
const badge = (text, open) => make('span', { className: open ? 'badge open' : 'badge', textContent: text });

function head(title, status, open) {
  const left = make('h3', { textContent: title, dir: 'auto' });
  return add(make('div', { className: 'head' }), left, status && badge(status, open));
}

function problem(form, text) {
  const p = form.querySelector('.problem');
  p.hidden = !text;
  p.textContent = text ?? '';
}

/** Fills a list: loading, failed with a way to try again, empty, or its items. */
async function fill(name, load, empty) {
  const list = document.querySelector(`[data-list="${name}"]`);
  if (!list.children.length) list.replaceChildren(paragraph('empty', 'Loading…'));
  try {
    const items = await load();
    list.replaceChildren(...(items.length ? items : [paragraph('empty', empty)].filter(() => empty)));
  } catch (sentence) {
    if (typeof sentence !== 'string') throw sentence;
    list.replaceChildren(paragraph('problem', sentence), button('Try again', () => fill(name, load, empty)));
  }
}

// ---- Sections ----

const tabs = [...document.querySelectorAll('nav button')];
const SECTIONS = { chat: () => {}, requests, orders, settings };

function show(name) {
  for (const tab of tabs) {
    const is = tab.dataset.section === name;
    is ? tab.setAttribute('aria-current', 'page') : tab.removeAttribute('aria-current');
    $(tab.dataset.section).hidden = !is;
  }
  if (name === 'chat') tabs[0].querySelector('.new')?.remove();
  if (token) SECTIONS[name]();
}
for (const tab of tabs) tab.onclick = () => show(tab.dataset.section);

// ---- Requests ----

function requests() {
  const load = async () => (await call('/requests')).items.map(request);
  return fill('requests', load, 'You have no requests. What you send above appears here, with everything that becomes of it.');
}

function request(item) {
  const article = make('article', {});
  const dates = [
    item.opened_at && `opened ${when(item.opened_at)}`,
    item.due_at && item.open && `due ${when(item.due_at)}`,
    item.closed_at ? `closed ${when(item.closed_at)}` : `updated ${when(item.updated_at)}`,
  ];
  add(article,
    head(item.subject || `Request ${item.id}`, item.status ?? (item.open ? 'open' : 'closed'), item.open),
    paragraph('facts', line(item.id, ...dates)),
    item.assigned_to && paragraph('facts', `With ${item.assigned_to}`),
    item.text && make('p', { className: 'wrote', dir: 'auto', textContent: item.text }),
    item.last_note && make('p', { className: 'note', dir: 'auto', textContent: item.last_note }));
  if (item.open) article.append(closing(item));
  return article;
}

/** Closing is asked for twice: nobody works on the request any more after it. */
function closing(item) {
  const actions = make('div', { className: 'actions' });
  const ask = () => {
    const sure = button('Close request', close);
    actions.replaceChildren(make('span', { textContent: 'Nobody will work on it any more.' }), sure, button('Keep it open', back));
    sure.focus();
  };
  const back = () => actions.replaceChildren(button('Close request…', ask));
  const close = async () => {
    for (const each of actions.querySelectorAll('button')) each.disabled = true;
    try {
      await call(`/requests/${encodeURIComponent(item.id)}/close`, 'POST');
      await requests();
      $('own-requests').tabIndex = -1;
      $('own-requests').focus();
    } catch (sentence) {
      back();
      actions.append(paragraph('problem', String(sentence)));
    }
  };
  back();
  return actions;
}

/** The id stays the same until the request is taken, so that it is opened once however often it is sent. */
let requestId = uuid();
$('new-request').onsubmit = async (event) => {
  event.preventDefault();
  const form = event.target, send = form.querySelector('button');
  const [subject, text] = [$('subject').value.trim(), $('wish').value.trim()];
  if (!subject || !text) {
    problem(form, subject ? 'Please say what you need.' : 'Please say what it is about.');
    return (subject ? $('wish') : $('subject')).focus();
  }
  problem(form);
  send.disabled = true;
  try {
    await call('/requests', 'POST', { id: requestId, subject, text });
    requestId = uuid();
    form.reset();
    await requests();
  } catch (sentence) {
    problem(form, String(sentence));
  }
  send.disabled = false;
};
// Another text is another request.
$('new-request').oninput = () => { requestId = uuid(); };

// ---- Orders and appointments ----

function orders() {
  const load = async () => (await call('/orders')).items.map((item) => (item.kind === 'order' ? order(item) : appointment(item)));
  return fill('orders', load, 'There are no orders or appointments on record.');
}

function order(item) {
  const total = item.total && `total ${line(item.total)}${item.currency ? ` ${item.currency}` : ''}`;
  const way = line(item.arrives && `arrives ${when(item.arrives)}`, item.carrier, item.tracking && `tracking ${item.tracking}`);
  const article = add(make('article', {}),
    head(`Order ${item.id}`, item.status),
    paragraph('facts', line(item.placed_at && `ordered ${when(item.placed_at)}`, total, `as of ${when(item.as_of, true)}`)),
    way && paragraph('facts', way));
  if (item.items.length) {
    article.append(add(make('ul', {}), ...item.items.map((text) => make('li', { textContent: text, dir: 'auto' }))));
  }
  return article;
}

function appointment(item) {
  return add(make('article', {}),
    head(item.title || 'Appointment', item.status),
    paragraph('facts', line(item.starts && when(item.starts, true), item.place, item.id)),
    paragraph('facts', `as of ${when(item.as_of, true)}`));
}

// ---- Settings ----

const preferences = $('preferences');
/** What is set, as it was read last: only what the customer changes of it is sent, so that an old page undoes nothing. */
let read = {};

function settings() {
  const load = async () => {
    const { name, settings } = await call('');
    if (name) $('who').textContent = name;
    set(settings);
    preferences.hidden = false;
    return [];
  };
  return fill('settings', load, '');
}

function set({ language, channel, accounts }) {
  read = { language, channel };
  choose($('language'), language);
  choose($('channel'), channel);
  const named = accounts.map(({ account, channel, opted_out: out }) => {
    const box = make('input', { type: 'checkbox', value: account, defaultChecked: !out });
    const name = CHANNELS[channel] ?? account;
    const same = accounts.filter((other) => other.channel === channel).length > 1;
    return add(make('label', { className: 'choice' }), box, same && name !== account ? `${name} (${account})` : name);
  });
  const legend = $('accounts').querySelector('legend');
  $('accounts').replaceChildren(legend, ...(named.length ? named : [paragraph('saved', 'Once you have written to us, the ways on which you did appear here.')]));
}

/** A value that the list does not know, from elsewhere, is kept. */
function choose(select, value) {
  if (value && ![...select.options].some((option) => option.value === value)) {
    select.append(make('option', { value, textContent: value }));
  }
  select.value = value ?? '';
}

preferences.oninput = () => { preferences.querySelector('.saved[role]').textContent = ''; };
preferences.onsubmit = async (event) => {
  event.preventDefault();
  const save = preferences.querySelector('button'), saved = preferences.querySelector('.saved[role]');
  const boxes = [...$('accounts').querySelectorAll('input')];
  problem(preferences);
  saved.textContent = '';
  save.disabled = true;
  try {
    const moved = boxes.filter((box) => box.checked !== box.defaultChecked);
    const wishes = ['language', 'channel'].map((name) => [name, $(name).value || null]);
    set(await call('/settings', 'PUT', {
      ...Object.fromEntries(wishes.filter(([name, wish]) => wish !== read[name])),
      opt_out: moved.filter((box) => !box.checked).map((box) => box.value),
      opt_in: moved.filter((box) => box.checked).map((box) => box.value),
    }));
    saved.textContent = $('accounts').querySelector('input:not(:checked)')
      ? 'Saved. Where a box is not ticked, you hear nothing from us.'
      : 'Saved.';
  } catch (sentence) {
    problem(preferences, String(sentence));
  }
  save.disabled = false;
};

// ---- Feedback on a reply ----

const rated = new Map();

/** A thumb that is drawn: not every system has a font with one. */
function hand(rating) {
  const draw = (tag, attributes) => {
    const drawn = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) drawn.setAttribute(name, value);
    return drawn;
  };
  const d = 'M2 10h4v11H2zM9 10l4-8c2 0 3 1.5 2.5 3.5L14.5 9H20a2 2 0 0 1 2 2.4l-1.6 8a2 2 0 0 1-2 1.6H9z';
  const down = rating === 'down' && { transform: 'rotate(180 12 12)' };
  return add(draw('svg', { viewBox: '0 0 24 24', width: 18, height: 18, 'aria-hidden': 'true' }), draw('path', { d, ...down }));
}

/** Thumbs under each message of the assistant and of the team that has its number. */
function rateable(li) {
  if (!(li.seq < Infinity) || li.classList.contains('customer') || li.querySelector('.rating')) return;
  const row = make('div', { className: 'rating' });
  row.setAttribute('role', 'group');
  row.ariaLabel = 'Your feedback on this message';
  const thumb = (rating, label) => {
    const each = button('', () => rate(row, li.seq, { rating, text: rated.get(li.seq)?.text ?? '' }, true));
    each.ariaLabel = each.title = label;
    each.dataset.rating = rating;
    return add(each, hand(rating));
  };
  add(row, thumb('up', 'This helped'), thumb('down', 'This did not help'));
  paint(row, rated.get(li.seq));
  li.querySelector('.text').after(row);
}

function paint(row, feedback) {
  for (const each of row.querySelectorAll('[data-rating]')) {
    each.setAttribute('aria-pressed', String(each.dataset.rating === feedback?.rating));
  }
  row.querySelector('.said')?.remove();
  if (feedback?.text) row.append(make('span', { className: 'said', dir: 'auto', textContent: `“${feedback.text}”` }));
}

async function rate(row, seq, feedback, ask) {
  const before = rated.get(seq);
  paint(row, feedback);
  row.querySelector('.problem')?.remove();
  try {
    rated.set(seq, await call(`/feedback/${seq}`, 'PUT', feedback));
    paint(row, rated.get(seq));
    if (ask) words(row, seq);
  } catch (sentence) {
    paint(row, before);
    row.append(paragraph('problem', String(sentence)));
  }
}

/** Words are asked for once the thumb is kept, and may be left out. */
function words(row, seq) {
  row.querySelector('form')?.remove();
  const { rating, text } = rated.get(seq);
  const label = rating === 'up' ? 'What helped? (optional)' : 'What was wrong? (optional)';
  const field = make('input', { value: text, maxLength: FEEDBACK_CHARS, placeholder: label, dir: 'auto', autocomplete: 'off' });
  field.ariaLabel = label;
  const form = add(make('form', {}), field, make('button', { textContent: 'Send' }));
  form.onsubmit = (event) => {
    event.preventDefault();
    form.remove();
    rate(row, seq, { rating: rated.get(seq).rating, text: field.value.trim() });
  };
  row.append(form);
}

const list = $('messages');
new MutationObserver((changes) => {
  const added = changes.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node.parentNode === list);
  added.forEach(rateable);
  const heard = added.some((li) => !li.classList.contains('customer'));
  if (heard && $('chat').hidden && !tabs[0].querySelector('.new')) {
    tabs[0].append(add(make('span', { className: 'new' }), make('span', { className: 'away', textContent: 'new message' })));
  }
}).observe(list, { childList: true });

async function start() {
  if (!token) return;
  call('').then(({ name }) => { if (name) $('who').textContent = name; }, () => {});
  try {
    for (const feedback of (await call('/feedback')).items) rated.set(feedback.seq, feedback);
  } catch { /* the thumbs can be given all the same */ }
  for (const li of list.children) {
    rateable(li);
    const row = li.querySelector('.rating');
    if (row) paint(row, rated.get(li.seq));
  }
}
start();
