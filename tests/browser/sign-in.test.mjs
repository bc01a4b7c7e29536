// Who gets in, and how.

import assert from 'node:assert/strict';
import { enter, scene } from './browser.mjs';
import { Customer } from './customer.mjs';
import { apiUrl, providerUrl } from './stack.mjs';

scene('a page without a session leads to the sign-in page, and from there to the page that was asked for', async (desk) => {
  const asked = `${apiUrl}/console?tab=resolved`;
  const page = await desk.page();
  await page.goto(asked);
  assert.ok(page.url().startsWith(`${providerUrl}/oauth2/authorize`), page.url());
  await enter(page, 'robin');
  assert.equal(page.url(), asked);
  assert.equal(await page.locator('.tabs [aria-current]').innerText(), 'Resolved');
  assert.match(await page.locator('.menu summary').innerText(), /robin/);
});

scene('a link to a conversation leads there, by way of the sign-in page', async (desk) => {
  const customer = new Customer();
  await customer.asksForTheDeposit();
  const page = await desk.page();
  await page.goto(customer.conversation);
  await enter(page, 'robin');
  assert.equal(await page.locator('h1').innerText(), customer.identity);
});

scene('signing out ends the session', async (desk) => {
  const page = await desk.signIn('robin');
  await page.locator('.menu summary').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(`${apiUrl}/console/signed-out`);
  await page.getByRole('heading', { name: 'Signed out' }).waitFor();
  await page.goto(`${apiUrl}/console`);
  assert.ok(page.url().startsWith(providerUrl), page.url());
});

scene('the theme is switched, and stays so on the next page', async (desk) => {
  const page = await desk.signIn('robin', { colorScheme: 'light' });
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await background();
  await page.locator('.menu summary').click();
  await page.getByRole('button', { name: 'Light or dark' }).click();
  const dark = await background();
  assert.notEqual(dark, light);
  await page.goto(`${apiUrl}/console?tab=mine`);
  assert.equal(await background(), dark);
});
