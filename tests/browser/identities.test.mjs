// Who is who: an admin links, unlinks, joins and erases.

import assert from 'node:assert/strict';
import { scene } from './browser.mjs';
import { Customer } from './customer.mjs';
import { looksRight } from './looks.mjs';

/** The customer's page, opened from their conversation by an admin. */
async function pageOf(desk, customer) {
  const page = await desk.signIn('alex', { address: customer.conversation });
  await page.locator('h1 a').click();
  await page.locator('main.customer').waitFor();
  return page;
}

/** Somebody by name who has written. */
async function guest(first, last, ...texts) {
  const customer = new Customer();
  await customer.isCalled(first, last);
  for (const text of texts) await customer.write(text);
  return customer;
}

const opens = (page, summary) => page.locator('summary', { hasText: summary }).click();

scene('an admin links an identity, takes it away again, and joins two customers', async (desk) => {
  const maya = await guest('Maya', 'Lind', 'Where is the pool?');
  const other = await guest('Maya', 'L.', 'My spare key is with Mrs Okonkwo.', 'Thanks, bye');
  const page = await pageOf(desk, maya);
  const phone = `tel:+1555${String(Math.floor(Math.random() * 1e7)).padStart(7, '0')}`;
  const identities = page.locator('.identities');

  await page.getByLabel('Another identity of this customer').fill(phone);
  await page.getByRole('button', { name: 'Link' }).click();
  await identities.getByText(phone, { exact: true }).waitFor();
  await identities.locator('li', { hasText: phone }).locator('summary').click();
  await opens(page, 'Join with another customer');
  await looksRight(desk, page, 'customer-identities', page.getByRole('button', { name: 'Join for good' }));
  await page.getByRole('button', { name: `Unlink ${phone}` }).click();
  await identities.getByText(phone).waitFor({ state: 'detached' });

  await opens(page, 'Join with another customer');
  await page.getByLabel('An identity of the other customer').fill(other.identity);
  await page.getByRole('button', { name: 'Join for good' }).click();
  await identities.getByText(other.identity, { exact: true }).waitFor();
  await looksRight(desk, page, 'customer-joined', identities);

  await page.getByRole('link', { name: 'Earlier conversation' }).click();
  await page.getByText('This customer was joined with another.').waitFor();
  await looksRight(desk, page, 'conversation-closed');
  assert.equal(await page.getByRole('button', { name: /Take over|Send|Hand back/ }).count(), 0);
  await page.getByRole('link', { name: 'To the conversation that goes on' }).click();
  await page.getByText('Where is the pool?').first().waitFor();
});

scene('who has a case in hand is not joined, and the page says why', async (desk) => {
  desk.expects(/status of 409/);
  const maya = await guest('Maya', 'Lind', 'Where is the pool?');
  const busy = new Customer();
  await busy.asksForTheDeposit();
  const page = await pageOf(desk, maya);
  await opens(page, 'Join with another customer');
  await page.getByLabel('An identity of the other customer').fill(busy.identity);
  await page.getByRole('button', { name: 'Join for good' }).click();
  await page.getByRole('alert').waitFor();
  await looksRight(desk, page, 'customer-refused');
});

scene('an admin erases a customer once they say that they mean it', async (desk) => {
  desk.expects(/status of 410/);
  const customer = await guest('Maya', 'Lind', 'Where is the pool?');
  const page = await pageOf(desk, customer);
  await opens(page, 'Erase this customer');
  const erase = page.getByRole('button', { name: 'Erase for good' });
  await looksRight(desk, page, 'customer-erase', erase);
  await erase.click();
  assert.equal(await page.locator('main.customer').count(), 1, 'the box is not checked');
  await page.getByLabel('I mean this customer, and for good.').check();
  await erase.click();
  await page.getByRole('heading', { name: 'Being erased' }).waitFor();
  await looksRight(desk, page, 'customer-erased');
});

scene('an operator who is no admin can neither join nor erase', async (desk) => {
  const customer = await guest('Maya', 'Lind', 'Where is the pool?');
  const page = await desk.signIn('robin', { address: customer.conversation, javaScriptEnabled: false });
  await page.locator('h1 a').click();
  await page.getByRole('button', { name: 'Link' }).waitFor();
  assert.equal(await page.getByText(/Join with another|Erase this/).count(), 0);
});
