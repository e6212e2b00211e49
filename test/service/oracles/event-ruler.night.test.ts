import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { matches } from '../../../local/cloud/services/event-bridge.ts';
import { EMULATED } from '../../../local/cloud/template/resource-types.ts';
import { EVENT_NAMES } from '../../../src/contract/events.ts';
import { anyCharacter } from '../../harness/any-character.ts';
import { missingProgram } from '../../harness/programs.ts';
import { installed, testWithCode } from './installed.ts';
import { resourcesOf, templateFiles } from './templates.ts';

const SOURCES = join(import.meta.dirname, 'event-ruler');
/** It needs Java and Maven. */
const RULER = installed('event-ruler-2.1.0', missingProgram('Maven'), [
  ['cp', `${SOURCES}/pom.xml`, '.'],
  ['mvn', '-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=jars'],
  ['javac', '-cp', 'jars/*', '-d', '.', `${SOURCES}/Judge.java`],
]);
const testWithRuler = testWithCode(RULER, "AWS's own matcher");

type Pair = readonly [pattern: unknown, name: string];

/** Returns what AWS's own matcher says of each pair: true, false or refused. */
function judge(pairs: readonly Pair[]): readonly string[] {
  const event = (name: string) => JSON.stringify({ source: 'platform', 'detail-type': name, detail: {} });
  const input = pairs.map(([pattern, name]) => `${JSON.stringify(pattern)}\n${event(name)}\n`).join('');
  const [paths, options] = [
    `.:${RULER.folder}/jars/*`,
    { input, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const,
  ];
  return execFileSync('java', ['-cp', paths, 'Judge'], { ...options, cwd: RULER.folder })
    .trim()
    .split('\n');
}

/** What the local cloud says of a pair. */
function locally([EventPattern, name]: Pair): string {
  const { data: rule } = EMULATED['AWS::Events::Rule'].safeParse({ State: 'ENABLED', EventPattern, Targets: [] });
  return rule === undefined ? 'refused' : String(matches(rule.EventPattern, name));
}

const text = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 20 });
const eventName = fc.oneof(fc.constantFrom(...EVENT_NAMES, ...EVENT_NAMES.map((name) => name.toUpperCase())), text);
const NAMES = fc.sample(eventName, { numRuns: 200, seed: 1 });

testWithRuler(
  'AWS matches each event as the local cloud, by every pattern of the stack',
  async () => {
    const resources = resourcesOf(await templateFiles());
    const patterns = resources.flatMap(({ Properties: { EventPattern: pattern } }) =>
      pattern === undefined ? [] : [pattern],
    );
    const pairs = [...new Set(patterns.map((pattern) => JSON.stringify(pattern)))].flatMap((pattern) =>
      [...EVENT_NAMES, ...NAMES].map((name): Pair => [JSON.parse(pattern), name]),
    );
    const said = judge(pairs);
    expect(said).not.toContain('refused');
    // A pattern of sources is of a bus that exists, which the local cloud has not.
    const compared = pairs.flatMap((pair, index) => (locally(pair) === 'refused' ? [] : [{ pair, aws: said[index] }]));
    console.log(`${pairs.length} pairs, of which ${compared.length} have a pattern of the local cloud`);
    expect(compared.length).toBeGreaterThan(pairs.length / 2);
    expect(compared.filter(({ pair, aws }) => locally(pair) !== aws)).toEqual([]);
  },
  300_000,
);

testWithRuler(
  'AWS matches each event as the local cloud, by every kind of pattern that it knows',
  () => {
    const lists = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 });
    const patterns = fc.record({
      'detail-type': fc.array(fc.oneof(fc.constantFrom(...NAMES), fc.record({ 'anything-but': lists })), {
        minLength: 1,
        maxLength: 3,
      }),
    });
    const pairs = fc.sample(fc.tuple(patterns, fc.constantFrom(...NAMES)), { numRuns: 40_000, seed: 2 });
    const said = judge(pairs);
    console.log(`${pairs.length} pairs, ${said.filter((one) => one === 'true').length} match`);
    expect(pairs.filter((pair, index) => locally(pair) !== said[index]).slice(0, 5)).toEqual([]);
  },
  300_000,
);

describe('a kind of pattern that only AWS knows is refused, and not misread:', () => {
  const kinds = [
    { prefix: 'a' },
    { suffix: 'a' },
    { wildcard: 'a*' },
    { 'equals-ignore-case': 'a' },
    { exists: true },
    { 'anything-but': { prefix: 'b' } },
  ];
  testWithRuler.each(kinds.map((kind) => [JSON.stringify(kind), kind]))('%s', (_, kind) => {
    const pair: Pair = [{ 'detail-type': [kind] }, 'a'];
    expect([judge([pair]), locally(pair)]).toEqual([['true'], 'refused']);
  });
});

testWithRuler('it finds a matcher that takes a prefix for a name, and an operator that does not exist', () => {
  const prefix: Pair = [{ 'detail-type': [{ prefix: 'message.' }] }, 'message.sent'];
  const wrongMatcher = ([pattern, name]: Pair) => String(JSON.stringify(pattern).includes(`"${name}"`));
  expect(judge([prefix, [{ 'detail-type': [{ starts: 'message.' }] }, 'message.sent']])).toEqual(['true', 'refused']);
  expect(wrongMatcher(prefix)).toBe('false');
});
