// The customer portal, open twice.

import assert from 'node:assert/strict';
import { scene } from './browser.mjs';
import { Customer } from './customer.mjs';
import { apiUrl } from './stack.mjs';

const settings = async (desk, customer) => {
  const page = await desk.page();
  await page.goto(`${apiUrl}/portal#token=${customer.token()}`);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByLabel('Web chat').waitFor();
  return page;
};

const save = async (page) => {
  await page.getByRole('button', { name: 'Save settings' }).click();
  await page.getByRole('status').filter({ hasText: 'Saved.' }).waitFor();
};

scene('a page that knows nothing of an opt-out does not undo it', async (desk) => {
  const customer = new Customer();
  await customer.write('Hello');
  const [stale, page] = [await settings(desk, customer), await settings(desk, customer)];
  await page.getByLabel('Web chat').uncheck();
  await save(page);

  await stale.getByLabel('Language').selectOption('de');
  await save(stale);

  assert.equal(await stale.getByLabel('Web chat').isChecked(), false);
  assert.equal((await customer.write('Are you there?')).status, 'silent');
  await stale.getByLabel('Web chat').check();
  await save(stale);
  assert.equal(await stale.getByLabel('Language').inputValue(), 'de');
  assert.notEqual((await customer.write('And now?')).status, 'silent');
});
