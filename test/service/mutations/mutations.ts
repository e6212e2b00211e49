/**
 * A change that removes one protection of the service. The slow test makes each change in a copy of the repository and expects a test of the
 * named file to fail. `npm run test:grants` removes the grants.
 */
export type Mutation = {
  readonly file: string;
  /** Occurs once in the file. */
  readonly text: string;
  readonly becomes: string;
  /** The file of the test that must fail. */
  readonly seenBy: string;
};

/** Code that accepts every origin secret. */
const TRUSTED: Readonly<Record<string, Mutation>> = Object.fromEntries(
  ['lambdas/session-create/handler.ts', 'src/functions/identified-widget.ts'].map((file) => [
    `${file} accepts every origin secret`,
    {
      file,
      text: 'await isFromDistribution(request, isOriginSecret)',
      becomes: 'true',
      seenBy: 'test/unit/functions/widget-request.test.ts',
    },
  ]),
);
const SECRETS = 'test/unit/domain/auth/server-secret.test.ts';

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'the queues have no RedrivePolicy': {
    file: 'lib/messaging.ts',
    text: 'deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: props.maxReceives },',
    becomes: '',
    seenBy: 'test/service/lib/stack.test.ts',
  },
  'the rule has no dead-letter queue': {
    file: 'lib/messaging.ts',
    text: 'deadLetterQueue: this.events.queue,',
    becomes: '',
    seenBy: 'test/service/lib/stack.test.ts',
  },
  'the distribution sends no origin secret': {
    file: 'lib/edge-distribution.ts',
    text: 'customHeaders: { [ORIGIN_SECRET_HEADER]: originSecret.unsafeUnwrap() },',
    becomes: '',
    seenBy: 'test/service/lib/stack.test.ts',
  },
  'the viewer address is used without the origin secret': {
    file: 'src/functions/widget-request.ts',
    text: 'if (!viewer || !(await sentByDistribution(request, isOriginSecret))) return request.sourceIp;',
    becomes: 'if (!viewer) return request.sourceIp;',
    seenBy: 'test/unit/functions/widget-request.test.ts',
  },
  ...TRUSTED,
  'the server secret is compared without sameDigest': {
    file: 'src/domain/auth/server-secret.ts',
    text: "sameDigest(Buffer.from(stored.sha256, 'hex'), createHash('sha256').update(secret).digest())",
    becomes: "stored.sha256 === createHash('sha256').update(secret).digest('hex')",
    seenBy: SECRETS,
  },
  'the origin secret is compared without sameDigest': {
    file: 'src/adapters/secrets/secret-store.ts',
    text: 'sameDigest(digest, presented)',
    becomes: 'digest.equals(presented)',
    seenBy: SECRETS,
  },
  'a receiver compares a signature byte by byte': {
    file: 'packages/receiver/src/verification.ts',
    text: 'receivedDigest.length === expected.length && timingSafeEqual(receivedDigest, expected)',
    becomes: 'received.equals(expected)',
    seenBy: SECRETS,
  },
  'the comparison stops at the first difference': {
    file: 'src/domain/auth/server-secret.ts',
    text: 'expected.length === provided.length && timingSafeEqual(expected, provided)',
    becomes: 'Buffer.compare(expected, provided) === 0',
    seenBy: SECRETS,
  },
};
