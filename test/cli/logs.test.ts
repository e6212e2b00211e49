import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localLog } from '../../cli/connection.ts';
import { FUNCTIONS, logOutput } from '../../src/deployment/outputs.ts';
import { synthesize } from '../lib/synthesized.ts';
import { FakeOperator } from './operator.ts';

let operator: FakeOperator;
beforeEach(() => {
  operator = new FakeOperator();
});

// The template includes the canary, which is an option.
const template = await synthesize('production with every option');

test('prints the lines of the log unchanged, and selects them by time and text', async () => {
  operator.logLines = [{ time: '2026-01-01T00:00:00.000Z', text: '{"message":"comes back"}' }];
  expect(await operator.run('logs', 'dispatcher', '--since', '30m', '--containing', 'comes back')).toEqual({
    code: 0,
    out: '{"message":"comes back"}\n',
    err: '',
  });
  const since = new Date(operator.clock.now().getTime() - 1_800_000);
  expect(operator.logQueries).toEqual([{ name: 'dispatcher', since, containing: 'comes back' }]);
  expect((await operator.run('logs', 'api', '--json')).out).toBe(
    '{"time":"2026-01-01T00:00:00.000Z","text":"{\\"message\\":\\"comes back\\"}"}\n',
  );
});

test('prints no control character of a line on the terminal', async () => {
  operator.logLines = [{ time: '2026-01-01T00:00:00.000Z', text: 'before\u001b[2J\u202eafter' }];
  expect((await operator.run('logs', 'api')).out).toBe('before\\u001b[2J\\u202eafter\n');
});

test('reports when no line matches', async () => {
  expect(await operator.run('logs', 'api')).toEqual({
    code: 0,
    out: '',
    err: 'No matching lines in this time\n',
  });
});

test.each([[['dispatchers']], [['dispatcher', '--since', 'yesterday']], [['dispatcher', '--since', '0m']]])(
  '%j is refused',
  async (words) => {
    expect(await operator.run('logs', ...words)).toMatchObject({ code: 2, out: '' });
  },
);

test('the template has an output for the log of every function and of the API', () => {
  const groups = template.findResources('AWS::Logs::LogGroup');
  for (const name of FUNCTIONS) {
    const [output] = Object.values(template.findOutputs(logOutput(name)));
    const construct = name.replaceAll('-', '').replace('dashboardapi', 'api');
    expect(String(output?.Value.Ref).toLowerCase()).toContain(`${construct}log`);
    expect(Object.keys(groups)).toContain(output?.Value.Ref);
  }
  const api = Object.keys(groups).find((id) => id.startsWith('ApiAccessLog'));
  template.hasOutput('LogOfApi', { Value: { Ref: api } });
});

describe('the local cloud', () => {
  const folder = mkdtempSync(join(tmpdir(), 'va-wave-logs-'));
  mkdirSync(join(folder, 'logs'));
  const line = (timestamp: string, message: string) => JSON.stringify({ timestamp, message });
  const lines = [line('2026-01-01T00:00:00.000Z', 'old'), line('2026-01-02T00:00:00.000Z', 'new'), 'not JSON', ''];
  writeFileSync(join(folder, 'logs', 'DeliveriesDispatcherFunction12345678.log'), lines.join('\n'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const read = async (group: string, containing?: string) => {
    const since = new Date('2026-01-01T12:00:00Z');
    const texts: string[] = [];
    for await (const { text } of localLog(folder, group, { since, containing })) texts.push(text);
    return texts;
  };

  test('keeps a log in a file and finds it by the name of the log group', async () => {
    expect(await read('VaWave-DeliveriesDispatcherLogABCDEF01')).toEqual([lines[1], 'not JSON']);
    expect(await read('VaWave-DeliveriesDispatcherLogABCDEF01', 'new')).toEqual([lines[1]]);
    expect(await read('VaWave-DeliveriesEventRouterLogABCDEF01')).toEqual([]);
  });
});
