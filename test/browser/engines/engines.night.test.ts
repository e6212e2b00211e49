import { readFileSync } from 'node:fs';
import { limitTests } from '../../harness/each-test.ts';
import { describeWhere } from '../../harness/programs.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { until } from '../../harness/until.ts';
import { startReceiver } from '../../service/acceptance/receiver.ts';
import { startService } from '../../service/acceptance/started-service.ts';
import { commandsOn } from '../../service/cli/captured-run.ts';
import { type Reply, refuse, startFakeService, startSite } from '../widget/fake-service.ts';
import { RECORD_ANNOUNCEMENTS } from '../widget/page-state.ts';
import { tokenFor } from '../widget/token.ts';
import type { Engine, Installed } from './engine.ts';
import { firefox } from './firefox.ts';
import { handOf } from './hand.ts';
import { webkit } from './webkit.ts';

// The widget and the dashboard in the engines of Firefox and Safari. Everything else is tested in Chromium.

limitTests(300_000);

const EXAMPLE = readFileSync(new URL('../../../examples/conversation-view/view.js', import.meta.url), 'utf8');
const LONG = {
  slug: 'long',
  name: 'A long form',
  fields: Array.from({ length: 12 }, (_, n) => ({ key: `f${n}`, label: `Field ${n}`, type: 'Text', required: false })),
};

for (const engine of [firefox, webkit]) describeWhere(engine.missing, engine.name, () => testsOf(engine));

function testsOf({ name, start }: Installed): void {
  const running = new AsyncDisposableStack();
  let engine: Engine;
  let hand: ReturnType<typeof handOf>;
  beforeAll(async () => {
    engine = await start();
    running.defer(async () => void (await engine.stop()));
    hand = handOf(engine);
  });
  afterAll(() => running.disposeAsync());

  describe('the widget', () => {
    let service: Awaited<ReturnType<typeof startFakeService>>;
    beforeAll(async () => {
      service = await startFakeService();
      running.defer(() => service.stop());
    });

    const visit = async (
      parts: {
        readonly head?: string;
        readonly tag?: string;
        readonly html?: string;
        readonly headers?: Record<string, string>;
        readonly body?: string;
        readonly forms?: readonly object[];
      } = {},
    ) => {
      service.reset();
      if (parts.forms) service.showForms(...parts.forms);
      // Each visit has its own origin, and so its own storage.
      const site = await startSite();
      running.defer(site.stop);
      const origin = `http://127.0.0.1:${site.port}`;
      service.visitFrom(parts.headers === undefined ? origin : 'null');
      site.serve({
        html: `<!doctype html><html ${parts.html ?? 'lang="en"'}><head><meta charset="utf-8">${parts.head ?? ''}</head>
          <body><h1>Shop</h1><button id="buy">Buy</button>${parts.body ?? ''}<p style="height: 3000px"></p>
          <script async src="${service.url}/static/va-wave-widget.js" ${parts.tag ?? 'data-site-id="site_test"'}></script></body></html>`,
        headers: parts.headers ?? {},
      });
      await engine.resize(1000, 700);
      await engine.open(origin);
      await hand.until(`find('Help and contact') || find('Hilfe und Kontakt') ? true : false`);
    };
    const openForm = async () => {
      await hand.click('Help and contact');
      await hand.click('Contact us');
    };
    const fill = async () => {
      await hand.fill('Your name', 'Ada');
      await hand.fill('Email', 'ada@münchen.example');
      await hand.fill('Message', 'Twelve bikes');
    };
    /** Holds each submission until the test gives its answer. */
    const replies = () => {
      let answer: (reply: Reply) => void = () => undefined;
      let arrivals = 0;
      return {
        hold: () => {
          service.submit = () => new Promise((resolve) => (answer = resolve));
        },
        next: async (reply: Reply) => {
          arrivals++;
          await until(() => service.to('submit').length === arrivals);
          answer(reply);
        },
      };
    };
    const sent = () => service.to('submit').map(({ text }) => /"values":(\{.*?\})/.exec(text)?.[1]);

    test('opens by keys, has no stop without a name, and returns the focus', async () => {
      await visit();
      await hand.click('Buy');
      await hand.see(`document.querySelector('#buy').focus()`);
      await engine.press('Tab');
      expect(await hand.focused()).toBe('Help and contact');
      await engine.press('Enter');
      await hand.read('Choose a topic');
      const stops: string[] = [await hand.focused()];
      for (let step = 0; step < 3; step++) {
        await engine.press('Tab');
        stops.push(await hand.focused());
      }
      expect(stops).toEqual(['How can we help?', 'Close', 'Contact us', 'Call me back']);
      await engine.press('Escape');
      expect(await hand.see('vaWave.isOpen()')).toBe(false);
      expect(await hand.focused()).toBe('Help and contact');
    });

    test('a form has no stop but its fields and buttons, also when it scrolls', async () => {
      await visit({ forms: [LONG] });
      await hand.click('Help and contact');
      await hand.read('Field 11');
      const stops: string[] = [];
      for (let step = 0; step < 14; step++) {
        await engine.press('Tab');
        stops.push(await hand.focused());
      }
      expect(stops).toEqual(['Close', ...LONG.fields.map(({ label }) => `${label} (optional)`), 'Send']);
    });

    test('sends what is typed into each type of field', async () => {
      await visit();
      await openForm();
      await fill();
      await hand.fill('Phone', '+49 89 1234');
      await hand.fill('How many seats?', '12345678901234567890');
      await hand.click('Send');
      await hand.read('Thank you!');
      expect(sent()).toEqual([
        '{"name":"Ada","email":"ada@münchen.example","phone":"+49 89 1234","seats":12345678901234567890,"message":"Twelve bikes"}',
      ]);
      expect(await hand.focused()).toBe('Thank you!');
      expect(await hand.see(`getComputedStyle(roots[1].querySelector('h3')).outlineStyle`)).toBe('none');
    });

    test('reads a number in the same way in German, and says why it sends none', async () => {
      await visit({ html: 'lang="de"' });
      await hand.click('Hilfe und Kontakt');
      await hand.click('Contact us');
      await hand.fill('Your name', 'Ada');
      await hand.fill('Email', 'ada');
      await hand.fill('Message', 'Zwölf');
      for (const [typed, text] of [
        ['0012', 'ohne führende Nullen'],
        ['1.234', '1234 / 1.2340'],
        ['12abc', 'in Ziffern'],
      ] as const) {
        await hand.fill('How many seats? (freiwillig)', typed);
        await hand.click('Senden');
        await hand.read(text);
      }
      await hand.read('name@example.com');
      expect(sent()).toEqual([]);
      await hand.fill('Email', 'ada@example.com');
      await hand.fill('How many seats? (freiwillig)', '12,5');
      await hand.click('Senden');
      await hand.read('Vielen Dank!');
      expect(sent()).toEqual(['{"name":"Ada","email":"ada@example.com","seats":12.5,"message":"Zwölf"}']);
    });

    test('keeps a draft over a reload, also one that cannot be sent', async () => {
      await visit();
      await openForm();
      await hand.fill('Message', 'Half a thought');
      await hand.fill('How many seats?', 'twelve');
      await hand.reload();
      await openForm();
      expect([await hand.value('Message'), await hand.value('How many seats?')]).toEqual(['Half a thought', 'twelve']);
    });

    test('renews a token without the visitor', async () => {
      const next = tokenFor('site_test', 'new');
      await visit({
        tag: `data-session-token="${tokenFor('site_test', 'old')}"`,
        head: `<script>addEventListener('va-wave:token-expired', () => vaWave.setSessionToken('${next}'))</script>`,
      });
      service.submit = ({ headers }) =>
        headers['x-session-token'] === next
          ? { status: 200, body: { success: true, submission_id: '1' } }
          : refuse(401, 'Invalid or expired session token');
      await openForm();
      await fill();
      await hand.click('Send');
      await hand.read('Thank you!');
      expect(service.to('submit')).toHaveLength(2);
    });

    test('is modal on a small screen, which it fills', async () => {
      await visit();
      await engine.resize(390, 640);
      await openForm();
      const stops: string[] = [];
      for (let step = 0; step < 9; step++) {
        await engine.press('Tab');
        stops.push(await hand.focused());
      }
      expect(stops).not.toContain('Buy');
      expect(stops).not.toContain('Help and contact');
      // A scrollbar of the page stays beside the panel.
      const edges = `(({ left, top, right, bottom }, { clientWidth, clientHeight }) =>
        [left, top, clientWidth - right, clientHeight - bottom].map(Math.round))`;
      const dialog = `roots[1].querySelector('dialog').getBoundingClientRect()`;
      expect(await hand.see(`${edges}(${dialog}, document.documentElement)`)).toEqual([0, 0, 0, 0]);
      await engine.press('Escape');
      expect(await hand.see('vaWave.isOpen()')).toBe(false);
    });

    test('works where the browser blocks storage', async () => {
      await visit({ headers: { 'content-security-policy': 'sandbox allow-scripts allow-forms' } });
      expect(await hand.see(`(() => { try { return String(localStorage) } catch { return 'blocked' } })()`)).toBe(
        'blocked',
      );
      await openForm();
      await fill();
      await hand.click('Send');
      await hand.read('Thank you!');
      expect(sent()).toHaveLength(1);
    });

    test('follows the accent and the color-scheme of the page', async () => {
      await visit({ head: '<style>:root { color-scheme: dark; --va-wave-accent: #ffe600 }</style>' });
      await openForm();
      const colors = `['.bar h2', '.panel'].map((part) => getComputedStyle(roots[1].querySelector(part)))`;
      const [title = '', panel = ''] = Array.from(
        Object(await hand.see(`(([a, b]) => [a.color, b.backgroundColor])(${colors})`)),
        String,
      );
      expect(title).toMatch(/^(rgb\(0, 0, 0\)|color\(xyz(-d65)? 0 0 0\))$/);
      expect(panel).toBe('rgb(27, 28, 33)');
    });

    test('shows a conversation, scrolls it, and keeps the page and what is typed', async () => {
      const answer = `JSON.stringify({ messages: [{ from: 'assistant', text: 'Line\\n'.repeat(60) }], ended: false })`;
      await visit({
        head: `<script>
          window.vaWave||((window.vaWave=(...call)=>{vaWave.q.push(call)}).q=[]);
          const other = fetch;
          window.fetch = (url, ...more) => String(url).startsWith('/conversation') ? Promise.resolve(new Response(${answer})) : other(url, ...more);
        </script><script type="module">${EXAMPLE.replace('export function', 'function')}
          vaWave('conversation', conversationView({ url: '/conversation' }));</script>`,
      });
      await hand.click('Help and contact');
      await hand.read('Line');
      await hand.fill('Write a message', 'Half a thought');
      const log = `roots.map((root) => root.querySelector('[role=log]')).find(Boolean)`;
      const end = Number(await hand.see(`${log}.scrollTop`));
      expect(end).toBeGreaterThan(200);
      const [x = 0, y = 0] = Array.from(
        Object(await hand.see(`((box) => [box.left + 50, box.top + 80])(${log}.getBoundingClientRect())`)),
        Number,
      );
      await engine.wheel(x, y, -200);
      await hand.until(`${log}.scrollTop < ${end}`);
      const [at, page] = [await hand.see(`${log}.scrollTop`), await hand.see('scrollY')];
      await engine.type('!');
      expect([await hand.see(`${log}.scrollTop`), page]).toEqual([at, 0]);
      const stops: string[] = [];
      for (let step = 0; step < 6; step++) {
        stops.push(await hand.focused());
        await engine.press('Tab', true);
      }
      expect(stops.slice(0, 5)).toEqual(['Write a message', 'Conversation', 'Call me back', 'Contact us', 'Close']);
      await hand.reload();
      await hand.click('Help and contact');
      await hand.until(`find('Write a message')?.value === 'Half a thought!'`);
    });

    describe('visitors who have not acted, who look away, or who leave', () => {
      const NEXT = '/next';
      const storedKeys = () =>
        hand.see(`[sessionStorage, localStorage].map((storage) => {
          const names = Object.keys(storage).flatMap((key) => key.match(/^va-wave:[^:]*:(\\w+)/)?.[1] ?? []);
          return [...new Set(names)].sort().join(', ') || 'nothing';
        })`);
      const listen = () => hand.see(`${RECORD_ANNOUNCEMENTS}(roots[1])`);

      test.each([
        ['data-site-id="site_test"', ['conversation, owner', 'visitor'], ['conversation, draft, owner', 'visitor']],
        ['data-site-id="site_test" data-storage="none"', ['nothing', 'nothing'], ['nothing', 'nothing']],
      ])('%s: each act stores what the documents say', async (tag, opened, typed) => {
        await visit({ tag });
        await hand.see(`vaWave('open')`);
        await hand.read('Choose a topic');
        await until(() => service.to('init').length === 2);
        expect(await storedKeys()).toEqual(['nothing', 'nothing']);
        await hand.see(`vaWave('close')`);
        await openForm();
        await until(async () => String(await storedKeys()) === String(opened));
        await hand.fill('Your name', 'Ada');
        expect(await storedKeys()).toEqual(typed);
      });

      test('each outcome is told once and in order, in the form, beside it and closed', async () => {
        await visit();
        const sending = replies();
        sending.hold();
        await openForm();
        await fill();
        await listen();
        await hand.click('Send');
        await sending.next(refuse(502, 'The submission could not be delivered'));
        await hand.read('could not be delivered');
        await hand.click('Try again');
        await hand.read('Sending…');
        await engine.press('Escape');
        await sending.next(refuse(429, 'Rate limit exceeded'));
        await hand.until(`Boolean(find('Help and contact. Too many messages. Please wait a minute and try again.'))`);
        await hand.see(`vaWave('unread', 120)`);
        await hand.click(
          'Help and contact. Unread messages: 99+. Too many messages. Please wait a minute and try again.',
        );
        await hand.click('Try again');
        await sending.next({ status: 200, body: { success: true, submission_id: 's' } });
        await hand.read('Thank you!');
        await hand.until('announcements.length > 3');
        expect(await hand.see('announcements')).toEqual([
          'Your message could not be delivered. Please try again.',
          'Too many messages. Please wait a minute and try again.',
          'Unread messages: 99+',
          'Your message has been sent.',
        ]);
      });

      test('Escape closes the panel from the page, which keeps its focus, unless it has used the key', async () => {
        await visit();
        await hand.click('Help and contact');
        await hand.see(
          `(document.body.prepend(Object.assign(document.createElement('input'), { id: 'own' })), document.querySelector('#own').focus())`,
        );
        await hand.see(`document.querySelector('#own').onkeydown = (event) => event.preventDefault()`);
        await engine.press('Escape');
        expect(await hand.see('vaWave.isOpen()')).toBe(true);
        await hand.see(`document.querySelector('#own').onkeydown = null`);
        await engine.press('Escape');
        expect([await hand.see('vaWave.isOpen()'), await hand.see('document.activeElement.id')]).toEqual([
          false,
          'own',
        ]);
      });

      test('the focus of the page is seen under the panel and the launcher', async () => {
        await visit({
          body: `<input id="under" style="position:fixed; right:60px; bottom:120px">
            <a id="last" href="#" style="position:fixed; right:35px; bottom:35px">Go</a>`,
        });
        await openForm();
        for (const id of ['under', 'last']) {
          await hand.see(`document.querySelector('#${id}').focus()`);
          await hand.until(`(() => {
            const element = document.querySelector('#${id}');
            const { x, y, width, height } = element.getBoundingClientRect();
            return document.elementFromPoint(x + width / 2, y + height / 2) === element;
          })()`);
        }
      });

      test.each([
        [1000, 700],
        [390, 664],
      ])('at %i x %i a panel that a timer opens leaves the typing alone', async (width, height) => {
        await visit({ body: '<input id="own">' });
        await engine.resize(width, height);
        await hand.see(`document.querySelector('#own').focus()`);
        await hand.see(`void setTimeout(() => vaWave('open'), 50)`);
        for (const letter of 'a text that takes more time') await engine.type(letter);
        await hand.until('vaWave.isOpen()');
        await engine.type(' than that');
        expect(await hand.see(`document.querySelector('#own').value`)).toBe('a text that takes more time than that');
      });

      test.each([
        [1000, 700],
        [390, 664],
        [320, 256],
      ])('at %i x %i the reason of a failure is in view beside the button', async (width, height) => {
        await visit();
        service.submit = () => refuse(502, 'The submission could not be delivered');
        await engine.resize(width, height);
        await openForm();
        await fill();
        await engine.press('Tab');
        await engine.press('Enter');
        await hand.read('could not be delivered');
        const edges = await hand.see(`['.bar', '.notice', '.main'].flatMap((part) => {
          const { top, bottom } = roots[1].querySelector(part).getBoundingClientRect();
          return [top, bottom].map(Math.round);
        }).concat(innerHeight)`);
        const [, bar = 0, ...others] = Array.from(Object(edges), Number);
        expect([bar - 1, ...others]).toEqual([bar - 1, ...others].sort((one, other) => one - other));
      });

      test.each([1, 2])('a submission that is left while it is sent arrives once (arrivals: %i)', async (arrivals) => {
        await visit();
        service.submit = () =>
          service.to('submit').length < arrivals
            ? 'never'
            : { status: 200, body: { success: true, submission_id: 's' } };
        await openForm();
        await fill();
        // The first request does not leave the page where one is expected.
        if (arrivals === 1)
          await hand.see(
            `void (fetch = ((other) => (url, ...more) => String(url).includes('/submit') ? new Promise(() => {}) : other(url, ...more))(fetch))`,
          );
        await hand.click('Send');
        await hand.read('Sending…');
        if (arrivals === 2) await until(() => service.to('submit').length === 1);
        await hand.see(`void (location.href = '${NEXT}')`);
        await hand.until(
          `location.pathname === '${NEXT}' && roots[1]?.querySelector('.live')?.textContent === 'Your message has been sent.'`,
        );
        expect(service.to('submit')).toHaveLength(arrivals);
        expect(new Set(service.to('submit').map(({ body }) => body.client_key)).size).toBe(1);
      });

      test('focus, caret and text stay when the language of the page changes', async () => {
        await visit();
        await openForm();
        await hand.fill('Your name', 'Ada Lovelace');
        await hand.see(`find('Your name').setSelectionRange(3, 3)`);
        await hand.see(`document.documentElement.lang = ' fr '`);
        await hand.read('Envoyer');
        await engine.type(' K.');
        expect(await hand.see(`find('Your name').value`)).toBe('Ada K. Lovelace');
      });

      test.each(['filter: grayscale(1)', 'transform: scale(1)', 'contain: paint', 'will-change: transform'])(
        'the launcher finds its place when the body gets %s',
        async (style) => {
          await visit();
          await hand.see(`document.body.setAttribute('style', '${style}')`);
          await hand.until(`find('Help and contact').getBoundingClientRect().bottom <= innerHeight`);
          await hand.click('Help and contact');
          await hand.read('Choose a topic');
        },
      );
    });
  });

  test('the dashboard: log in, save, Test and copy', async () => {
    const { started, vaWave, org, site, email, password } = await dashboard();
    await engine.resize(1200, 900);
    await engine.open(`${started.baseUrl}/dashboard/${org}`);
    await hand.fill('Email', email);
    await hand.fill('Password', password);
    await hand.click('Log in');
    await hand.click('Website');
    await hand.click('General');
    const rate = String(300 + name.length);
    await hand.fill('Rate Limit (requests/hour)', rate);
    await hand.click('Save changes');
    await hand.read('Saved. The change takes effect');
    expect(await vaWave('assistant', 'show', site)).toMatchObject({ hourly_rate_limit: Number(rate) });
    await hand.click('Intelligence');
    await hand.click('Test Contact us');
    await hand.read('HTTP status 200');
    await hand.click('Close');
    await hand.until(`!find('Close')`);
    await hand.click('Deploy');
    await hand.click('Copy: Script tag');
    await hand.read('Copied');
  });
}

let starting: ReturnType<typeof startDashboard> | undefined;
afterAll(async () => (await starting)?.stop());

/** The service with an assistant and a form, which both engines share. */
function dashboard() {
  starting ??= startDashboard();
  return starting;
}

async function startDashboard() {
  const receiver = await startReceiver();
  const started = await startService(temporaryFolder(), '--no-demo', '--ca', receiver.authorityFile);
  const vaWave = commandsOn(started.readyFile);
  const email = 'admin@shops.example';
  const { org_id: org } = await vaWave<{ org_id: string }>('org', 'create', '--name', 'Corner Shop', '--plan', 'paid');
  await vaWave('member', 'add', '--org', org, '--email', email, '--role', 'admin');
  const settings = ['--name', 'Website', '--domain', 'shop.example', '--rate-limit', '100'];
  const { site_id: site } = await vaWave<{ site_id: string }>('assistant', 'create', '--org', org, ...settings);
  const form = [
    '--trigger',
    'Form',
    '--name',
    'Contact us',
    '--url',
    receiver.url('/hook'),
    '--field',
    'name:Name:Text',
  ];
  await vaWave('action', 'create', '--site', site, ...form);
  const password =
    started.output().split(`Invitation for ${email}: the temporary password is `)[1]?.split(/\s/)[0] ?? '';
  const stop = async () => {
    await started.interrupt();
    receiver.stop();
  };
  return { started, vaWave, org, site, email, password, stop };
}
