/**
 * What protects the service is taken out of a copy of the repository, one at a time, and the named test has to turn red. Grants are
 * taken away by `npm run test:grants`.
 */
export type Mutation = {
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
      seenBy: ['test/lambdas/viewer-address.test.ts', `${name} accepts`],
    },
  ]),
);
const COMPARISONS = ['test/domain/auth/same-digest.test.ts', 'nothing else in the service compares a secret'] as const;

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'queues without a RedrivePolicy': {
    file: 'lib/messaging.ts',
    text: 'deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: props.maxReceives },',
    becomes: '',
    seenBy: ['test/lib/stack.test.ts', 'queues Events feeds DeliveriesEventRouter in partial batches'],
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
    text: 'received.length === expected.length && timingSafeEqual(received, expected)',
    becomes: 'received.equals(expected)',
    seenBy: ['test/domain/auth/same-digest.test.ts', 'the comparison in packages/receiver/src/secrets.ts'],
  },
  'a comparison that stops at the first difference': {
    file: 'src/domain/auth/same-digest.ts',
    text: 'expected.length === provided.length && timingSafeEqual(expected, provided)',
    becomes: 'Buffer.compare(expected, provided) === 0',
    seenBy: ['test/domain/auth/same-digest.test.ts', 'the comparison in src/domain/auth/same-digest.ts'],
  },
};
