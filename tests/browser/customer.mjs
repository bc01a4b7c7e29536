// A customer who writes by the API, as the host site of a web chat does for them.

import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { apiToken, apiUrl, chatSecret, send } from './stack.mjs';

const TOKEN_SECONDS = 60 * 60;
const encoded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A word that nothing in the stack has. */
export const randomWord = () => `w${randomBytes(5).toString('hex')}`;

export class Customer {
  /** Somebody whom the stack has never seen. `word` is theirs alone: whatever holds it is about them. */
  constructor(group = 'guest') {
    this.word = randomWord();
    this.sub = `${group}-${this.word}`;
    this.identity = `chat:${this.sub}`;
  }

  /** A chat token: a JWT, signed with the chat's secret. */
  token() {
    const expires = Math.floor(Date.now() / 1000) + TOKEN_SECONDS;
    const signed = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded({ sub: this.sub, exp: expires })}`;
    return `${signed}.${createHmac('sha256', chatSecret).update(signed).digest('base64url')}`;
  }

  /** The link that opens their web chat. */
  get chat() {
    return `${apiUrl}/chat#token=${this.token()}`;
  }

  /** Their conversation in the console. */
  get conversation() {
    return `${apiUrl}/console/threads/${this.identity}`;
  }

  /** Writes and waits for what becomes of it: `{ status, seq, reply }`. */
  write(text, headers = {}) {
    const body = { id: randomUUID(), text };
    return send('POST', `${apiUrl}/v1/messages`, body, { authorization: `Bearer ${this.token()}`, ...headers });
  }

  /** Writes and waits for nothing. */
  drop(text) {
    return this.write(text, { prefer: 'respond-async' });
  }

  /** Asks what only a person answers, so that a case opens. */
  async asksForTheDeposit(text = 'When do I get my deposit back?') {
    const { status } = await this.write(text);
    if (status !== 'escalated') throw new Error(`no case opened: ${status}`);
  }

  /** What was said, as they see it: `{ seq, author, text }`. */
  async messages() {
    const headers = { authorization: `Bearer ${this.token()}` };
    return (await send('GET', `${apiUrl}/v1/messages`, undefined, headers)).messages;
  }

  /** A record of theirs, as the account system pushes it. */
  async has(kind, id, data) {
    const address = `${apiUrl}/v1/contacts/${this.identity}/facts/${kind}/${id}`;
    const body = { as_of: new Date().toISOString(), data };
    await send('PUT', address, body, { authorization: `Bearer ${apiToken}` });
  }

  /** Tells the stack their name. */
  async isCalled(first_name, last_name) {
    await this.has('profile', this.sub, { name: { first_name, last_name }, language: 'en' });
  }
}
