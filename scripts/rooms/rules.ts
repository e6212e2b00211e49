/** A folder with one purpose, and the only things that its files may import besides each other. */
export type Room = {
  /** From the root of the repository. A `*` stands for one folder name, and each such folder is a room of its own. */
  readonly path: string;
  /** One line for CONTRIBUTING.md. */
  readonly purpose: string;
  /** Rooms whose files it may import. */
  readonly rooms?: readonly string[];
  /** Rooms of which it may import types, and nothing that is there when the program runs. */
  readonly typesOf?: readonly string[];
  /** npm packages and modules of Node. `node:*` is every module of Node but `node:module`, which can make a `require`. */
  readonly packages?: readonly string[];
  /** Of these modules, only these names. */
  readonly names?: Readonly<Record<string, readonly string[]>>;
  /** It takes time, randomness, timers and the network as arguments, see `purity.ts`. */
  readonly isPure?: true;
  /** It may import what it computes when it runs, such as a function's bundle. */
  readonly importsComputed?: true;
};

/** The rooms of this repository. A file belongs to the room with the longest path. */
export const ROOMS: readonly Room[] = [
  { path: 'bin', purpose: 'the CDK app: composes, decides nothing', rooms: ['lib'], packages: ['aws-cdk-lib'] },
  {
    path: 'lib',
    purpose: 'stack and constructs, one file per part of the system; names `lambdas` by path',
    rooms: ['src/contract'],
    packages: [
      'aws-cdk-lib',
      'constructs',
      'esbuild',
      'zod',
      'node:child_process',
      'node:crypto',
      'node:fs',
      'node:path',
      'node:url',
    ],
  },
  {
    path: 'lambdas/*',
    purpose: '`handler.ts`: wiring only, one folder per function',
    rooms: ['src/adapters', 'src/contract', 'src/domain'],
    packages: ['@aws-lambda-powertools/logger', '@aws-lambda-powertools/metrics', 'node:crypto'],
  },
  {
    path: 'src/contract',
    purpose: 'what everybody may know: wire schemas, event catalog, limits, refusals, environment names',
    packages: ['zod'],
    isPure: true,
  },
  {
    path: 'src/domain',
    purpose: 'the rules of the spec as pure code; ports stand beside who needs them',
    rooms: ['src/contract'],
    packages: ['zod', 'node:crypto', 'ipaddr.js', 're2js'],
    names: {
      'node:crypto': [
        'createCipheriv',
        'createDecipheriv',
        'createHash',
        'createHmac',
        'createSecretKey',
        'hkdfSync',
        'timingSafeEqual',
      ],
    },
    isPure: true,
  },
  {
    path: 'src/adapters',
    purpose: 'everything that talks to the world',
    rooms: ['src/contract', 'src/domain'],
    packages: [
      '@aws-lambda-powertools/batch',
      '@aws-lambda-powertools/logger',
      '@aws-lambda-powertools/metrics',
      '@aws-sdk/*',
      '@middy/core',
      '@middy/http-security-headers',
      'aws-lambda',
      'ipaddr.js',
      'jose',
      'zod',
      'node:crypto',
      'node:dns/promises',
      'node:http',
      'node:https',
      'node:net',
      'node:timers/promises',
      'node:tls',
      'node:util',
      'node:zlib',
    ],
  },
  { path: 'widget', purpose: 'the browser loader and panel', typesOf: ['src/contract'] },
  {
    path: 'dashboard/src',
    purpose: 'the admin single-page app',
    rooms: ['src/contract'],
    packages: [
      '@cloudscape-design/components',
      '@cloudscape-design/global-styles',
      'oidc-client-ts',
      'react',
      'react-dom',
    ],
  },
  { path: 'dashboard', purpose: 'its build', packages: ['vite', 'node:fs', 'node:path', 'node:url'] },
  {
    path: 'local/cloud',
    purpose: 'runs a CloudFormation template on one machine; knows nothing of va-wave',
    packages: ['aws-cdk-lib', 'fauxqs', 'jose', 'oidc-provider', 'undici', 'zod', 'node:*', 'node:module'],
    importsComputed: true,
  },
  {
    path: 'local',
    purpose: 'va-wave on it: start, demo, ready users, the network rule of one machine',
    rooms: [
      'examples/assistant-runtime',
      'lib',
      'local/cloud',
      'packages/receiver/src',
      'src/adapters',
      'src/contract',
      'src/domain',
    ],
    packages: [
      '@aws-sdk/client-cognito-identity-provider',
      '@aws-sdk/client-eventbridge',
      '@aws-sdk/client-lambda',
      'aws-cdk-lib',
      'commander',
      'stripe',
      'zod',
      'node:*',
    ],
  },
  {
    path: 'cli',
    purpose: "the operator's command line",
    rooms: ['packages/receiver/src', 'src/adapters', 'src/contract', 'src/domain'],
    packages: ['commander', 'zod', 'node:*'],
  },
  {
    path: 'packages/receiver/src',
    purpose: 'what customers install to verify our requests',
    packages: ['node:crypto', 'node:http'],
  },
  { path: 'packages/receiver', purpose: 'its build', packages: ['esbuild', 'node:*', 'node:module'] },
  {
    path: 'examples/assistant-runtime',
    purpose: 'what platform teams copy',
    packages: [
      '@aws-sdk/client-bedrock-runtime',
      '@aws-sdk/client-eventbridge',
      '@aws-sdk/client-lambda',
      '@va-wave/receiver',
      'node:*',
    ],
  },
  { path: 'examples/conversation-view', purpose: 'what platform teams copy for the place in the panel' },
  {
    path: 'examples/customer-backend/*',
    purpose: 'what customers copy for their login',
    packages: ['@va-wave/receiver', 'node:*'],
  },
  {
    path: 'examples/receivers/*',
    purpose: 'what customers copy to receive Actions',
    packages: ['@va-wave/receiver', 'express', 'node:*'],
  },
  {
    path: 'bench',
    purpose: 'measurements, and the reports that the documents quote',
    rooms: ['lib', 'local', 'local/cloud', 'src/adapters', 'src/contract', 'src/domain', 'test', 'test/fakes'],
    packages: [
      '@aws-sdk/*',
      'bullmq',
      'commander',
      'jose',
      'playwright-core',
      'undici',
      'zod',
      'node:*',
      'node:module',
    ],
    importsComputed: true,
  },
  {
    path: 'scripts',
    purpose: 'checks of the repository, what writes documents from the code, and checks of a deployment',
    rooms: ['cli', 'src/adapters', 'src/contract', 'src/domain'],
    packages: ['@aws-sdk/*', 'commander', 'esbuild', 'oxc-parser', 'zod', 'node:*', 'node:module'],
  },
  {
    path: 'test/fakes',
    purpose: 'small stand-ins for ports and services',
    rooms: ['src/adapters', 'src/contract', 'src/domain'],
    packages: ['@aws-sdk/*', 'node:*'],
  },
  {
    path: 'test',
    purpose: 'mirrors the tree; `e2e/`, `fakes/`, `vectors/`',
    rooms: ['*'],
    packages: ['*'],
    importsComputed: true,
  },
];

/** Folders of which no two import each other, not even in a longer circle. */
export const LAYERED: readonly string[] = ['src/domain', 'src/adapters', 'local/cloud'];
