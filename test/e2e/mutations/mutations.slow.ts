import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * What protects the service is taken out of a copy of the repository, one at a time, and the named test has to turn red. Grants are
 * taken away by `npm run test:grants`.
 */
type Mutation = {
  readonly file: string;
  /** Stands once in the file. */
  readonly text: string;
  readonly becomes: string;
  /** A test file, and how the name of the test that sees it begins. */
  readonly seenBy: readonly [file: string, test: string];
};

/** Handlers that believe every proof. */
const TRUSTED: Readonly<Record<string, Mutation>> = Object.fromEntries(
  ['session-create', 'widget-init', 'form-submit'].map((name) => [
    `a ${name} that believes every proof`,
    {
      file: `lambdas/${name}/handler.ts`,
      text: 'visitorIp(request, isOriginSecret)',
      becomes: 'visitorIp(request, async () => true)',
      seenBy: ['test/lambdas/viewer-address.test.ts', `${name} takes`],
    },
  ]),
);
const COMPARISONS = ['test/domain/auth/same-digest.test.ts', 'nothing else in the service compares a secret'] as const;

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'queues without a RedrivePolicy': {
    file: 'lib/messaging.ts',
    text: 'deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: props.maxReceives },',
    becomes: '',
    seenBy: ['test/lib/stack.test.ts', 'queues Events feeds EventRouter in partial batches'],
  },
  'a rule without a dead-letter queue': {
    file: 'lib/messaging.ts',
    text: 'deadLetterQueue: this.events.deadLetters,',
    becomes: '',
    seenBy: ['test/lib/stack.test.ts', 'the rule lets exactly the 22 events that fire pass'],
  },
  'a distribution that sends no origin secret': {
    file: 'lib/edge.ts',
    text: 'customHeaders: { [ORIGIN_SECRET_HEADER]: originSecret.unsafeUnwrap() },',
    becomes: '',
    seenBy: ['test/lib/stack.test.ts', 'the edge sends /api/* to the API over TLS'],
  },
  'a viewer address that is believed without proof': {
    file: 'src/adapters/handlers/visitor-ip.ts',
    text: 'if (!(await isOriginSecret(proof))) return request.sourceIp;',
    becomes: '',
    seenBy: ['test/adapters/handlers/visitor-ip.test.ts', 'a request with a viewer address and a wrong proof'],
  },
  ...TRUSTED,
  'a server secret that is compared by itself': {
    file: 'src/domain/auth/server-secret.ts',
    text: "sameDigest(Buffer.from(stored.sha256, 'hex'), createHash('sha256').update(secret).digest())",
    becomes: "stored.sha256 === createHash('sha256').update(secret).digest('hex')",
    seenBy: COMPARISONS,
  },
  'an origin secret that is compared by itself': {
    file: 'src/adapters/secrets/secret-store.ts',
    text: 'sameDigest(digest, presented)',
    becomes: 'digest.equals(presented)',
    seenBy: COMPARISONS,
  },
  'a signature that a receiver compares byte by byte': {
    file: 'packages/receiver/src/secrets.ts',
    text: 'given.length === expected.length && timingSafeEqual(given, expected)',
    becomes: 'given.equals(expected)',
    seenBy: ['test/domain/auth/same-digest.test.ts', 'the comparison in packages/receiver/src/secrets.ts'],
  },
  'a comparison that stops at the first difference': {
    file: 'src/domain/auth/same-digest.ts',
    text: 'expected.length === provided.length && timingSafeEqual(expected, provided)',
    becomes: 'Buffer.compare(expected, provided) === 0',
    seenBy: ['test/domain/auth/same-digest.test.ts', 'the comparison in src/domain/auth/same-digest.ts'],
  },
};

const root = fileURLToPath(new URL('../../../', import.meta.url));
const LEFT_OUT = ['node_modules', '.git', '.local', 'cdk.out'];
let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'va-wave-mutations-'));
  const isCopied = (path: string) => !LEFT_OUT.includes(relative(root, path).split(sep)[0] ?? '');
  cpSync(root, copy, { recursive: true, filter: isCopied });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

type Report = {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
};

/** @returns names of the tests in these files, by whether they passed */
function run(...files: readonly string[]): { readonly passed: readonly string[]; readonly failed: readonly string[] } {
  const outputFile = join(copy, 'report.json');
  rmSync(outputFile, { force: true });
  spawnSync('npm', ['test', '--', '--ci', '--json', `--outputFile=${outputFile}`, ...files], { cwd: copy });
  const { testResults }: Report = JSON.parse(readFileSync(outputFile, 'utf8'));
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const namesOf = (status: string) => tests.filter((test) => test.status === status).map(({ fullName }) => fullName);
  return { passed: namesOf('passed'), failed: namesOf('failed') };
}

test('as it is, every one of these tests is green', () => {
  const { passed, failed } = run(...new Set(Object.values(MUTATIONS).map(({ seenBy }) => seenBy[0])));
  expect(failed).toEqual([]);
  for (const { seenBy } of Object.values(MUTATIONS)) {
    expect(passed).toContainEqual(expect.stringMatching(startOf(seenBy[1])));
  }
}, 300_000);

test.each(Object.entries(MUTATIONS))(
  '%s: seen',
  (_, { file, text, becomes, seenBy }) => {
    const path = join(copy, file);
    const original = readFileSync(path, 'utf8');
    expect(original.split(text)).toHaveLength(2);
    writeFileSync(
      path,
      original.replace(text, () => becomes),
    );
    const { failed } = run(seenBy[0]);
    writeFileSync(path, original);
    expect(failed).toContainEqual(expect.stringMatching(startOf(seenBy[1])));
  },
  300_000,
);

const startOf = (name: string) => new RegExp(`^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);
