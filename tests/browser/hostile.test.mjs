// What a customer writes is shown as text, whatever it is.

import assert from 'node:assert/strict';
import { PHONE, scene } from './browser.mjs';
import { Customer } from './customer.mjs';
import { tooWide } from './looks.mjs';
import { apiUrl } from './stack.mjs';

const CHARS = 50_000;
const SCRIPT = '<script>document.title="owned";alert(1)</script>';
const IMAGE = '<img src=x onerror="document.title=\'owned\';alert(2)">';
const END = 'the very last words';

/** HTML, scripts, a right-to-left override, characters without width, one endless word, and very much of it. */
function hostile() {
  const start = `${SCRIPT} ${IMAGE} "><b>deposit</b> \u202Edesrever\u202C zero\u200Bwidth\u2060 ${'w'.repeat(2_000)} `;
  const filler = 'And another thing that I want to say about my deposit, </div></main> as well. ';
  const text = start + filler.repeat(Math.ceil(CHARS / filler.length));
  return text.slice(0, CHARS - END.length) + END;
}

/** The page shows `texts` as text and ran nothing of it, and nothing is wider than the window. */
async function isHarmless(page, where, texts) {
  const shown = await page.locator('main').evaluate((main) => main.textContent);
  for (const text of texts) assert.ok(shown.includes(text), `${where} shows ${text}: ${shown.slice(0, 600)}`);
  assert.equal(await page.locator('main').locator('script, img').count(), 0, where);
  assert.doesNotMatch(await page.title(), /owned/, where);
  assert.deepEqual(await tooWide(page), [], where);
}

scene('50,000 characters of HTML, script and hidden characters are shown as text everywhere', async (desk) => {
  const customer = new Customer();
  await customer.asksForTheDeposit(hostile());
  const page = await desk.signIn('robin', { viewport: PHONE, address: `${apiUrl}/console?q=${customer.sub}` });
  await page.locator('.row', { hasText: customer.sub }).waitFor();
  await isHarmless(page, 'the inbox', [SCRIPT.slice(0, 30)]);

  await page.locator('.row', { hasText: customer.sub }).click();
  const message = page.locator('li.message.customer');
  await message.waitFor();
  await isHarmless(page, 'the conversation', [SCRIPT, IMAGE, 'U+202E', 'U+200B', 'U+2060']);
  assert.equal(await message.locator('.badge', { hasText: 'hidden characters' }).count(), 1);
  assert.ok((await message.innerText()).length < 10_000, 'a long message is cut');
  const conversation = page.url();

  await page.getByRole('link', { name: 'Show all of it' }).click();
  await page.locator('main.whole').waitFor();
  await isHarmless(page, 'the whole message', [SCRIPT, IMAGE, END]);
  assert.ok((await page.locator('main.whole .text').innerText()).length >= CHARS);

  await page.goto(conversation);
  await page.getByRole('link', { name: /trace/ }).click();
  await page.locator('main.trace').waitFor();
  await isHarmless(page, 'the trace', [IMAGE]);

  const chat = await desk.page({ viewport: PHONE });
  await chat.goto(customer.chat);
  await chat.locator('#messages li.customer').waitFor();
  await isHarmless(chat, 'the web chat', [SCRIPT, IMAGE]);
});

scene('what operators write is text, too', async (desk) => {
  const customer = new Customer();
  await customer.asksForTheDeposit();
  const page = await desk.signIn('robin', { address: customer.conversation });
  await page.getByLabel('Reply as robin').fill(SCRIPT + IMAGE);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('li.message.operator').waitFor();
  await isHarmless(page, 'the conversation', [SCRIPT, IMAGE]);
  await page.goto(`${apiUrl}/console?q=${encodeURIComponent(SCRIPT)}`);
  await page.locator('.searched').waitFor();
  await isHarmless(page, 'a search', [SCRIPT]);
});
