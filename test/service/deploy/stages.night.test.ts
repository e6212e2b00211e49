import { describeEmulated } from './emulated-account.ts';
import { runCdk } from './ministack.ts';

/**
 * Every order of deploying, changing the stage, renaming and destroying, as an operator may do it: what holds data stays, or the command is refused
 * before anything changes.
 */

type Step = {
  readonly does: string;
  readonly words: readonly string[];
  /** What the command says when it is refused. Undefined: it succeeds. */
  readonly refused?: RegExp;
  /** The stacks after it, each with its termination protection. */
  readonly stacks: Readonly<Record<string, boolean>>;
  /** Configuration tables after it, with their protection. */
  readonly tables: readonly boolean[];
};

const deploy = (...words: readonly string[]) => ['deploy', '--require-approval', 'never', ...words];
const stack = (stackName: string, stage: 'prod' | 'dev') => ['-c', `stackName=${stackName}`, '-c', `stage=${stage}`];
const PRODUCTION = { Chat: true };
const OTHER_STAGE = /the stage of a stack never changes/;

const STEPS: readonly Step[] = [
  { does: 'production is created', words: deploy('-c', 'stackName=Chat'), stacks: PRODUCTION, tables: [true] },
  {
    does: 'another stage in the stack of production',
    words: deploy(...stack('Chat', 'dev')),
    refused: OTHER_STAGE,
    stacks: PRODUCTION,
    tables: [true],
  },
  {
    does: 'another stage, with its tables left out',
    words: deploy(...stack('Chat', 'dev'), '-c', 'configurationTable=kept'),
    refused: OTHER_STAGE,
    stacks: PRODUCTION,
    tables: [true],
  },
  {
    does: 'the deletion of production under the name of another stage',
    words: ['destroy', '--force', ...stack('Chat', 'dev')],
    refused: /TerminationProtection/i,
    stacks: PRODUCTION,
    tables: [true],
  },
  {
    does: 'a second stack of the other stage',
    words: deploy(...stack('Trial', 'dev')),
    stacks: { ...PRODUCTION, Trial: false },
    tables: [true, false],
  },
  {
    does: 'the second stack as production',
    words: deploy(...stack('Trial', 'prod')),
    refused: OTHER_STAGE,
    stacks: { ...PRODUCTION, Trial: false },
    tables: [true, false],
  },
  {
    does: 'the second stack is deleted with its table',
    words: ['destroy', '--force', ...stack('Trial', 'dev')],
    stacks: PRODUCTION,
    tables: [true],
  },
  {
    // The command line of the CDK changes the termination protection first here, and the deletion keeps the table.
    does: 'another stage without a change set',
    words: deploy(...stack('Chat', 'dev'), '--method', 'direct'),
    refused: OTHER_STAGE,
    stacks: { Chat: false },
    tables: [true],
  },
  {
    does: 'the deletion of production leaves its table',
    words: ['destroy', '--force', ...stack('Chat', 'dev')],
    stacks: {},
    tables: [true],
  },
];

describeEmulated('a stage', (account) => {
  const read = async (command: string) => JSON.parse(await account.ministack.aws(command.split(' ')));
  beforeAll(() => account.bootstrap());

  test.each(STEPS)('$does', async ({ words, refused, stacks, tables }) => {
    const ran = await runCdk(account.ministack, account.folder, words, 'node test/service/deploy/app.ts chosen').then(
      () => undefined,
      ({ stderr, stdout }) => `${stdout}${stderr}`,
    );
    if (refused === undefined) expect(ran).toBeUndefined();
    else expect(ran).toMatch(refused);
    const found = await read(
      'cloudformation describe-stacks --output json --query Stacks[?StackName!=`CDKToolkit`].[StackName,EnableTerminationProtection]',
    );
    expect(Object.fromEntries(found)).toEqual(stacks);
    const names: string[] = await read(
      "dynamodb list-tables --output json --query TableNames[?contains(@,'Configuration')]",
    );
    const protections = names.map((name) =>
      read(`dynamodb describe-table --output json --query Table.DeletionProtectionEnabled --table-name ${name}`),
    );
    expect((await Promise.all(protections)).map(Boolean).sort()).toEqual([...tables].sort());
  });
});

/**
 * Each deployment of an app whose stack has the construct or not, with the number of configuration tables after it: production's
 * stay. The emulator gives a resource that is created again the name that it had, and takes what is still there. */
const DEPLOYMENTS: readonly (readonly [does: string, context: Readonly<Record<string, string>>, tables: number])[] = [
  ['the construct is added', { service: 'Chat' }, 1],
  ['it is removed', {}, 1],
  ['it is added again', { service: 'Chat' }, 1],
  ['its id changes', { service: 'Assistant' }, 2],
  ['a stack of another name has it with the same ids', { service: 'Assistant', named: 'Renamed' }, 3],
  ['the app retains everything', { service: 'Assistant', everything: 'retained' }, 3],
  ['what is retained is removed', { everything: 'retained' }, 3],
  ['it is added again under another id', { service: 'Chat', everything: 'retained' }, 3],
];

describeEmulated('the construct in a stack of an app', (account) => {
  beforeAll(() => account.bootstrap());

  test.each(DEPLOYMENTS)('%s', async (_, context, tables) => {
    const words = Object.entries(context).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    await runCdk(account.ministack, account.folder, deploy(...words), 'node test/service/deploy/host.ts');
    const named = ['--output', 'json', '--query', "TableNames[?contains(@,'Configuration')]"];
    expect(JSON.parse(await account.ministack.aws(['dynamodb', 'list-tables', ...named]))).toHaveLength(tables);
  });
});
