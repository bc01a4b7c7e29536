// Every page, on a phone and a desktop, in light and dark: accessible, and no wider than the window.

import assert from 'node:assert/strict';
import { enter, freeze, resolve, scene } from './browser.mjs';
import { Customer, randomWord } from './customer.mjs';
import { looksRight } from './looks.mjs';
import { apiUrl, modelReplies } from './stack.mjs';

const TABS = ['needs-a-person', 'mine', 'bot', 'resolved'];

/** A guest with a name and a stay, to whom the bot said something before they asked for a person. */
async function guest(first, last, ...texts) {
  const customer = new Customer();
  await customer.isCalled(first, last);
  await customer.has('appointment', 'STAY-317', {
    title: 'Stay in the apartment Alba, second floor',
    status: 'confirmed',
    start: '2026-12-01T16:00:00Z',
    end: '2026-12-06T11:00:00Z',
    unit: 'Alba',
    guests: 2,
  });
  await modelReplies([customer.word], 'The pool is on the roof. You find the way there in the lift.');
  for (const text of texts) await customer.write(text);
  return customer;
}

scene('the tabs of the inbox look right with lines in them', async (desk) => {
  const page = await desk.signIn('robin');
  await guest('Jonas', 'Weber', 'Wo bleibt meine Kaution? Ich bin am Freitag abgereist.');
  await guest('Maya', 'Lind', 'Good morning! Where is the pool?', 'Lovely. And when do I get my deposit back?');
  await guest('Priya', 'Nair', 'Could someone call me about the shower? It is still cold.');
  await guest('Aiko', 'Mori', 'It smells of gas in the kitchen, what should I do?');
  await guest('Nils', 'Berg', 'Where is the pool?');
  const taken = await guest('Tomás', 'Ferreira', 'I want a refund. The heating was off all weekend and nobody came.');
  await page.goto(taken.conversation);
  await page.getByRole('button', { name: 'Take over' }).click();
  await page.getByText('Case: priority, tags, assignment').click();
  await page.getByLabel('Priority').selectOption('urgent');
  await page.getByLabel('Tags').fill('heating, alba');
  await page.getByRole('button', { name: 'Save' }).click();
  const resolved = await guest('Bola', 'Okafor', 'Could someone call me? I want to talk to a person.');
  await resolve(page, resolved);

  for (const tab of TABS) {
    await page.goto(`${apiUrl}/console?tab=${tab}`);
    await page.locator('.row').first().waitFor();
    await looksRight(desk, page, `inbox-${tab}`);
  }
  await page.goto(`${apiUrl}/console`);
  await page.keyboard.press('?');
  await looksRight(desk, page, 'inbox-keys');
});

scene('the tabs of the inbox look right without a line', async (desk) => {
  // No test takes anything over as alex.
  const page = await desk.signIn('alex', { address: `${apiUrl}/console?tab=mine` });
  await page.locator('.empty').waitFor();
  await looksRight(desk, page, 'inbox-empty');
  for (const tab of TABS) {
    await page.goto(`${apiUrl}/console?tab=${tab}&q=${randomWord()}`);
    await page.locator('.empty').waitFor();
    await looksRight(desk, page, `inbox-${tab}-not-found`);
  }
});

scene('a conversation looks right while it waits, while a person answers, and when a move was refused', async (desk) => {
  desk.expects(/status of 409/);
  const customer = await guest('Maya', 'Lind', 'Good morning! Where is the pool?', 'Lovely. And when do I get my deposit back?');
  const page = await desk.signIn('robin', { address: customer.conversation });
  await looksRight(desk, page, 'conversation');

  await page.getByRole('button', { name: /^Flag message/ }).click();
  await page.locator('.flagging summary').click();
  await page.getByLabel('What was wrong').selectOption({ label: 'incorrect information' });
  await page.getByLabel('Note', { exact: true }).fill('The pool is closed until Friday.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Take over' }).click();
  await page.getByLabel('Reply as robin').fill('Hello Maya, I am Robin. The pool is closed until Friday, I am sorry. Your deposit is on its way.');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Write a note').click();
  await page.getByLabel('Only operators see it').fill('Deposit went out with the Monday run.');
  await page.getByRole('button', { name: 'Keep the note' }).click();
  await page.locator('li.note').waitFor();
  for (const summary of ['Facts it used', 'Case: priority, tags, assignment', 'Write a note', 'why']) {
    await page.locator('summary', { hasText: summary }).click();
  }
  await looksRight(desk, page, 'conversation-taken');

  await freeze(page);
  await customer.write('Thank you! One more thing: may I leave my bags with you on Sunday?');
  await page.getByRole('button', { name: 'Hand back and resolve' }).click();
  await page.getByRole('alert').waitFor();
  await looksRight(desk, page, 'conversation-refused');
});

scene('a trace, a long message and a thread that goes back look right', async (desk) => {
  const customer = await guest('Maya', 'Lind', 'Where is the pool?', 'I want my deposit back. '.repeat(400));
  const page = await desk.signIn('robin', { address: customer.conversation });
  await page.getByRole('link', { name: /trace/ }).click();
  await page.locator('main.trace').waitFor();
  await looksRight(desk, page, 'trace');
  await page.goto(customer.conversation);
  await page.getByRole('link', { name: 'Show all of it' }).click();
  await page.locator('main.whole').waitFor();
  await looksRight(desk, page, 'message');

  for (let n = 1; n <= 60; n += 1) await customer.drop(`I wait for an answer, day ${n}.`);
  await page.goto(customer.conversation);
  await looksRight(desk, page, 'conversation-long');
  await page.getByRole('link', { name: 'Older messages' }).click();
  await page.getByRole('link', { name: 'Newest messages' }).waitFor();
  await looksRight(desk, page, 'conversation-older');
});

scene('a customer looks right, with every form open', async (desk) => {
  const customer = await guest('Maya', 'Lind', 'Where is the pool?');
  await customer.has('request', 'R-88', { title: 'Coffee machine does not heat', status: 'open', assigned_to: 'Rui' });
  const page = await desk.signIn('robin', { address: customer.conversation });
  await page.locator('h1 a').click();
  await page.locator('main.customer').waitFor();
  await looksRight(desk, page, 'customer');
  for (const summary of await page.locator('main.customer summary').all()) await summary.click();
  await looksRight(desk, page, 'customer-forms');
});

scene('pages that say one thing look right', async (desk) => {
  desk.expects(/status of 404/);
  const page = await desk.page();
  await page.goto(`${apiUrl}/console/signed-out`);
  await looksRight(desk, page, 'signed-out');
  await page.goto(`${apiUrl}/console`);
  await enter(page, 'robin');
  const answer = await page.goto(`${apiUrl}/console/nowhere`);
  assert.equal(answer.status(), 404);
  await looksRight(desk, page, 'not-found');
});
