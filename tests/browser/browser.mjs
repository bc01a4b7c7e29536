// Browsers: each test has its own, and none may complain about a page.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { apiUrl, operator, providerUrl } from './stack.mjs';

export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1280, height: 800 };

const CHROMIUM = {
  executablePath: '/usr/bin/chromium',
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};
/** How long anything on a page may take on a busy machine. */
const DEADLINE_MS = 30_000;
const TEST_MS = 240_000;

let launched;
after(async () => (await launched)?.close());

/** A test that is handed a `Desk`. It fails on what a page complains about, too, and leaves pictures then. */
export function scene(name, story) {
  test(name, { timeout: TEST_MS }, async () => {
    launched ??= chromium.launch(CHROMIUM);
    const desk = new Desk(await launched);
    try {
      await story(desk);
      assert.deepEqual(desk.complaints(), []);
    } catch (error) {
      await desk.takePictures(name);
      throw error;
    } finally {
      await desk.close();
    }
  });
}

/** The pages of one test. */
class Desk {
  #browser;
  #contexts = [];
  #pages = [];
  #heard = [];
  #expected = [];

  constructor(browser) {
    this.#browser = browser;
  }

  /** A page in a browser of its own: no cookies, nothing stored. */
  async page(options = {}) {
    const context = await this.#browser.newContext({ viewport: DESKTOP, ...options });
    context.setDefaultTimeout(DEADLINE_MS);
    this.#contexts.push(context);
    const page = await context.newPage();
    this.#pages.push(page);
    this.#listen(page);
    return page;
  }

  /** A page of an operator who has signed in as people do, at `address` or in the inbox. */
  async signIn(username, { address, ...options } = {}) {
    const page = await this.page(options);
    await page.goto(`${apiUrl}/console`);
    await enter(page, username);
    if (address) await page.goto(address);
    return page;
  }

  /** Something is wrong with a page. */
  hears(complaint) {
    this.#heard.push(complaint);
  }

  /** A complaint that a test provokes. */
  expects(pattern) {
    this.#expected.push(pattern);
  }

  /** What is wrong: errors, warnings and violations of the content policy, of all pages. */
  complaints() {
    return this.#heard.filter((said) => !this.#expected.some((pattern) => pattern.test(said)));
  }

  async takePictures(name) {
    const stem = name.replaceAll(/\W+/g, '-').slice(0, 80);
    for (const [index, page] of this.#pages.entries()) {
      await page.screenshot({ path: `${picturesDir('failed')}/${stem}-${index}.png` }).catch(() => {});
    }
  }

  async close() {
    await Promise.all(this.#contexts.map((context) => context.close()));
  }

  #listen(page) {
    page.on('console', (message) => {
      const { url } = message.location();
      const isOurs = !url.startsWith(providerUrl);
      if (isOurs && ['error', 'warning'].includes(message.type())) this.hears(`${message.text()} at ${url}`);
    });
    page.on('pageerror', (error) => this.hears(`${error.message} at ${page.url()}`));
    page.on('dialog', (dialog) => {
      this.hears(`a dialog: ${dialog.message()}`);
      dialog.dismiss().catch(() => {});
    });
  }
}

/** Fills in the hosted sign-in page that stands there, and waits for the console. */
export async function enter(page, username) {
  const { password } = operator(username);
  await page.locator('#username').fill(username);
  await page.locator('#password').fill(password);
  await page.locator('button').click();
  await page.waitForURL(`${apiUrl}/console**`);
}

/** Resolves the customer's case, on this operator's page. */
export async function resolve(page, customer) {
  await page.goto(customer.conversation);
  await page.getByRole('button', { name: 'Hand back and resolve' }).click();
  await page.locator('.banner', { hasText: 'The bot is answering here' }).waitFor();
}

/** An open page stays as it is: what it asks for later is never news. */
export async function freeze(page) {
  await page.route(/\/(live|inbox)\?/, (route) => route.fulfill({ status: 204 }));
}

/** Asks again until `found` gives something that is not false; the newest answer, or an error that says what was awaited. */
export async function until(what, found) {
  const end = Date.now() + DEADLINE_MS;
  for (;;) {
    const answer = await found();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`not within ${DEADLINE_MS} ms: ${what}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** Where pictures of pages go; made if it is missing. */
export function picturesDir(...names) {
  const dir = fileURLToPath(new URL(['../../target/screenshots', ...names].join('/'), import.meta.url));
  mkdirSync(dir, { recursive: true });
  return dir;
}
