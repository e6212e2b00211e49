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
    alarm.parse(Properties),
  ]),
);

/** An alarm of the template, with its period in minutes. */
function alarmNamed(name: string) {
  const found = alarms.get(name);
  if (found === undefined) throw new Error(`The template has no alarm ${name}`);
  const { Threshold, EvaluationPeriods, DatapointsToAlarm, Period, Metrics = [] } = found;
  const seconds = Period ?? Metrics.flatMap(({ MetricStat }) => MetricStat?.Period ?? [])[0] ?? 0;
  return { threshold: Threshold, periods: EvaluationPeriods, breaching: DatapointsToAlarm, minutes: seconds / 60 };
}

const lasting = (name: string) => {
  const { threshold, minutes, breaching, periods } = alarmNamed(name);
  return `${threshold} in ${minutes} minutes, in ${breaching} of ${periods} periods`;
};
const single = (name: string) => `${alarmNamed(name).threshold} in ${alarmNamed(name).minutes} minutes`;

test('the thresholds of the runbook are those of the template', () => {
  const stated = new Map(
    tableRows(runbook, '| Alarm | Threshold | Reason |').map(([name, threshold]) => [name, threshold]),
  );
  const old = alarmNamed('MessagingDeliveriesOldMessages');
  const unreached = alarmNamed('DeliveriesUnreachedOrganizations');
  expect(stated.get('Dead letters')).toBe(
    `${alarmNamed('MessagingDeliveriesDeadLettersWaiting').threshold} message, immediately`,
  );
  expect(stated.get('Old messages')).toBe(
    `${old.threshold / 60} minutes old, for ${old.periods * old.minutes} minutes`,
  );
  const oldOfAny = alarmNamed('MessagingDeliveriesOldMessagesOfAnyGroup');
  expect(stated.get('Old messages of any group')).toBe(
    `${oldOfAny.threshold / 60} minutes old, for ${oldOfAny.periods * oldOfAny.minutes} minutes`,
  );
  const slow = alarmNamed('WidgetRoutesSlow');
  expect(stated.get('Slow answers')).toBe(
    `${slow.threshold / 1000} seconds, in ${slow.breaching} of ${slow.periods} periods`,
  );
  const concurrency = alarmNamed('MonitoringAccountConcurrency');
  expect(stated.get('Account concurrency')).toBe(
    `${concurrency.threshold / 10} % of the quota, in ${concurrency.breaching} of ${concurrency.periods} periods`,
  );
  expect(stated.get('Recursive invocations')).toBe(single('DeliveriesRecursiveInvocationsDropped'));
  for (const name of ['DeliveriesErrors', 'ApiServerErrors', 'MonitoringThrottles', 'TablesThrottles']) {
    expect(stated.get('Function errors, server errors, throttles, table throttles')).toBe(lasting(name));
  }
  expect(stated.get('Errors of the key rotation')).toBe(String(alarmNamed('KeysErrors').threshold));
  for (const name of ['MonitoringLogWriteFailed', 'DeliveriesEventsDropped']) {
    expect(stated.get('Log write failed, events dropped')).toBe(single(name));
  }
  expect(stated.get('Unreadable Actions')).toBe(single('MonitoringUnreadableActions'));
  expect(unreached.threshold).toBe(0.5);
  expect(stated.get('Unreached organizations')).toBe(
    `half of them, in ${unreached.breaching} of ${unreached.periods} periods`,
  );
  const age = alarmNamed('KeysTokenKeyAge');
  expect(stated.get('Token key age')).toBe(
    `${age.threshold} days, or ${(age.periods * age.minutes) / 60} hours without a value`,
  );
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
