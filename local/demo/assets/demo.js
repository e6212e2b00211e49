/** The demo page's script. It shows the receiver's requests, and uses the widget as a customer's page does. */

import { conversationView } from './conversation-view.js';

// The widget's stub, which keeps calls until the loader is ready.
if (!window.vaWave) {
  window.vaWave = (...call) => {
    window.vaWave.q.push(call);
  };
  window.vaWave.q = [];
}
window.vaWave('conversation', conversationView({ url: '/conversation' }));

// The page makes room for the panel, so that the visitor can read the instructions beside it.
for (const type of ['open', 'close']) {
  addEventListener(`va-wave:${type}`, () => document.body.classList.toggle('beside', type === 'open'));
}

function element(tag, className, ...children) {
  const node = document.createElement(tag);
  node.className = className;
  node.append(...children);
  return node;
}

function outcome(request) {
  if (!request.verified) return ['refused', `${request.answered} refused`];
  if (request.answered === 503) return ['failed', '503 on purpose'];
  if (request.duplicate) return ['duplicate', 'duplicate, ignored'];
  return ['', `${request.answered} accepted`];
}

/** The key by which the receiver recognizes duplicates. */
const KEYS = { event: 'Envelope', form: 'Submission', usage: 'Nonce' };

function titleOf({ trigger, triggerRef, path }) {
  if (trigger === 'event') return triggerRef;
  if (trigger === 'usage') return 'usage report';
  return `${trigger === 'ai' ? 'AI-decided' : 'form'} ${path.split('/').at(-1)}`;
}

function explain(request) {
  if (!request.verified) return `Not verified: ${request.problem}.`;
  if (request.trigger === 'ai')
    return `Conversation ${request.triggerRef}. The assistant is given a field of the answer.`;
  const key = `${KEYS[request.trigger]} ${request.key}`;
  if (request.arrival === 1) return key;
  return `${key}, arrival ${request.arrival}, ${(request.sinceFirstMs / 1000).toFixed(1)} s after the first.`;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function entry(request) {
  const [kind, label] = outcome(request);
  const time = element('time', '', new Date(request.at).toLocaleTimeString(document.documentElement.lang));
  time.dateTime = request.at;
  const signature = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  const what = element(
    'div',
    'what',
    element('strong', '', titleOf(request)),
    element('span', 'action', request.action),
    element('span', 'badge', request.verified ? 'signature verified' : 'not verified'),
    element('span', 'badge outcome', label),
  );
  const details = element(
    'details',
    '',
    element('summary', '', 'Body and signature'),
    element('pre', '', pretty(request.body)),
    element('pre', '', signature.join('\n')),
  );
  return element(
    'li',
    `request ${kind}`,
    element('div', 'line', what, time),
    element('p', '', explain(request)),
    details,
  );
}

let latest = 0;
new EventSource('/live').addEventListener('message', (message) => {
  const request = JSON.parse(message.data);
  // After a broken connection, the stream starts with requests that are already shown.
  if (request.number <= latest) return;
  latest = request.number;
  document.querySelector('#empty').hidden = true;
  document.querySelector('#requests').prepend(entry(request));
});

document.querySelector('#publish').addEventListener('click', () => {
  fetch(`/publish/${document.querySelector('#event').value}`, { method: 'POST' });
});

// The widget asks the page for a token, and the page's backend creates it. The server secret stays on the server.
addEventListener('va-wave:token-expired', async () => {
  const response = await fetch('/members/token');
  if (response.ok) window.vaWave.setSessionToken(await response.text());
});

const elsewhere = document.querySelector('#elsewhere');
if (elsewhere)
  elsewhere.href = `http://${location.hostname === 'localhost' ? '127.0.0.1' : 'localhost'}:${location.port}/`;
