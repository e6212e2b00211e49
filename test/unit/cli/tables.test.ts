import stringWidth from 'string-width';
import { FakeOperator } from './operator.ts';

/** Names that people choose, of which characters take two columns of a terminal, or none. */
const NAMES = [
  'My Shop',
  '株式会社長い名前の会社はここにあります本社東京都千代田区丸の内一丁目',
  '👩‍👩‍👧‍👦🇫🇷👍🏽'.repeat(8),
  'Zoë’s café '.repeat(6).normalize('NFD').trim(),
  'متجر الدراجات في شارع الملك فهد بجوار المكتبة القديمة',
  'x'.repeat(100),
];

/** The ids of a table, by the command that prints it. */
async function tables(operator: FakeOperator): Promise<Readonly<Record<string, readonly string[]>>> {
  const orgs: string[] = [];
  for (const name of NAMES)
    orgs.push((await operator.json<{ org_id: string }>('org', 'create', '--name', name, '--plan', 'paid')).org_id);
  const { org_id, site_id } = await operator.assistant();
  const actions: string[] = [];
  for (const [index, name] of NAMES.entries()) {
    const settings = ['--url', `https://shop.example/${'path/'.repeat(30)}`, '--event', 'contact.created'];
    const create = [
      'action',
      'create',
      '--site',
      site_id,
      '--trigger',
      'Event',
      '--name',
      `${index} ${name}`.slice(0, 99),
    ];
    actions.push((await operator.json<{ action_id: string }>(...create, ...settings)).action_id);
  }
  return {
    'org list': orgs,
    [`action list --org ${org_id}`]: actions,
    [`assistant list --org ${org_id}`]: [site_id],
  };
}

test.each([undefined, 0, 40, 60, 80, 100, 120])(
  'a terminal of %p columns shows every id, and no line that it would break',
  async (columns) => {
    const operator = new FakeOperator();
    const found = await tables(operator);
    operator.columns = columns;
    for (const [words, ids] of Object.entries(found)) {
      const { out } = await operator.run(...words.split(' '));
      for (const id of ids) expect(out).toContain(id);
      expect(out.isWellFormed()).toBe(true);
      const longest = Math.max(...out.split('\n').map((line) => stringWidth(line)));
      if (columns) expect([words, longest <= columns, longest]).toEqual([words, true, longest]);
      else expect(out).not.toContain('…');
    }
  },
);

test('a name or an address that has a line of its own is not shortened further than that line', async () => {
  const operator = new FakeOperator();
  const { org_id, site_id } = await operator.assistant();
  const url = 'https://shop.example/orders/of/the/customer';
  const create = ['action', 'create', '--site', site_id, '--trigger', 'Event', '--name', 'Tell my shop'];
  await operator.run(...create, '--url', url, '--event', 'contact.created');
  operator.columns = 80;
  expect((await operator.run('action', 'list', '--org', org_id)).out).toContain(`POST ${url}`);
});
