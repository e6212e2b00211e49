import { EVENT_RETRY_DELAYS_SECONDS } from '../../src/contract/limits.ts';
import { DEMO_EVENTS } from './demo-organization.ts';
import { BUDGET_TOKENS } from './demo-receiver.ts';

const PAUSES = EVENT_RETRY_DELAYS_SECONDS.join(' and ');

export type DemoPage = {
  readonly kind: 'website' | 'members';
  readonly baseUrl: string;
  readonly receiverUrl: string;
  readonly fail: number;
  /** This page under the other name of this machine: the service allows only `localhost`. */
  readonly elsewhere: string;
  /** Of the widget's script tag. */
  readonly credential: { readonly 'data-site-id': string } | { readonly 'data-session-token': string };
};

/** Only what the page needs, and nothing inline: the widget works under this policy, so it works under yours. */
export const contentSecurityPolicy = (baseUrl: string): string =>
  `default-src 'none'; script-src 'self' ${baseUrl}; style-src 'self'; connect-src 'self' ${baseUrl}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;

/** What differs between the two pages. */
const TEXTS = {
  website: {
    title: 'Bikes for cities.',
    intro:
      "This is a customer's website. The round button in the corner is the widget, which one script tag embeds. The service allows it because the host is in a list: <strong>Allowed Websites</strong>.",
    limit: 'Its sixth call in one conversation is refused.',
  },
  members: {
    title: 'Welcome back, Ada.',
    intro:
      "This is the members' area. The page's backend created a session token that is valid for one minute, and creates a new one when the widget asks: <strong>Session Signed</strong>.",
    limit: `Usage is reported after each answer. The usage webhook ends the conversation when its budget of ${BUDGET_TOKENS} tokens is spent.`,
  },
} as const;

/** The customer's page, with the widget embedded by its one script tag. */
export function demoPage({ kind, baseUrl, receiverUrl, fail, elsewhere, credential }: DemoPage): string {
  const { title, intro, limit } = TEXTS[kind];
  const [attribute = '', value = ''] = Object.entries(credential)[0] ?? [];
  const here = (page: DemoPage['kind']) => (page === kind ? ' aria-current="page"' : '');
  const refused = elsewhere.includes('localhost')
    ? `<p class="refused" role="status"><strong>The widget does not appear here.</strong> The host of this page is not allowed. Go back with <a href="${escapeHtml(elsewhere)}">localhost</a>.</p>`
    : '';
  const retries =
    fail > 0
      ? `The receiver answers 503 to the first ${fail} requests of each event. The next attempts follow after ${PAUSES} seconds.`
      : `Restart with <code>npm start -- --demo-fail 2</code>: the receiver then answers 503 twice, and the retries follow after ${PAUSES} seconds.`;
  const last =
    kind === 'website'
      ? `<strong>Use another host.</strong> Open this page as <a href="${escapeHtml(elsewhere)}">127.0.0.1</a>. That host is not allowed, so the widget does not appear.`
      : '<strong>Let the token expire.</strong> Wait a minute with the form open, then send it. The page renews the token, and the form is sent as usual.';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Northwind Bikes – va-wave demo</title>
<link rel="stylesheet" href="/assets/demo.css">
<script async src="${escapeHtml(baseUrl)}/static/va-wave-widget.js" ${attribute}="${escapeHtml(value)}" data-position="left"></script>
<script type="module" src="/assets/demo.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
  <strong>Northwind Bikes</strong>
  <nav aria-label="Demo pages"><a href="/"${here('website')}>Website</a> · <a href="/members"${here('members')}>Members</a></nav>
</header>
<main id="main" tabindex="-1">
  <section aria-labelledby="title">
    <h1 id="title">${title}</h1>
    <p>${intro}</p>
    ${refused}
    <h2>Try this</h2>
    <ol class="steps">
      <li><strong>Talk to the assistant.</strong> Click the round button and ask <em>Where is order 1001?</em> The assistant, which is a script, calls an Action. ${limit}</li>
      <li><strong>Send a form.</strong> Choose one above the conversation, fill it in, and watch the signed request arrive on this page.</li>
      <li><strong>Let an event happen.</strong> The platform puts it on the bus, and every Action that is subscribed to it is called.<br>
        <select id="event" aria-label="Event">${DEMO_EVENTS.map((name) => `<option>${name}</option>`).join('')}</select>
        <button type="button" id="publish">Put on the bus</button></li>
      <li><strong>Watch retries.</strong> ${retries}</li>
      ${refused === '' ? `<li>${last}</li>` : ''}
    </ol>
  </section>
  <section aria-labelledby="feed-title">
    <h2 id="feed-title">Received by <code>${escapeHtml(receiverUrl)}</code></h2>
    <p class="note">The customer's TLS receiver. It verifies with <code>@va-wave/receiver</code>.</p>
    <p id="empty">Nothing yet. Opening the widget for the first time begins a conversation, which is an event.</p>
    <ol id="requests" aria-live="polite"></ol>
  </section>
</main>
</body>
</html>
`;
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
