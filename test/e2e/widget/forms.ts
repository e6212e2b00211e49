import type { Page } from 'playwright-core';
import { until } from '../../harness/until.ts';
import { CONTACT_FORM, INIT, type ReceivedRequest, type Reply, refuse } from './fake-service.ts';
import { widgetOf } from './harness.ts';
import { countListeners, focused, listeners, startingAt, traces } from './page-state.ts';
import { harness } from './shared-harness.ts';
import { tokenFor } from './token.ts';

// Tests forms: fields, sending, expired tokens, and what the browser stores.

const SENT: Reply = { status: 200, body: { success: true, submission_id: 'submission-1' } };
const EXPIRED = refuse(401, 'Invalid or expired session token');

/** Answers submissions with these replies in order, and repeats the last one. */
function answers(...replies: Reply[]): void {
  let next = 0;
  harness.service.submit = () => replies[Math.min(next++, replies.length - 1)] ?? 'never';
}

const submissions = () => harness.service.to('submit');
const keys = () => submissions().map(({ body }) => body.client_key);

async function filledForm(...visit: Parameters<typeof harness.visit>) {
  const visited = await harness.visit(...visit);
  await visited.widget.filledForm();
  return visited;
}

describe('a form', () => {
  test('has the right control, keyboard and autofill for each of the five types', async () => {
    const { widget } = await harness.visit();
    await widget.openForm();
    const seen = await widget.host.locator('input, textarea').evaluateAll((nodes) => {
      const names = ['localName', 'type', 'name', 'autocomplete', 'inputMode', 'required', 'maxLength'] as const;
      return nodes.map((node) => names.map((name) => node[name]));
    });
    expect(seen).toEqual([
      ['input', 'text', 'field-name', 'name', '', true, 5000],
      ['input', 'email', 'field-email', 'email', 'email', true, 5000],
      ['input', 'tel', 'field-phone', 'tel', 'tel', false, 5000],
      ['input', 'number', 'field-seats', '', 'decimal', false, -1],
      ['textarea', 'textarea', 'field-message', '', '', true, 5000],
    ]);
  });

  test('sends its values to the path of the specification, with numbers as numbers and without empty fields', async () => {
    const { widget } = await filledForm();
    await widget.field('How many seats?').fill('12.5');
    await widget.send.click();
    await widget.text('Your message has been sent.');
    const [submission] = submissions();
    expect(submission?.path).toBe('/api/widgets/sites/site_test/forms/contact-us/submit');
    expect(submission?.headers).toMatchObject({ 'x-site-id': 'site_test', 'content-type': 'application/json' });
    expect(submission?.body).toEqual({
      conversation_id: 'conversation-1',
      values: { name: 'Ada Lovelace', email: 'ada@example.com', seats: 12.5, message: 'Twelve bikes, please.' },
      client_key: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
  });

  test('works with keys that are names of properties of a form', async () => {
    const keys = ['matches', 'replaceWith', 'addEventListener', 'reset', 'elements', 'submit', 'querySelector'];
    const fields = keys.map((key) => ({ key, label: `Label ${key}`, type: 'Text', required: true }));
    harness.service.showForms({ ...CONTACT_FORM, fields });
    const { errors, widget } = await harness.visit();
    await widget.launcher.click();
    for (const round of ['first', 'second']) {
      for (const key of keys) await widget.field(`Label ${key}`).fill(round);
      await widget.send.click();
      await widget.text('Your message has been sent.');
      await widget.button('Send another message').click();
      expect(await widget.field('Label matches').inputValue()).toBe('');
    }
    const sent = (round: string) => Object.fromEntries(keys.map((key) => [key, round]));
    expect(submissions().map(({ body }) => body.values)).toEqual([sent('first'), sent('second')]);
    expect(errors).toEqual([]);
  });

  test('reports missing and malformed values before it sends', async () => {
    const { page, widget } = await harness.visit();
    await widget.openForm();
    await widget.field('Your name').fill('   ');
    await widget.field('Email').fill('ada@');
    await widget.send.click();
    expect(await widget.alert.textContent()).toBe('Please check the fields marked below.');
    expect(await focused(page)).toBe('field-name');
    expect(await described(widget.field('Email'))).toContain('name@example.com');
    expect(await described(widget.field('Message'))).toBe('Please fill in this field.');
    expect(await widget.field('Phone').getAttribute('aria-invalid')).toBeNull();
    expect(submissions()).toEqual([]);
  });

  test("binds the service's refusal to its field", async () => {
    answers(refuse(400, 'values.email: is not known here'), SENT);
    const { page, widget } = await filledForm();
    await widget.send.click();
    await widget.text('is not known here');
    expect(await described(widget.field('Email'))).toBe('is not known here');
    expect(await widget.field('Email').getAttribute('aria-invalid')).toBe('true');
    expect(await focused(page)).toBe('field-email');
    await widget.field('Email').fill('ada@example.org');
    expect(await widget.field('Email').getAttribute('aria-invalid')).toBeNull();
    await widget.submit();
    expect(new Set(keys()).size).toBe(2);
  });

  test('keeps each draft while the visitor looks at another form', async () => {
    const { widget } = await harness.visit();
    await widget.openForm();
    await widget.field('Message').fill('Half a thought');
    await widget.button('Back').click();
    await widget.topic('Call me back').click();
    await widget.button('Back').click();
    await widget.topic('Contact us').click();
    expect(await widget.field('Message').inputValue()).toBe('Half a thought');
  });

  test("the page's keyboard shortcuts do not swallow what is typed", async () => {
    const shortcuts = `<script>document.addEventListener('keydown', (event) => {
    if (!/INPUT|TEXTAREA/.test(event.target.tagName)) event.preventDefault();
  })</script>`;
    const { widget } = await harness.visit({ head: shortcuts });
    await widget.openForm();
    await widget.field('Message').pressSequentially('search /');
    expect(await widget.field('Message').inputValue()).toBe('search /');
  });

  test('shows markup in names and labels as text', async () => {
    const label = '<img src=x onerror=alert(1)>';
    const field = { key: '__proto__', label, type: 'Text', required: true };
    harness.service.showForms({ slug: 'x', name: label, fields: [field] });
    const { errors, widget } = await harness.visit();
    await widget.launcher.click();
    await widget.host.getByRole('textbox', { name: label }).fill('kept');
    await widget.send.click();
    await until(() => submissions().length === 1);
    expect(JSON.stringify(submissions()[0]?.body.values)).toBe('{"__proto__":"kept"}');
    expect(errors).toEqual([]);
  });
});

describe('sending', () => {
  test('shows that it is in progress, and a second click sends nothing', async () => {
    const finished = Promise.withResolvers<Reply>();
    harness.service.submit = () => finished.promise;
    const { widget } = await filledForm();
    await widget.send.click();
    await widget.text('Sending…');
    expect(await widget.send.getAttribute('aria-disabled')).toBe('true');
    await widget.send.click({ force: true });
    await widget.field('Email').press('Enter');
    await until(() => submissions().length === 1);
    finished.resolve(SENT);
    await widget.text('Thank you!');
    expect(submissions()).toHaveLength(1);
  });

  test('shows a message when it fails; another attempt cannot submit twice', async () => {
    const { widget } = await filledForm();
    const failures: [Reply, string][] = [
      // Neither the endpoint nor a channel accepted it.
      [refuse(502, 'The submission could not be delivered'), 'could not be delivered'],
      [refuse(429, 'Rate limit exceeded'), 'Too many messages'],
      [refuse(401, 'Widget site is disabled'), 'could not be delivered'],
      ['hang up', 'could not be reached'],
    ];
    for (const [reply, text] of failures) {
      answers(reply);
      await widget.send.click();
      await widget.alert.getByText(text).waitFor();
      expect(await widget.send.textContent()).toBe('Try again');
      expect(await widget.field('Message').inputValue()).toBe('Twelve bikes, please.');
    }
    answers(SENT);
    await widget.submit();
    expect(submissions().length).toBeGreaterThan(failures.length);
    expect(new Set(keys()).size).toBe(1);
  });

  test('treats changed content and the next message as new submissions', async () => {
    answers(refuse(502, 'The submission could not be delivered'), SENT);
    const { widget } = await filledForm();
    await widget.send.click();
    await widget.alert.getByText('could not be delivered').waitFor();
    await widget.field('Message').fill('Thirteen bikes, please.');
    await widget.send.click();
    await widget.button('Send another message').click();
    expect(await widget.field('Message').inputValue()).toBe('');
    await widget.fill();
    await widget.submit();
    expect(new Set(keys()).size).toBe(3);
  });

  test('waits while an earlier attempt is still in progress', async () => {
    answers(refuse(409, 'client_key: this submission is still being delivered'), SENT);
    const { widget } = await filledForm();
    await widget.submit();
    expect(new Set(keys()).size).toBe(1);
  });

  test('starts a new conversation when the service no longer knows the old one', async () => {
    answers(refuse(400, 'conversation_id: unknown conversation'), SENT);
    const { widget } = await filledForm();
    harness.service.init = () => ({ status: 200, body: { ...INIT, conversation_id: 'conversation-2' } });
    await widget.submit();
    expect(submissions().map(({ body }) => body.conversation_id)).toEqual(['conversation-1', 'conversation-2']);
  });
});

describe('a session token that expires while the page is open', () => {
  const OLD = tokenFor('site_test', 'old');
  const NEW = tokenFor('site_test', 'new');
  const tag = `data-session-token="${OLD}"`;
  const onlyNew = (request: ReceivedRequest) => (request.headers['x-session-token'] === NEW ? SENT : EXPIRED);
  /** A page that sets the new token as soon as `waiting` submissions are refused. */
  const renewing = (waiting = 1) => {
    const counted = `<script>
    window.asked = 0;
    addEventListener('va-wave:token-expired', () => {
      window.asked++;
      window.refused.then(() => window.vaWave.setSessionToken(${JSON.stringify(NEW)}));
    });
    window.refused = new Promise((resolve) => { window.refuse = resolve; });
  </script>`;
    const release = (page: Page) =>
      until(() => submissions().length >= waiting).then(() => page.evaluate('window.refuse()'));
    return { head: counted, release };
  };

  test('is renewed by the page, and the submission continues without the visitor', async () => {
    harness.service.submit = onlyNew;
    const { head, release } = renewing();
    const { page, widget } = await filledForm({ tag, head });
    await widget.send.click();
    await widget.status.getByText('Renewing your session').waitFor();
    await release(page);
    await widget.text('Thank you!');
    expect(await page.evaluate('window.asked')).toBe(1);
    expect(submissions()).toHaveLength(2);
    expect(new Set(keys()).size).toBe(1);
  });

  test('is renewed once for two submissions at the same time', async () => {
    harness.service.submit = onlyNew;
    const { head, release } = renewing(2);
    const { page, widget } = await filledForm({ tag, head });
    await widget.send.click();
    await widget.button('Back').click();
    await widget.topic('Call me back').click();
    await widget.field('Phone').fill('+1 555 0100');
    await widget.send.click();
    await release(page);
    await widget.text('Thank you!');
    await widget.button('Back').click();
    await widget.topic('Contact us').click();
    await widget.text('Thank you!');
    expect(await page.evaluate('window.asked')).toBe(1);
    expect(submissions()).toHaveLength(4);
  });

  test('without a renewal: the widget shows a notice and keeps the draft, until a token arrives later', async () => {
    harness.service.submit = onlyNew;
    const { page, widget } = await filledForm({ tag }, { alone: 'clock' });
    await widget.send.click();
    await widget.status.getByText('Renewing your session').waitFor();
    await page.clock.fastForward(5000);
    await widget.alert.getByText('Your session has expired').waitFor();
    expect(await widget.field('Message').inputValue()).toBe('Twelve bikes, please.');
    await page.evaluate(`window.vaWave.setSessionToken(${JSON.stringify(NEW)})`);
    await widget.status.getByText('has been renewed').waitFor();
    await widget.submit();
  });

  test('is not renewed without end by a page that sets invalid tokens', async () => {
    harness.service.submit = () => EXPIRED;
    const { head, release } = renewing();
    const { page, widget } = await filledForm({ tag, head });
    await widget.send.click();
    await release(page);
    await widget.alert.getByText('Your session has expired').waitFor();
    expect(await page.evaluate('window.asked')).toBe(2);
  });
});

describe('the browser stores', () => {
  test('the conversation for the tab and the visitor for the browser', async () => {
    const { page } = await harness.visit();
    await widgetOf(page).launcher.click();
    // The service has answered before the page has stored the answer.
    await page.waitForFunction(`JSON.stringify(sessionStorage).includes('conversation-1')`);
    await page.reload();
    await widgetOf(page).launcher.waitFor();
    const other = await page.context().newPage();
    await other.goto(harness.siteUrl);
    await widgetOf(other).launcher.waitFor();
    expect(harness.service.to('init').map(({ body }) => [body.conversation_id, body.visitor_id])).toEqual([
      [null, null],
      [null, 'visitor-1'],
      ['conversation-1', 'visitor-1'],
      [null, 'visitor-1'],
    ]);
  });

  test('a draft until it is sent, also after several reloads', async () => {
    const { page, widget } = await filledForm();
    for (let round = 0; round < 2; round++) {
      await page.reload();
      await widget.openForm();
      expect(await widget.field('Message').inputValue()).toBe('Twelve bikes, please.');
    }
    await widget.submit();
    await page.reload();
    await widget.openForm();
    expect(await widget.field('Message').inputValue()).toBe('');
    const other = await page.context().newPage();
    await other.goto(harness.siteUrl);
    await widgetOf(other).openForm();
    expect(await widgetOf(other).field('Message').inputValue()).toBe('');
  });

  test('the key of a submission whose answer a reload has prevented', async () => {
    harness.service.submit = () => 'never';
    const { page, widget } = await filledForm();
    await widget.send.click();
    await until(() => submissions().length === 1);
    harness.service.submit = () => SENT;
    await page.reload();
    await widget.openForm();
    await widget.submit();
    expect(submissions()).toHaveLength(2);
    expect(new Set(keys()).size).toBe(1);
  });

  test('a draft, and does not show it to the next user who logs in', async () => {
    const of = (user: string) => () => ({ status: 200, body: { ...INIT, visitor_id: user } });
    const drafted = async (first: string, next: string) => {
      harness.service.init = of(first);
      const { page, widget } = await filledForm({ tag: `data-session-token="${tokenFor('site_test')}"` });
      expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain(first);
      harness.service.init = of(next);
      await page.reload();
      await widget.openForm();
      return widget.field('Message').inputValue();
    };
    expect(await drafted('user-1', 'user-2')).toBe('');
    expect(await drafted('user-1', 'anon_5d0a')).toBe('');
    expect(await drafted('user-1', 'user-1')).toBe('Twelve bikes, please.');
    // Each token that a backend mints without a user id has a new id.
    expect(await drafted('anon_5d0a', 'anon_77c1')).toBe('Twelve bikes, please.');
  });

  test('nothing that the widget trusts: it ignores invalid entries', async () => {
    const { page } = await harness.visit({
      head: `<script>localStorage.setItem('va-wave:visitor:site_test', '<b>'); sessionStorage.setItem('va-wave:draft::contact-us', '{"typed":null,"attempt":{"values":1}}')</script>`,
    });
    await widgetOf(page).openForm();
    expect(harness.service.to('init')[0]?.body.visitor_id).toBeNull();
  });

  test('nothing when storage is blocked, and the widget still works', async () => {
    const blocked = `for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, { get() { throw new DOMException('blocked', 'SecurityError'); } });`;
    const { widget, errors } = await filledForm({}, { before: (page) => page.addInitScript(blocked) });
    await widget.submit();
    expect(errors).toEqual([]);
  });
});

describe('window.vaWave', () => {
  test('shows nothing when destroy is called while init is in progress', async () => {
    harness.service.init = () => 'never';
    const { page, errors } = await harness.visit();
    await until(() => harness.service.to('init').length === 1);
    await page.evaluate('window.vaWave.destroy()');
    await page.waitForTimeout(50);
    expect(await traces(page)).toMatchObject({ globals: [] });
    expect(errors).toEqual([]);
  });

  test('leaks neither nodes nor listeners when the page destroys and starts the widget 50 times', async () => {
    // The counts are those of the process.
    const { page } = await harness.visit({}, { alone: true });
    await widgetOf(page).launcher.waitFor();
    const devtools = await page.context().newCDPSession(page);
    const count = async () => {
      await devtools.send('HeapProfiler.collectGarbage');
      const { metrics } = await devtools.send('Performance.getMetrics');
      return metrics.filter(({ name }) => name === 'Nodes' || name === 'JSEventListeners').map(({ value }) => value);
    };
    await devtools.send('Performance.enable');
    await page.evaluate(restart(harness.service.url, 5));
    await count();
    const before = await count();
    await page.evaluate(restart(harness.service.url, 50));
    let after = await count();
    // One garbage collection does not always free every unreachable object.
    for (let round = 0; round < 10 && String(after) !== String(before); round++) after = await count();
    expect(after).toEqual(before);
    expect(await page.locator('va-wave-widget').count()).toBe(1);
  });

  test('removes everything from the page, and its listeners, on destroy', async () => {
    const { page, widget } = await harness.visit({}, { before: countListeners });
    await widget.openForm();
    const inUse = await listeners(page);
    expect(inUse).toBeGreaterThan(5);
    await page.evaluate('window.vaWave.destroy()');
    expect(await page.locator('va-wave-widget').count()).toBe(0);
    expect(await traces(page)).toMatchObject({ sheets: 0, globals: [] });
    // The listeners on the widget's own elements went with them. The page and its media queries have no listener left.
    expect(await listeners(page, 'outside')).toBe(0);
  });

  test('keeps working when the page replaces its body', async () => {
    const { page, widget } = await filledForm();
    await page.evaluate('document.body.replaceWith(document.createElement("body"))');
    await widget.submit();
  });
});

async function described(field: ReturnType<ReturnType<typeof widgetOf>['field']>): Promise<string> {
  return field.evaluate((node) => node.getRootNode().getElementById(node.getAttribute('aria-describedby')).textContent);
}

/** Destroys and starts the widget, and opens the form each time, so that every part was in use. */
function restart(service: string, times: number): string {
  return `(async () => {
  for (let round = 0; round < ${times}; round++) {
    window.vaWave.destroy();
    document.querySelectorAll('script').forEach((script) => script.remove());
    await ${startingAt(service)};
    window.vaWave.open();
    document.querySelector('va-wave-widget').shadowRoot.querySelector('.topic').click();
    window.vaWave.close();
  }
})()`;
}
