import { globSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import { nameOf, synthesize } from '../lib/synthesized.ts';
import { documentedCommands } from './documented-commands.ts';
import { readDocument, tableRows } from './documents.ts';

const runbook = readDocument('docs/runbook.md');
const constructs = globSync('lib/*.ts').map((path) => readFileSync(path, 'utf8'));

const metricPeriod = z.object({ MetricStat: z.object({ Period: z.number() }).optional() });
const alarm = z.object({
  Threshold: z.number(),
  EvaluationPeriods: z.number(),
  DatapointsToAlarm: z.number().optional(),
  Period: z.number().optional(),
  Metrics: z.array(metricPeriod).optional(),
});
const template = await synthesize();
const alarms = new Map(
  Object.entries(template.findResources('AWS::CloudWatch::Alarm')).map(([id, { Properties }]) => [
    nameOf(id),
    Properties,
  ]),
);

/** An alarm of the template. */
type Stated = { threshold: number; periods: number; breaching: number | undefined; minutes: number };

const single = ({ threshold, minutes }: Stated) => `${threshold} in ${minutes} minutes`;
const inPeriods = ({ breaching, periods }: Stated) => `in ${breaching} of ${periods} periods`;
const lasting = (alarm: Stated) => `${single(alarm)}, ${inPeriods(alarm)}`;
const old = ({ threshold, periods, minutes }: Stated) =>
  `${threshold / 60} minutes old, for ${periods * minutes} minutes`;
const OF_SEVERAL = 'Function errors, server errors, throttles, table throttles';

const THRESHOLDS: readonly (readonly [row: string, alarm: string, text: (alarm: Stated) => string])[] = [
  ['Dead letters', 'MessagingDeliveriesDeadLettersWaiting', ({ threshold }) => `${threshold} message, immediately`],
  ['Old messages', 'MessagingDeliveriesOldMessages', old],
  ['Old messages of any group', 'MessagingDeliveriesOldMessagesOfAnyGroup', old],
  [OF_SEVERAL, 'DeliveriesErrors', lasting],
  [OF_SEVERAL, 'ApiServerErrors', lasting],
  [OF_SEVERAL, 'MonitoringThrottles', lasting],
  [OF_SEVERAL, 'TablesThrottles', lasting],
  ['Errors of the key rotation', 'KeysErrors', ({ threshold }) => `${threshold}`],
  ['Log write failed, events dropped', 'MonitoringLogWriteFailed', single],
  ['Log write failed, events dropped', 'DeliveriesEventsDropped', single],
  ['Unreadable Actions', 'MonitoringUnreadableActions', single],
  [
    'Unreached organizations',
    'DeliveriesUnreachedOrganizations',
    (alarm) => `${alarm.threshold === 0.5 ? 'half' : alarm.threshold} of them, ${inPeriods(alarm)}`,
  ],
  ['Slow answers', 'WidgetRoutesSlow', (alarm) => `${alarm.threshold / 1000} seconds, ${inPeriods(alarm)}`],
  [
    'Account concurrency',
    'MonitoringAccountConcurrency',
    (alarm) => `${alarm.threshold / 10} % of the quota, ${inPeriods(alarm)}`,
  ],
  ['Recursive invocations', 'DeliveriesRecursiveInvocationsDropped', single],
  [
    'Token key age',
    'KeysTokenKeyAge',
    ({ threshold, periods, minutes }) => `${threshold} days, or ${(periods * minutes) / 60} hours without a value`,
  ],
];

test.each(THRESHOLDS)('the threshold of the runbook for "%s" is that of the alarm %s', (row, name, text) => {
  const { Threshold, EvaluationPeriods, DatapointsToAlarm, Period, Metrics = [] } = alarm.parse(alarms.get(name));
  const seconds = Period ?? Metrics.flatMap(({ MetricStat }) => MetricStat?.Period ?? [])[0] ?? 0;
  const found = {
    threshold: Threshold,
    periods: EvaluationPeriods,
    breaching: DatapointsToAlarm,
    minutes: seconds / 60,
  };
  const rows = tableRows(runbook, '| Alarm | Threshold | Reason |');
  expect(rows.find(([stated]) => stated === row)?.[1]).toBe(text(found));
});

test('every alarm that the runbook names is in the code', () => {
  const named = tableRows(runbook, '| Situation | Alarm | Entry | Command | Tested |').flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([A-Z]\w+)`/g)].map(([, name = '']) => name),
  );
  expect(named.length).toBeGreaterThan(8);
  const ids = new Set(
    constructs.flatMap((text) => [...text.matchAll(/\.raise\(\w+, '(\w+)'/g)].map(([, id = '']) => id)),
  );
  // An id is unique within its feature only, so the runbook writes the feature before a short one.
  expect(named.filter((name) => ![...ids].some((id) => name.endsWith(id)))).toEqual([]);
});

test('the command of each situation is in the entry that its row links to', () => {
  const rows = tableRows(runbook, '| Situation | Alarm | Entry | Command | Tested |');
  const problems = rows.flatMap(([situation, , entry = '', command = '']) => {
    const [, file = '', anchor = ''] = /\]\(([\w.]*)#([\w-]+)\)/.exec(entry) ?? [];
    const stated = documentedCommands(`docs/${file === '' ? 'runbook.md' : file}`)
      .filter(({ heading }) => heading.toLowerCase().replaceAll(' ', '-') === anchor)
      .map(({ text }) => text.split(' '));
    const words = command.replaceAll('`', '').split(' ');
    return stated.some((longer) => isPartOf(words, longer)) ? [] : [situation];
  });
  expect(rows.length).toBeGreaterThan(15);
  expect(problems).toEqual([]);
});

/** Returns whether a command has these words in this order. It may have options in between. */
function isPartOf(words: readonly string[], command: readonly string[]): boolean {
  let at = 0;
  for (const word of command) if (word === words[at]) at += 1;
  return at === words.length;
}

test('every graph that the runbook names is on the dashboard', () => {
  const titles = constructs.flatMap((text) =>
    [...text.matchAll(/^ +'?([A-Z][^'\n]*?)'?: \[/gm)].map(([, title = '']) => title),
  );
  const named = [...runbook.text.matchAll(/graph \*([^*]+)\*|(?<!\*)\*(Attempts by outcome)\*/g)].map(
    ([, graph, attempts]) => graph ?? attempts ?? '',
  );
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((name) => !titles.some((title) => title.startsWith(name)))).toEqual([]);
});
