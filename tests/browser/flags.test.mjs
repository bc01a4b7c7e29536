// The list of flags: what the bot said that was wrong.

import assert from 'node:assert/strict';
import { scene } from './browser.mjs';
import { Customer } from './customer.mjs';
import { looksRight } from './looks.mjs';

scene('a flag is in the list with the reply in its context, until it is taken back', async (desk) => {
  const customer = new Customer();
  await customer.write(`When does the pool close? (${customer.word})`);
  const page = await desk.signIn('robin', { address: customer.conversation });
  await page.getByRole('button', { name: 'Flag message 2' }).click();
  await page.locator('.flagging summary').waitFor();

  await page.locator('.menu summary').click();
  await page.getByRole('link', { name: 'Flags' }).click();
  const flag = page.locator('.flagged', { hasText: customer.word });
  await flag.waitFor();
  assert.match(await flag.innerText(), /⚑ robin/);
  await looksRight(desk, page, 'flags');

  await flag.getByRole('link', { name: 'In the conversation' }).click();
  await page.locator('#m2').waitFor();
  await page.getByRole('button', { name: 'un-flag message 2' }).click();
  await page.getByRole('button', { name: 'Flag message 2' }).waitFor();
  await page.goto(new URL('/console/flags', page.url()).href);
  await page.getByRole('heading', { name: 'Flags' }).waitFor();
  assert.equal(await page.locator('.flagged', { hasText: customer.word }).count(), 0);
});
