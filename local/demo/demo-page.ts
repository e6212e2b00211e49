import { EVENT_RETRY_DELAYS_SECONDS } from '../../src/contract/limits.ts';
import { DEMO_EVENTS, READY_USERS } from './demo-organization.ts';
import { BUDGET_TOKENS, FAILING_EVENT } from './demo-receiver.ts';

const PAUSES = EVENT_RETRY_DELAYS_SECONDS.join(' and ');

export type DemoPage = {
  readonly kind: 'website' | 'members';
  readonly baseUrl: string;
  readonly dashboardUrl: string;
  readonly receiverUrl: string;
  /** This page under the other name of this machine: the service allows only `localhost`. */
  readonly otherUrl: string;
  /** Of the widget's script tag. */
  readonly credential: { readonly 'data-site-id': string } | { readonly 'data-session-token': string };
};

/** Permits only what the pages need, and nothing inline. The widget needs no more than this. */
export const contentSecurityPolicy = (baseUrl: string): string =>
  `default-src 'none'; script-src 'self' ${baseUrl}; style-src 'self'; connect-src 'self' ${baseUrl}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;

const TEXTS = {
  website: {
    formSlug: 'contact-us',
    intro:
      "This page is a customer's website. One script tag embeds the widget, the round button in the corner. The service allows it because the host is in a list: <strong>Allowed Websites</strong>.",
  },
  members: {
    formSlug: 'ask-the-workshop',
    intro: `This page is a customer's members' area. Its backend creates a session token that is valid for one minute, and a new one when the widget asks: <strong>Session Signed</strong>. Usage is reported after each answer, and the usage webhook ends the conversation when its budget of ${BUDGET_TOKENS} tokens is spent.`,
  },
} as const;

export function demoPage({ kind, baseUrl, dashboardUrl, receiverUrl, otherUrl, credential }: DemoPage): string {
  const { formSlug, intro } = TEXTS[kind];
  const [attribute = '', value = ''] = Object.entries(credential)[0] ?? [];
  const here = (page: DemoPage['kind']) => (page === kind ? ' aria-current="page"' : '');
  // The other name of this machine is then the allowed one, so this page is at 127.0.0.1, where the widget does not appear.
  const isRefused = otherUrl.includes('localhost');
  const refusalNote = isRefused
    ? `<p class="refused" role="status"><strong>The widget does not appear here.</strong> The host of this page is not allowed. Go back with <a href="${escapeHtml(otherUrl)}">localhost</a>.</p>`
    : '';
  const lastTip =
    kind === 'website'
      ? `<strong>Use another host.</strong> Open this page as <a href="${escapeHtml(otherUrl)}">127.0.0.1</a>. That host is not allowed, so the widget does not appear.`
      : '<strong>Let the token expire.</strong> Wait a minute with the form open, then send it. The page renews the token, and the form is sent as usual.';
  const [admin] = READY_USERS;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>va-wave demo – Northwind Bikes</title>
<link rel="stylesheet" href="/assets/demo.css">
<script async src="${escapeHtml(baseUrl)}/static/va-wave-widget.js" ${attribute}="${escapeHtml(value)}" data-position="left"></script>
<script type="module" src="/assets/demo.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
  <strong>va-wave demo</strong>
  <nav aria-label="Demo pages"><a href="/"${here('website')}>Website</a> · <a href="/members"${here('members')}>Members</a></nav>
</header>
<main id="main" tabindex="-1">
  <section aria-labelledby="title">
    <h1 id="title">va-wave puts a chat assistant on websites, and sends signed requests to their servers</h1>
    <p class="flow">Visitor → widget → va-wave signs → your endpoint verifies</p>
    ${refusalNote}
    <p class="buttons">
      <button type="button" id="open">Open the widget</button>
      <button type="button" id="form" data-form="${formSlug}">Submit the form</button>
      <button type="button" id="fail" data-event="${FAILING_EVENT}">Let the next two requests fail</button>
    </p>
    <p class="note">The last button books an appointment. The receiver answers 503 twice, and the retries follow after ${PAUSES} seconds.</p>
    <p>Configure it in the <a href="${escapeHtml(dashboardUrl)}">dashboard</a>: log in as <code>${admin.email}</code> with the password <code>${admin.password}</code>.</p>
    <details>
      <summary>More to try</summary>
      <p>${intro}</p>
      <ul>
        <li><strong>Talk to the assistant.</strong> Ask <em>Where is order 1001?</em> The assistant, which is a script, calls an Action, at most five times in one conversation.</li>
        <li><strong>Let an event happen.</strong> The platform puts it on the bus, and every Action that is subscribed to it is called.<br>
          <select id="event" aria-label="Event">${DEMO_EVENTS.map((name) => `<option>${name}</option>`).join('')}</select>
          <button type="button" id="publish">Put on the bus</button></li>
        ${isRefused ? '' : `<li>${lastTip}</li>`}
      </ul>
    </details>
  </section>
  <section aria-labelledby="feed-title">
    <h2 id="feed-title">Requests that arrived at <code>${escapeHtml(receiverUrl)}</code></h2>
    <p id="empty" class="note">Nothing yet. Press a button. This TLS receiver of the customer verifies each request with <code>@va-wave/receiver</code>.</p>
    <ol id="requests" aria-live="polite"></ol>
  </section>
</main>
</body>
</html>
`;
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
