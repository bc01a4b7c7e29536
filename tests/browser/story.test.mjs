// A case from the question to the next one, and what operators write beside it.

import assert from 'node:assert/strict';
import { scene } from './browser.mjs';
import { Customer } from './customer.mjs';
import { apiUrl, modelReplies } from './stack.mjs';

scene('a customer asks about a deposit, a person answers, and the bot goes on knowing what was said', async (desk) => {
  const customer = new Customer();
  await customer.asksForTheDeposit(`When do I get my deposit back? (${customer.word})`);

  const page = await desk.signIn('robin');
  await page.locator('.search input').fill(customer.identity);
  await page.locator('.search input').press('Enter');
  const row = page.locator('.row', { hasText: customer.sub });
  assert.equal(await row.locator('.why').innerText(), 'deposit');
  await row.click();
  assert.match(await page.locator('.brief').innerText(), /Why it stopped: .*deposit/);
  const conversation = page.url();

  await page.getByRole('button', { name: 'Take over' }).click();
  await page.getByRole('button', { name: 'Hand back and resolve' }).waitFor();
  const said = 'Your deposit went out on Monday with my colleague Benedita.';
  await page.getByLabel('Reply as robin').fill(said);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('li.message.operator', { hasText: said }).waitFor();
  assert.equal(await page.getByLabel('Reply as robin').inputValue(), '');

  const messages = await customer.messages();
  assert.deepEqual(messages.map(({ author }) => author), ['customer', 'bot', 'operator']);
  assert.equal(messages[2].text, said);
  const chat = await desk.page();
  await chat.goto(customer.chat);
  assert.equal(await chat.locator('#messages li.operator .text').innerText(), said);

  await page.getByRole('button', { name: 'Hand back and resolve' }).click();
  await page.locator('.banner', { hasText: 'The bot is answering here' }).waitFor();
  const knowing = 'As Benedita of our team knows, it is on its way.';
  await modelReplies([customer.word, said], knowing);
  const { status, reply } = await customer.write(`And who sent it? (${customer.word})`);
  assert.deepEqual([status, reply?.text], ['replied', knowing]);

  await page.goto(`${apiUrl}/console?tab=resolved`);
  await page.locator('.row', { hasText: customer.sub }).waitFor();
  assert.equal(await page.locator('.row', { hasText: customer.sub }).evaluate((row) => row.href), conversation);
});

scene('notes are for operators, not for the customer', async (desk) => {
  const customer = new Customer();
  await customer.asksForTheDeposit();
  const robin = await desk.signIn('robin', { address: customer.conversation });
  const note = 'The replacement is in the office <b>';
  await robin.getByText('Write a note').click();
  await robin.getByLabel('Only operators see it').fill(note);
  await robin.getByRole('button', { name: 'Keep the note' }).click();
  await robin.locator('li.note', { hasText: note }).waitFor();

  const alex = await desk.signIn('alex', { address: customer.conversation });
  assert.match(await alex.locator('li.note').innerText(), /^robin/);
  assert.deepEqual((await customer.messages()).map(({ author }) => author), ['customer', 'bot']);
  const chat = await desk.page();
  await chat.goto(customer.chat);
  await chat.locator('#messages li.bot').waitFor();
  assert.doesNotMatch(await chat.locator('body').innerText(), /replacement/);
});

scene('each operator flags a reply with one click, says why, and takes back only their own flag', async (desk) => {
  const customer = new Customer();
  await customer.write('Is the pool open?');
  const robin = await desk.signIn('robin', { address: customer.conversation });
  const alex = await desk.signIn('alex', { address: customer.conversation });

  const flagAndExplain = async (page, reason, note) => {
    await page.getByRole('button', { name: /^Flag message/ }).click();
    await page.locator('.flagging summary').click();
    await page.getByLabel('What was wrong').selectOption({ label: reason });
    await page.getByLabel('Note').fill(note);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.flag', { hasText: note }).waitFor();
  };
  await flagAndExplain(robin, 'incorrect information', 'The pool is closed on Mondays.');
  await flagAndExplain(alex, 'incomplete', 'It should say until when.');

  await robin.reload();
  const flags = await robin.locator('.flag').allInnerTexts();
  assert.equal(flags.length, 2);
  assert.match(flags.join('\n'), /robin: incorrect information “The pool is closed on Mondays\.”/);
  assert.match(flags.join('\n'), /alex: incomplete “It should say until when\.”/);

  await robin.locator('.flagging button', { hasText: 'un-flag' }).click();
  await robin.getByRole('button', { name: /^Flag message/ }).waitFor();
  const [left, ...others] = await robin.locator('.flag').allInnerTexts();
  assert.match(left, /alex: incomplete/);
  assert.deepEqual(others, []);
});
