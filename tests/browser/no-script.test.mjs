// The console in a browser that runs no JavaScript.

import assert from 'node:assert/strict';
import { scene } from './browser.mjs';
import { Customer } from './customer.mjs';

const MESSAGES = 120;
const NO_SCRIPT = { javaScriptEnabled: false };

scene('without JavaScript an operator finds a conversation, reads it and answers', async (desk) => {
  const customer = new Customer();
  await customer.asksForTheDeposit();
  const page = await desk.signIn('robin', NO_SCRIPT);
  await page.locator('.search input').fill(customer.sub);
  await page.locator('.search input').press('Enter');
  await page.locator('.row', { hasText: customer.sub }).click();
  await page.locator('li.message.customer', { hasText: 'deposit' }).waitFor();
  await page.getByLabel('Reply as robin').fill('It is on its way.');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('li.message.operator', { hasText: 'It is on its way.' }).waitFor();
  assert.equal((await customer.messages()).at(-1).text, 'It is on its way.');
});

scene('without JavaScript an operator pages backwards to the first of 120 messages', async (desk) => {
  const customer = new Customer();
  await customer.asksForTheDeposit('When do I get my deposit back? This is message 1.');
  // The case is a person's, so that nothing is said in between; the notice is message 2.
  for (let n = 3; n <= MESSAGES; n += 1) await customer.drop(`This is message ${n}.`);

  const page = await desk.signIn('robin', { address: customer.conversation, ...NO_SCRIPT });
  const numbers = [];
  for (;;) {
    const shown = await page.locator('li.message').evaluateAll((all) => all.map(({ id }) => Number(id.slice(1))));
    numbers.unshift(...shown);
    const older = page.getByRole('link', { name: 'Older messages' });
    if ((await older.count()) === 0) break;
    await older.click();
    await page.locator(`#m${numbers[0] - 1}`).waitFor();
  }
  assert.deepEqual(numbers, Array.from({ length: MESSAGES }, (_, index) => index + 1));
  await page.getByRole('link', { name: 'Newest messages' }).click();
  await page.locator('li.message', { hasText: `This is message ${MESSAGES}.` }).waitFor();
});
