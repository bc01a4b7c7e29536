// The health page: what waits, what was given up, and an admin who queues it again.

import assert from 'node:assert/strict';
import { scene, until } from './browser.mjs';
import { Customer } from './customer.mjs';
import { looksRight } from './looks.mjs';
import { apiUrl, giveUp } from './stack.mjs';

const HEALTH = `${apiUrl}/console/health`;
const NOBODY = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

/** Opens the page again and again until a notification that was given up shows. */
async function withOneGivenUp(page) {
  await giveUp('notifications', { contact_id: NOBODY, case_id: NOBODY, step: 0, what: 'tell' });
  await until('what was given up is counted', async () => {
    await page.goto(HEALTH);
    return (await notifications(page).getByText('given up.').count()) > 0;
  });
}

const notifications = (page) => page.locator('.queues li', { hasText: 'Notifications' });

scene('health looks right, and an admin queues again what was given up', async (desk) => {
  const customer = new Customer();
  await customer.write('Where is the pool?');
  await customer.asksForTheDeposit();
  const page = await desk.signIn('alex');
  await page.locator('.menu summary').click();
  await page.getByRole('link', { name: 'Health' }).click();
  await page.getByRole('heading', { name: 'Queues' }).waitFor();
  await withOneGivenUp(page);
  await looksRight(desk, page, 'health');
  await page.getByRole('heading', { name: 'Models' }).scrollIntoViewIfNeeded();
  await looksRight(desk, page, 'health-models');

  await notifications(page).getByRole('button', { name: /^Queue \d+ again/ }).click();
  await page.getByRole('status').waitFor();
  assert.match(await page.getByRole('status').innerText(), /^Notifications: (1 job is|\d+ jobs are) queued again\./);
  await looksRight(desk, page, 'health-redriven');
});

scene('without JavaScript an operator reads how things are and has no button', async (desk) => {
  const page = await desk.signIn('robin', { javaScriptEnabled: false });
  await withOneGivenUp(page);
  await notifications(page).getByText('An admin can queue them again.').waitFor();
  assert.equal(await page.locator('main button').count(), 0);
});
