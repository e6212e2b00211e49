import { readFileSync } from 'node:fs';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { startReceiver } from '../../service/acceptance/receiver.ts';
import { startService } from '../../service/acceptance/started-service.ts';
import { commandsOn } from '../../service/cli/captured-run.ts';
import { refuse, startFakeService, startSite } from '../widget/fake-service.ts';
import { tokenFor } from '../widget/token.ts';
import type { Engine } from './engine.ts';
import { firefox } from './firefox.ts';
import { handOf } from './hand.ts';
import { webkit } from './webkit.ts';

// The widget and the dashboard in the engines of Firefox and Safari. Everything else is tested in Chromium.

import.meta.jest.setTimeout(300_000);

const EXAMPLE = readFileSync(new URL('../../../examples/conversation-view/view.js', import.meta.url), 'utf8');
const LONG = {
  slug: 'long',
  name: 'A long form',
  fields: Array.from({ length: 12 }, (_, n) => ({ key: `f${n}`, label: `Field ${n}`, type: 'Text', required: false })),
};

describe.each([firefox, webkit])('$name', ({ name, missing, start }) => {
  if (missing.length > 0) {
    console.warn(`${name} is not tested: ${missing.join(' and ')} must be installed.`);
    test.skip(`needs ${missing.join(' and ')}`, () => {});
    return;
  }
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
          <body><h1>Shop</h1><button id="buy">Buy</button><p style="height: 3000px"></p>
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
});

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
