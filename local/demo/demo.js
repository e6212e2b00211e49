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

// The widget asks the page for a token, and the page's backend creates it. The server secret stays on the server.
addEventListener('va-wave:token-expired', async () => {
  const response = await fetch('/members/token');
  if (response.ok) window.vaWave.setSessionToken(await response.text());
});

const pressed = (id, act) => document.querySelector(id).addEventListener('click', ({ target }) => act(target.dataset));
pressed('#open', () => window.vaWave('open'));
pressed('#form', ({ form }) => window.vaWave('open', form));
pressed('#fail', ({ event }) => fetch(`/publish/${event}?fail`, { method: 'POST' }));
pressed('#publish', () => fetch(`/publish/${document.querySelector('#event').value}`, { method: 'POST' }));

// On a phone the panel covers the page, and what the form sent could not be seen.
addEventListener('va-wave:submitted', () => {
  if (matchMedia('(max-width: 56rem)').matches) window.vaWave('close');
  document.querySelector('#feed-title').scrollIntoView();
});

function element(tag, className, ...children) {
  const node = document.createElement(tag);
  node.className = className;
  node.append(...children);
  return node;
}

const OUTCOMES = { failed: 'on purpose', duplicate: 'duplicate, ignored', accepted: 'accepted', refused: 'refused' };

/** Returns a JSON body in lines for reading. */
function readable(body) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function entry({ at, title, action, attempt, command, outcome, answered, note, body, headers }) {
  const time = element('time', '', new Date(at).toLocaleTimeString(document.documentElement.lang));
  time.dateTime = at;
  const what = element('div', 'what', element('strong', '', title), element('span', 'note', action));
  const verdict = element(
    'div',
    'verdict',
    element('span', 'badge', outcome === 'refused' ? 'not verified' : 'signature verified'),
    element('span', 'badge outcome', `${answered} ${OUTCOMES[outcome]}`),
    element('span', 'note', attempt),
  );
  const proof = element('details', '', element('summary', '', 'Headers, and the body as it was signed'));
  proof.append(element('pre', '', headers, '\n\n', body), element('p', 'note', note));
  if (command !== '')
    proof.append(element('p', 'note', 'Its record in the delivery log: ', element('code', '', command)));
  return element(
    'li',
    `request ${outcome}`,
    element('div', 'line', what, time),
    verdict,
    element('pre', '', readable(body)),
    proof,
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
