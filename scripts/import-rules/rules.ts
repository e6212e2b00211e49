/** What the files of one folder may import, apart from each other. */
export type FolderRule = {
  /** Path from the root of the repository. `*` matches one folder name, and the rule applies to each matching folder separately. */
  readonly path: string;
  /** The line for docs/development.md. */
  readonly purpose: string;
  /** Folders whose files it may import. */
  readonly folders?: readonly string[];
  /** Folders from which it may import types only. */
  readonly typesOf?: readonly string[];
  /** npm packages and modules of Node. `node:*` means every module of Node except `node:module`, which can create a `require` function. */
  readonly packages?: readonly string[];
  /** The only names that may be imported from these modules. */
  readonly names?: Readonly<Record<string, readonly string[]>>;
  /** The folder takes time, randomness, timers and the network as arguments. `purity.ts` checks this. */
  readonly isPure?: true;
  /** The folder may import modules whose names it computes at run time, such as the bundle of a function. */
  readonly importsComputed?: true;
};

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** The import rules of this repository. The rule with the longest matching path applies to a file. */
export const FOLDER_RULES: readonly FolderRule[] = [
  { path: 'bin', purpose: 'the CDK app; it only composes the stack', folders: ['lib'], packages: ['aws-cdk-lib'] },
  {
    path: 'lib',
    purpose: 'the stack and its constructs, one file per feature; refers to `lambdas` by path',
    folders: ['src/contract'],
    packages: words('aws-cdk-lib constructs esbuild zod node:child_process node:crypto node:fs node:path node:url'),
  },
  {
    path: 'lambdas/*',
    purpose: 'one folder per function; `handler.ts` only wires adapters and domain together',
    folders: ['src/adapters', 'src/contract', 'src/domain'],
    packages: ['@aws-lambda-powertools/logger', '@aws-lambda-powertools/metrics', 'node:crypto'],
  },
  {
    path: 'src/contract',
    purpose: 'what all code shares: wire schemas, event catalog, limits, error codes, names of environment variables',
    packages: ['zod'],
    isPure: true,
  },
  {
    path: 'src/domain',
    purpose: 'the rules of the spec as pure code, with the ports that each rule needs',
    folders: ['src/contract'],
    packages: ['zod', 'node:crypto', 'ipaddr.js', 're2js'],
    names: {
      'node:crypto': words(`
        createCipheriv createDecipheriv createHash createHmac createSecretKey hkdfSync timingSafeEqual
      `),
    },
    isPure: true,
  },
  {
    path: 'src/adapters',
    purpose: 'clients of AWS and of the network, and the parts from which handlers are built',
    folders: ['src/contract', 'src/domain'],
    packages: words(`
      @aws-lambda-powertools/batch @aws-lambda-powertools/logger @aws-lambda-powertools/metrics @aws-sdk/* @middy/core
      @middy/http-security-headers aws-lambda ipaddr.js jose zod node:crypto node:dns/promises node:http node:https
      node:net node:stream node:timers/promises node:tls node:util node:zlib
    `),
  },
  {
    path: 'widget',
    purpose: 'the script that customer pages load, and the panel that it opens',
    typesOf: ['src/contract'],
  },
  {
    path: 'dashboard/src',
    purpose: 'the dashboard, a single-page application',
    folders: ['src/contract', 'widget'],
    packages: ['@cloudscape-design/components', 'oidc-client-ts', 'react', 'react-dom'],
  },
  {
    path: 'dashboard',
    purpose: 'the build of the dashboard and of its help',
    folders: ['dashboard/src'],
    packages: ['marked', 'vite', 'node:fs', 'node:path', 'node:url'],
  },
  {
    path: 'local/cloud',
    purpose: 'a generic interpreter that runs a CloudFormation template on one machine',
    packages: words('@aws/lambda-invoke-store aws-cdk-lib fauxqs jose oidc-provider undici zod node:* node:module'),
    importsComputed: true,
  },
  {
    path: 'local',
    purpose: 'va-wave in the local cloud: start command, demo, ready-made users, the network rule for one machine',
    folders: words(`
      cli examples/assistant-runtime lib local/cloud packages/receiver/src src/adapters src/contract src/domain
    `),
    packages: words(`
      @aws-sdk/client-cognito-identity-provider @aws-sdk/client-eventbridge @aws-sdk/client-lambda aws-cdk-lib
      commander zod node:*
    `),
  },
  {
    path: 'cli',
    purpose: "the operator's command line",
    folders: ['packages/receiver/src', 'src/adapters', 'src/contract', 'src/domain'],
    packages: ['commander', 'zod', 'node:*'],
  },
  {
    path: 'packages/receiver/src',
    purpose: 'the package that customers install to verify our requests',
    packages: ['node:crypto', 'node:http'],
  },
  {
    path: 'packages/receiver',
    purpose: 'the build of the receiver package',
    packages: ['esbuild', 'node:*', 'node:module'],
  },
  {
    path: 'examples/assistant-runtime',
    purpose: 'an example that platform teams copy: connects a model to the service',
    packages: ['@aws-sdk/client-bedrock-runtime', '@aws-sdk/client-eventbridge', '@aws-sdk/client-lambda', 'node:*'],
  },
  {
    path: 'examples/conversation-view',
    purpose: 'an example that platform teams copy: a conversation view for the panel',
  },
  {
    path: 'examples/customer-backend/*',
    purpose: 'an example that customers copy: creates session tokens after a login',
    packages: ['@va-wave/receiver', 'node:*'],
  },
  {
    path: 'examples/receivers/*',
    purpose: 'an example that customers copy: receives Actions',
    packages: ['@va-wave/receiver', 'express', 'node:*'],
  },
  {
    path: 'bench',
    purpose: 'benchmarks and the reports that the documents quote',
    folders: words('lib local local/cloud scripts src/adapters src/contract src/domain test'),
    packages: words('@aws-sdk/* undici node:*'),
    importsComputed: true,
  },
  {
    path: 'scripts',
    purpose: 'checks of the repository, generators of documents, checks of a deployment',
    folders: ['cli', 'src/adapters', 'src/contract', 'src/domain'],
    packages: ['@aws-sdk/*', 'commander', 'esbuild', 'oxc-parser', 'zod', 'node:*', 'node:module'],
  },
  {
    path: 'test/fakes',
    purpose: 'small hand-written fakes of ports and services',
    folders: ['src/adapters', 'src/contract', 'src/domain'],
    packages: ['@aws-sdk/*', 'node:*'],
  },
  {
    path: 'test',
    purpose: 'mirrors the folders of the code; also `e2e/`, `fakes/`, `schedules/`, `vectors/`',
    folders: ['*'],
    packages: ['*'],
    importsComputed: true,
  },
];

/** Folders whose subfolders must not import each other in a cycle. */
export const ACYCLIC: readonly string[] = ['src/domain', 'src/adapters', 'local/cloud'];
