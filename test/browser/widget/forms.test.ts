import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { byDay, full } from '../../harness/full.ts';
import { until } from '../../harness/until.ts';
import { CONTACT_FORM, INIT, type ReceivedRequest, type Reply, refuse } from './fake-service.ts';
import { widgetOf } from './harness.ts';
import { countListeners, focused, listeners, startingAt, traces } from './page-state.ts';
import { harness } from './shared-harness.ts';
import { tokenFor } from './token.ts';

beforeEach(() => harness.service.reset());

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
      ['input', 'text', 'field-name', 'name', '', true, -1],
      ['input', 'text', 'field-email', 'email', 'email', true, -1],
      ['input', 'tel', 'field-phone', 'tel', 'tel', false, -1],
      ['input', 'text', 'field-seats', '', 'decimal', false, -1],
      ['textarea', 'textarea', 'field-message', '', '', true, -1],
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
      client_key: expect.stringMatching(/^\d+-\d+-\d+-\d+$/),
    });
  });

  test.each([
    ['en', 'username', 'User', ''],
    ['en', 'contact', 'E-mail', 'email'],
    ['de', 'ihr_name', 'Ihr Name', 'name'],
    ['de', 'first_name', 'Wie heißen Sie?', 'given-name'],
  ])('knows in %s what %s, %j asks for: %s', async (language, key, label, expected) => {
    harness.service.showForms({ ...CONTACT_FORM, fields: [{ key, label, type: 'Text', required: true }] });
    const { page, widget } = await harness.visit({ html: `lang="${language}"` });
    await widget.launcher.click();
    expect(await widget.field(label).evaluate((input) => input.autocomplete)).toBe(expected);
    await page.evaluate(`vaWave.prefill({ name: 'Ada', email: 'ada@example.com' })`);
    const filled: Record<string, string> = { name: 'Ada', email: 'ada@example.com' };
    expect(await widget.field(label).inputValue()).toBe(filled[expected] ?? '');
  });

  test('sends an address as it is typed, which browsers would rewrite or refuse', async () => {
    const { widget } = await filledForm();
    const addresses = ['ada@münchen.example', 'jürgen@example.com', '用户@例子.example', "o'hara+bikes@example.com"];
    for (const address of addresses) {
      await widget.field('Email').fill(` ${address} `);
      await widget.submit();
      await widget.button('Send another message').click();
      await widget.fill();
    }
    expect(submissions().map(({ body }) => Object(body.values).email)).toEqual(addresses);
    for (const address of [
      'ada',
      '@example.com',
      'ada@',
      'a@b@c',
      'ada@example.com, bob@example.com',
      'Ada <ada@example.com>',
    ]) {
      await widget.field('Email').fill(address);
      await widget.send.click();
      expect(await described(widget.field('Email'))).toContain('name@example.com');
    }
    expect(submissions()).toHaveLength(addresses.length);
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
    expect(await widget.alert.textContent()).toBe('Please check the marked fields.');
    expect(await focused(page)).toBe('field-name');
    expect(await described(widget.field('Email'))).toContain('name@example.com');
    expect(await described(widget.field('Message'))).toBe('Please fill in this field.');
    expect(await widget.field('Phone').getAttribute('aria-invalid')).not.toBe('true');
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
    expect(await widget.field('Email').getAttribute('aria-invalid')).not.toBe('true');
    await widget.submit();
    expect(new Set(keys()).size).toBe(2);
  });

  test('marks every field that became Required while the page was open, and ignores one that it does not have', async () => {
    const wrong = ['values.message', 'values.phone', 'values.new'].map((field) => ({ field, problem: 'is required' }));
    const error = 'values.message: is required';
    const body = {
      success: false,
      code: 'value_required',
      error,
      field: 'values.message',
      fields: [...wrong, null, 'x', {}],
    };
    answers({ status: 400, body }, SENT);
    const { page, widget } = await filledForm();
    await widget.send.click();
    await widget.text('Please check the marked fields.');
    for (const label of ['Phone', 'Message']) {
      expect(await described(widget.field(label))).toBe('Please fill in this field.');
      expect(await widget.field(label).getAttribute('aria-invalid')).toBe('true');
    }
    expect(await described(widget.field('Email'))).toBe('');
    expect(await focused(page)).toBe('field-phone');
    await widget.submit();
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

/** What is typed into a number field, and the JSON that is sent, or the texts of the refusal. */
const NUMBERS: readonly (readonly [string, string | readonly string[]])[] = [
  ['12345678901234567890', '12345678901234567890'],
  ['12.50', '12.50'],
  ['١٢٣', '123'],
  ['0012', ['zeros']],
  ['1.234', ['ambiguous', ' 1234 / 1.2340']],
  ['12abc', ['number']],
  ['9007199254740993', '9007199254740993'],
  ['1,5', '1.5'],
  ['1.5', '1.5'],
  ['-0.1', '-0.1'],
  ['１２', '12'],
  ['1,234', ['ambiguous', ' 1234 / 1,2340']],
  ['1/2', ['number']],
  ['1e3', ['number']],
  ['1.234,5', ['number']],
  ['1 234', ['number']],
];
const READ_IN = byDay(1, ['de', 'en', 'ar', 'hi', 'fr', 'es', 'he', 'ja', 'zh', 'fa', 'de-CH', 'pt_BR']);

test.each(READ_IN)(
  'a number field on a page in %s sends the digits that were typed, or says why not',
  async (language) => {
    const seats = { key: 'seats', label: 'Seats', type: 'Number', required: true };
    harness.service.showForms({ ...CONTACT_FORM, fields: [seats] });
    const { page, widget } = await harness.visit({ html: `lang="${language}"` });
    await widget.launcher.click();
    const [shown = 'en'] = (await widget.host.locator('.root').getAttribute('lang'))?.split('-') ?? [];
    const texts = JSON.parse(readFileSync(new URL(`../../../widget/texts/${shown}.json`, import.meta.url), 'utf8'));
    for (const [typed, expected] of byDay(6, NUMBERS)) {
      const before = submissions().length;
      await widget.field('Seats').fill('');
      await widget.field('Seats').focus();
      await page.keyboard.insertText(typed);
      // A number input that is focused would count with the wheel.
      await page.mouse.wheel(0, 100);
      await widget.send.click();
      if (typeof expected === 'string') {
        await widget.button(texts.another).click();
        expect(submissions().at(-1)?.text).toContain(`"values":{"seats":${expected}},`);
      } else {
        const [name = '', readings = ''] = expected;
        expect([typed, await described(widget.field('Seats'))]).toEqual([typed, texts[name] + readings]);
        expect(submissions()).toHaveLength(before);
      }
    }
  },
);

describe('a text', () => {
  const over = async (widget: ReturnType<typeof widgetOf>) => {
    await widget.send.click();
    return described(widget.field('Message'));
  };

  test('is never cut: the field says how much is too much', async () => {
    const { page, widget } = await harness.visit();
    await widget.openForm();
    await widget.fill();
    await widget.field('Message').fill('');
    await widget.field('Message').focus();
    await page.keyboard.insertText(`${'x'.repeat(5993)}555-0100`);
    // Before the visitor sends it.
    expect(await described(widget.field('Message'))).toMatch(/Characters to remove: 1001$/);
    expect(await over(widget)).toMatch(/Characters to remove: 1001$/);
    expect(await widget.field('Message').inputValue()).toMatch(/555-0100$/);
    expect(submissions()).toEqual([]);
  });

  test('is counted as the service counts it, by code points', async () => {
    const { widget } = await filledForm();
    await widget.field('Message').fill('🚲'.repeat(5001));
    expect(await over(widget)).toMatch(/Characters to remove: 1$/);
    const message = '🚲'.repeat(5000);
    await widget.field('Message').fill(message);
    await widget.submit();
    expect(submissions()[0]?.body.values).toMatchObject({ message });
  });

  test('of prefill is not cut either', async () => {
    const { page, widget } = await filledForm();
    await page.evaluate(`vaWave.prefill({ fields: { phone: '5'.repeat(6000), seats: '0012' } })`);
    await widget.send.click();
    expect(await described(widget.field('Phone'))).toMatch(/Characters to remove: 1000$/);
    expect(await described(widget.field('How many seats?'))).toContain('without zeros in front');
    expect(submissions()).toEqual([]);
  });
});

describe('sending', () => {
  test('keeps what is changed meanwhile, and says that it has not been sent', async () => {
    const finished = Promise.withResolvers<Reply>();
    harness.service.submit = () => finished.promise;
    const { page, widget } = await filledForm();
    await widget.send.click();
    await widget.text('Sending…');
    await widget.field('Message').fill('Thirteen bikes, please.');
    finished.resolve(SENT);
    await widget.status.getByText('sent without your last change').waitFor();
    expect(await widget.send.textContent()).toBe('Send');
    expect(await widget.field('Message').inputValue()).toBe('Thirteen bikes, please.');
    await page.reload();
    await widget.openForm();
    expect(await widget.field('Message').inputValue()).toBe('Thirteen bikes, please.');
    harness.service.submit = () => SENT;
    await widget.submit();
    expect(submissions().map(({ body }) => Object(body.values).message)).toEqual([
      'Twelve bikes, please.',
      'Thirteen bikes, please.',
    ]);
    expect(new Set(keys()).size).toBe(2);
  });

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

  test('offers to send, not to try again, what is changed while an attempt fails', async () => {
    const finished = Promise.withResolvers<Reply>();
    harness.service.submit = () => finished.promise;
    const { widget } = await filledForm();
    await widget.send.click();
    await widget.text('Sending…');
    await widget.field('Message').fill('Thirteen bikes, please.');
    finished.resolve(refuse(502, 'The submission could not be delivered'));
    await widget.alert.getByText('could not be delivered').waitFor();
    expect(await widget.send.textContent()).toBe('Send');
  });

  test('shows a message when it fails; another attempt cannot submit twice', async () => {
    const { widget } = await filledForm();
    const failures: [Reply, string][] = [
      // Neither the endpoint nor a channel accepted it.
      [refuse(502, 'The submission could not be delivered'), 'could not be delivered'],
      [refuse(429, 'Rate limit exceeded'), 'Too many messages'],
      [refuse(401, 'Widget site is disabled'), 'could not be delivered'],
      [{ status: 200, body: { success: true } }, 'could not be delivered'],
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
    const { page, widget, settled } = await filledForm({}, { alone: 'clock' });
    await widget.send.click();
    await until(() => submissions().length === 1);
    await settled();
    await page.clock.fastForward(2000);
    await widget.text('Thank you!');
    expect(submissions()).toHaveLength(2);
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
    const { page, settled } = await harness.visit();
    await widgetOf(page).launcher.click();
    await settled();
    await page.reload();
    await widgetOf(page).launcher.waitFor();
    const other = await page.context().newPage();
    await other.goto(harness.siteUrl);
    await widgetOf(other).launcher.waitFor();
    expect(harness.service.to('init').map(({ body }) => [body.conversation_id, body.visitor_id])).toEqual([
      [null, null],
      [null, null],
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

  test('a draft that cannot be sent yet', async () => {
    const { page, widget } = await filledForm();
    for (const [label, text] of [
      ['How many seats?', 'twelve'],
      ['Email', 'ada@'],
    ] as const) {
      await widget.field(label).fill(text);
      await page.reload();
      await widget.openForm();
      expect(await widget.field(label).inputValue()).toBe(text);
    }
  });

  test('the key of a submission whose answer a reload has prevented', async () => {
    harness.service.submit = () => 'never';
    const { page, widget } = await filledForm();
    await widget.send.click();
    await until(() => submissions().length === 1);
    harness.service.submit = () => SENT;
    await page.reload();
    await widget.openForm();
    // The page repeats it by itself.
    await widget.text('Thank you!');
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
    const keptDraft = 'Twelve bikes, please.';
    const logins = [
      ['user-1', 'anon_5d0a', ''],
      // Each token that a backend mints without a user id has a new id.
      ['anon_5d0a', 'anon_77c1', keptDraft],
      ['user-1', 'user-2', ''],
      ['user-1', 'user-1', keptDraft],
    ] as const;
    // By day, visitors.test.ts has the users.
    for (const [first, next, expected] of byDay(2, logins)) expect(await drafted(first, next)).toBe(expected);
  });

  test('nothing that the widget trusts: it ignores invalid entries', async () => {
    const { page } = await harness.visit({
      head: `<script>localStorage.setItem('va-wave:site_test:visitor', '<b>'); sessionStorage.setItem('va-wave:site_test:draft:contact-us', '{"texts":null,"attempt":{"values":1}}')</script>`,
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
    const answer = Promise.withResolvers<void>();
    const usual = harness.service.init;
    harness.service.init = (request) => answer.promise.then(() => usual(request));
    const { page, errors, settled } = await harness.visit();
    await until(() => harness.service.to('init').length === 1);
    await page.evaluate('window.vaWave.destroy()');
    answer.resolve();
    await settled();
    expect(await page.locator('va-wave-widget').count()).toBe(0);
    expect(await traces(page)).toMatchObject({ globals: [] });
    expect(errors).toEqual([]);
  });

  test('leaks neither nodes nor listeners when the page destroys and starts the widget again and again', async () => {
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
    await page.evaluate(restart(harness.service.url, full ? 50 : 10));
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
