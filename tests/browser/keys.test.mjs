// The inbox by keyboard.

import assert from 'node:assert/strict';
import { resolve, scene } from './browser.mjs';
import { Customer, randomWord } from './customer.mjs';
import { apiUrl } from './stack.mjs';

const marked = (page) => page.locator('.row[data-on]');
const isFocused = (locator) => locator.evaluate((element) => element === document.activeElement);

/** Two customers with a case, and an inbox that shows the two alone. */
async function twoCases(desk) {
  const group = randomWord();
  const customers = [new Customer(group), new Customer(group)];
  for (const customer of customers) await customer.asksForTheDeposit();
  const page = await desk.signIn('robin');
  await page.keyboard.press('/');
  await page.keyboard.type(group);
  await page.keyboard.press('Enter');
  await page.locator('.searched').waitFor();
  assert.equal(await page.locator('.row').count(), 2);
  return { page, customers };
}

scene('j and k move, Enter opens, / searches', async (desk) => {
  const { page, customers: [first, second] } = await twoCases(desk);
  await page.keyboard.press('j');
  assert.match(await marked(page).innerText(), new RegExp(first.sub));
  assert.ok(await isFocused(marked(page)));
  await page.keyboard.press('j');
  assert.match(await marked(page).innerText(), new RegExp(second.sub));
  await page.keyboard.press('j');
  assert.match(await marked(page).innerText(), new RegExp(second.sub), 'there is no line after the last');
  await page.keyboard.press('k');
  assert.match(await marked(page).innerText(), new RegExp(first.sub));
  await page.keyboard.press('Enter');
  await page.locator('main.conversation').waitFor();
  assert.match(await page.locator('h1').innerText(), new RegExp(first.sub));
});

scene('t takes the marked conversation over', async (desk) => {
  const { page, customers: [, second] } = await twoCases(desk);
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('t');
  await page.getByRole('button', { name: 'Hand back and resolve' }).waitFor();
  assert.match(await page.locator('h1').innerText(), new RegExp(second.sub));
});

scene('? shows the keys, and Escape puts them away', async (desk) => {
  const page = await desk.signIn('robin');
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keys' });
  await keys.waitFor();
  assert.match(await keys.innerText(), /take over/);
  await page.keyboard.press('Escape');
  await keys.waitFor({ state: 'hidden' });
});

/** Opens a case, and waits until an inbox that shows no search has noticed. */
async function theListChanges(page) {
  await page.locator('#list').evaluate((list) => list.setAttribute('data-old', ''));
  await new Customer().asksForTheDeposit();
  await page.locator('#list:not([data-old])').waitFor();
}

/** An inbox with one resolved case at least, on whose line the operator is. */
async function onALine(desk) {
  const customer = new Customer();
  await customer.asksForTheDeposit();
  const page = await desk.signIn('robin');
  await resolve(page, customer);
  await page.goto(`${apiUrl}/console?tab=resolved`);
  await page.keyboard.press('j');
  return { page, line: await marked(page).getAttribute('href') };
}

scene('whoever writes a search is left alone when the list changes', async (desk) => {
  const { page } = await onALine(desk);
  await page.keyboard.press('/');
  await page.keyboard.type('let');
  await theListChanges(page);
  await page.keyboard.type('ter');
  assert.equal(await page.locator('.search input').inputValue(), 'letter');
  assert.equal(await page.locator('main.inbox').count(), 1, 'a t in a word takes nothing over');
});

scene('whoever is on a line stays on it when the list changes', async (desk) => {
  const { page, line } = await onALine(desk);
  await theListChanges(page);
  assert.equal(await marked(page).getAttribute('href'), line);
  assert.ok(await isFocused(marked(page)));
});
