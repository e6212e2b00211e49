import { globSync, readFileSync } from 'node:fs';

/**
 * The sentences of the documents that say what AWS does not document: the SDK's client whose documentation would say it, and words of that
 * documentation. Where the client says it now, the sentence is false.
 */
const UNDOCUMENTED: readonly (readonly [sentence: string, client: string, subject: RegExp])[] = [
  [
    'AWS documents no way to take pollers off a mapping of SQS',
    'lambda',
    /(?:remov|disabl|turn\w* off)[^.]{0,80}provisioned (?:mode|poller)|provisioned (?:mode|poller)[^.]{0,80}(?:remov|disabl|turn\w* off)/i,
  ],
  // There is no client of API Gateway here.
  ['AWS does not say whether API Gateway finds a route behind repeated slashes', 'lambda', /repeated slashes/i],
  [
    'AWS does not document the first two for a standard queue',
    'eventbridge',
    /(?:without|missing|absent|no) [^.]{0,60}(?:message group|MessageGroupId)|(?:path|field)[^.]{0,60}(?:does not exist|is missing)/i,
  ],
  [
    'AWS does not document it, and where it does not',
    'sqs',
    /(?:move task|redrive)[^.]{0,200}(?:message ?group|MessageGroupId)/i,
  ],
  [
    'AWS does not say whether IAM asks about each write of a transaction',
    'dynamodb',
    /LeadingKeys|condition key[^.]{0,120}transact|transact[^.]{0,120}condition key/i,
  ],
  [
    'AWS does not document that a refused `INSERT` returns the item',
    'dynamodb',
    /INSERT[^.]{0,120}ReturnValuesOnConditionCheckFailure|ReturnValuesOnConditionCheckFailure[^.]{0,120}INSERT/,
  ],
];

const pages = globSync('docs/**/*.md', { exclude: ['docs/site/**'] }).map((file) =>
  readFileSync(file, 'utf8').replaceAll(/\s+/g, ' '),
);
const textOf = (client: string): string =>
  globSync(`node_modules/@aws-sdk/client-${client}/dist-types/{models,commands}/*.d.ts`)
    .map((file) => readFileSync(file, 'utf8'))
    .join('')
    .replaceAll(/\s*\n\s*\*\s*|<[^>]+>/g, ' ');

test('every sentence about what AWS does not document has its subject here', () => {
  const sentences = pages.flatMap(
    (page) => page.match(/AWS (?:does not (?:document|say)|documents no)[^.]{0,60}/g) ?? [],
  );
  expect(sentences.length).toBeGreaterThan(0);
  expect(
    sentences.filter((sentence) => !UNDOCUMENTED.some(([known]) => known.startsWith(sentence.slice(0, 30)))),
  ).toEqual([]);
});

test.each(UNDOCUMENTED)('%s', (_, client, subject) => {
  expect(subject.exec(textOf(client))?.[0]).toBeUndefined();
});

test('it reads what the SDK says, such as the largest integer of an event, which the documents once denied', () => {
  expect(/maximum value of 9,223,372,036,854,775,807/.test(textOf('eventbridge'))).toBe(true);
});
