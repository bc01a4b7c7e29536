// Pages that stay open while others act.

import assert from 'node:assert/strict';
import { enter, freeze, resolve, scene, until } from './browser.mjs';
import { Customer } from './customer.mjs';
import { apiUrl, providerUrl } from './stack.mjs';

/** What a browser says of a page that answers 409. */
const CONFLICT = /status of 409/;

const takeOver = async (page) => {
  await page.getByRole('button', { name: 'Take over' }).click();
  await page.getByRole('button', { name: 'Hand back and resolve' }).waitFor();
};

scene('a stale click on "Take over" is told who has the conversation, and changes nothing', async (desk) => {
  desk.expects(CONFLICT);
  const customer = new Customer();
  await customer.asksForTheDeposit();
  const alex = await desk.signIn('alex', { address: customer.conversation });
  await freeze(alex);
  const robin = await desk.signIn('robin', { address: customer.conversation });
  await takeOver(robin);

  await alex.getByRole('button', { name: 'Take over' }).click();
  assert.equal(await alex.getByRole('alert').innerText(), 'Already taken by robin.');
  assert.match(await alex.locator('.moves').innerText(), /with robin/);
  assert.equal(await alex.getByRole('button', { name: 'Take over' }).count(), 0);
  await robin.reload();
  assert.doesNotMatch(await robin.locator('.moves').innerText(), /with alex/);
  assert.equal((await customer.write('Hello?')).status, 'silent');
});

scene('a click on "Hand back" that has not seen the newest message is stopped', async (desk) => {
  desk.expects(CONFLICT);
  const customer = new Customer();
  await customer.asksForTheDeposit();
  const page = await desk.signIn('robin', { address: customer.conversation });
  await takeOver(page);
  await freeze(page);
  await customer.write('It was 200 euros, by the way.');

  await page.getByRole('button', { name: 'Hand back and resolve' }).click();
  assert.equal(await page.getByRole('alert').innerText(), 'A new message came: read it first.');
  await page.locator('li.message.customer', { hasText: '200 euros' }).waitFor();
  assert.equal((await customer.write('Are you there?')).status, 'silent');

  await page.reload();
  await page.getByRole('button', { name: 'Hand back and resolve' }).click();
  await page.locator('.banner').waitFor();
});

scene('a message that comes while the conversation is open appears by itself', async (desk) => {
  const customer = new Customer();
  await customer.asksForTheDeposit();
  const page = await desk.signIn('robin', { address: customer.conversation });
  await page.getByLabel('Reply as robin').fill('half a sent');
  await customer.write('I found the receipt.');
  await page.locator('li.message.customer', { hasText: 'I found the receipt.' }).waitFor();
  assert.equal(await page.getByLabel('Reply as robin').inputValue(), 'half a sent', 'the page was not loaded anew');
});

scene('a case that is resolved meanwhile appears in an open inbox by itself', async (desk) => {
  const customer = new Customer();
  await customer.asksForTheDeposit();
  const inbox = await desk.signIn('alex', { address: `${apiUrl}/console?tab=resolved` });
  assert.equal(await inbox.locator('.row', { hasText: customer.sub }).count(), 0);
  await resolve(await desk.signIn('robin'), customer);
  await inbox.locator('.row', { hasText: customer.sub }).waitFor();
});

scene('a reply that is being written outlives the end of the session, but not its own sending', async (desk) => {
  desk.expects(/status of 401/);
  const customer = new Customer();
  await customer.asksForTheDeposit();
  const page = await desk.signIn('robin', { address: customer.conversation });
  await page.getByLabel('Reply as robin').fill('It is on its way.');
  await page.context().clearCookies();
  await page.waitForURL(`${providerUrl}/**`);
  await enter(page, 'robin');
  await page.goto(customer.conversation);
  assert.equal(await page.getByLabel('Reply as robin').inputValue(), 'It is on its way.');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('li.message.operator').waitFor();
  assert.equal(await page.getByLabel('Reply as robin').inputValue(), '');
});

scene('what an operator writes about a flag outlives a message that comes', async (desk) => {
  const customer = new Customer();
  await customer.write('Is the pool open?');
  const page = await desk.signIn('robin', { address: customer.conversation });
  await page.getByRole('button', { name: /^Flag message/ }).click();
  await page.locator('.flagging summary').click();
  await page.getByLabel('Note').pressSequentially('It is closed');
  await customer.write('And the sauna?');
  await page.locator('li.message.customer', { hasText: 'sauna' }).waitFor();
  await page.keyboard.type(' on Mondays');
  assert.equal(await page.getByLabel('Note').inputValue(), 'It is closed on Mondays');
});

scene('a long conversation opens at its end, and a reader further up is left there when a message comes', async (desk) => {
  const customer = new Customer();
  await customer.asksForTheDeposit();
  for (let n = 1; n <= 30; n += 1) await customer.write(`I have one more question, number ${n}.`);
  const page = await desk.signIn('robin', { address: customer.conversation });
  const isInSight = (text) => page.locator('li.message', { hasText: text }).evaluate((message) => {
    const seen = message.getBoundingClientRect();
    const [x, y] = [(seen.left + seen.right) / 2, (seen.top + seen.bottom) / 2];
    return message.contains(document.elementFromPoint(x, y));
  });
  assert.ok(await isInSight('number 30.'), 'the newest message is in sight');

  await customer.write('The newest of all.');
  await page.locator('li.message', { hasText: 'The newest of all.' }).waitFor();
  assert.ok(await isInSight('The newest of all.'), 'whoever is at the end stays there');

  const read = page.locator('li.message', { hasText: 'number 3.' });
  await read.evaluate((message) => message.scrollIntoView({ block: 'center' }));
  const at = (await read.boundingBox()).y;
  await customer.write('Newer than that.');
  await page.locator('li.message', { hasText: 'Newer than that.' }).waitFor();
  await until('the message that is read stands where it stood', async () => Math.abs((await read.boundingBox()).y - at) < 2);
});
