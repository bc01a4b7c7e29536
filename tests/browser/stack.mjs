// The stack beside which the tests run: `with-stack` says where its outputs and its scripted model are.

import { readFileSync } from 'node:fs';

const outputs = JSON.parse(readFileSync(variable('CARRYOVER_OUTPUTS'), 'utf8'));
const model = new URL(variable('CARRYOVER_SCRIPTED_MODEL')).origin;

export const { api_url: apiUrl, chat_secret: chatSecret, api_token: apiToken } = outputs;
/** Whose pages are none of ours: the hosted sign-in page is there. */
export const providerUrl = outputs.endpoint;

function variable(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run these tests by \`make browser-tests\``);
  return value;
}

/** Who signs in by this name: `{ username, password, role }`. */
export function operator(username) {
  const found = outputs.operators.find((operator) => operator.username === username);
  if (!found) throw new Error(`the stack has no operator ${username}`);
  return found;
}

/** Sends JSON and reads JSON; an answer that is no success is an error. */
export async function send(method, address, body, headers = {}) {
  const sent = { method, headers: { 'content-type': 'application/json', ...headers } };
  const answer = await fetch(address, body === undefined ? sent : { ...sent, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${new URL(address).pathname}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : null;
}

/** Puts a job where jobs are that were given up. */
export async function giveUp(queue, job) {
  const body = JSON.stringify({ QueueUrl: outputs.queues[`${queue}-dead`], MessageBody: JSON.stringify(job) });
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': 'AmazonSQS.SendMessage',
    authorization: 'AWS4-HMAC-SHA256 Credential=test/20261201/us-east-1/sqs/aws4_request, SignedHeaders=host, Signature=0',
  };
  const answer = await fetch(outputs.endpoint, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`${queue}: ${answer.status} ${await answer.text()}`);
}

/** The reply model answers prompts in which all of `words` stand with this text. The newest rule that fits wins. */
export async function modelReplies(words, text) {
  const then = { reply: { action: 'reply', reply: text, category: '', reason: '' } };
  await send('POST', `${model}/script/rules`, { contains: words, schema: 'reply', then });
}
