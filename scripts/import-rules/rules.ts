/** What the files of one folder may import, apart from each other. */
export type FolderRule = {
  /** Path from the root of the repository. `*` matches one folder name, and the rule applies to each matching folder separately. */
  readonly path: string;
  /**
   * Folders, npm packages and modules of Node, with spaces between them. `@aws-sdk/*` means every package of that scope. `node:*` means every
   * module of Node except `node:module`, which can create a `require` function.
   */
  readonly imports: string;
  /** The folder from which it may import types only. */
  readonly typesOf?: string;
  /** The only names that may be imported from these modules. */
  readonly names?: Readonly<Record<string, string>>;
  /** The folder takes time, randomness, timers and the network as arguments. `purity.ts` checks this. */
  readonly isPure?: true;
  /** The folder may import modules whose names it computes at run time, such as the bundle of a function. */
  readonly importsComputed?: true;
};

/** The import rules of this repository. The rule with the longest matching path applies to a file. */
export const FOLDER_RULES: readonly FolderRule[] = [
  { path: 'bin', imports: 'lib aws-cdk-lib' },
  {
    path: 'lib',
    imports: `src/contract
      aws-cdk-lib constructs esbuild zod node:child_process node:crypto node:fs node:path node:url`,
  },
  {
    path: 'lambdas/*',
    imports: `src/adapters src/contract src/domain src/functions
      @aws-lambda-powertools/logger @aws-lambda-powertools/metrics node:crypto`,
  },
  { path: 'src/contract', imports: 'zod', isPure: true },
  {
    path: 'src/domain',
    imports: 'src/contract ipaddr.js re2js zod node:crypto',
    names: {
      'node:crypto': 'createCipheriv createDecipheriv createHash createHmac createSecretKey hkdfSync timingSafeEqual',
    },
    isPure: true,
  },
  {
    path: 'src/functions',
    imports: `src/adapters src/contract src/domain
      @aws-lambda-powertools/batch @aws-lambda-powertools/logger @aws-lambda-powertools/metrics @aws-sdk/client-secrets-manager
      @middy/core @middy/http-security-headers aws-lambda zod node:crypto`,
  },
  {
    path: 'src/adapters',
    imports: `src/contract src/domain
      @aws-sdk/* ipaddr.js jose zod node:crypto node:dns/promises node:http
      node:https node:net node:stream node:timers/promises node:tls node:util node:zlib`,
  },
  { path: 'widget', imports: '', typesOf: 'src/contract' },
  {
    path: 'dashboard/src',
    imports: 'src/contract widget @cloudscape-design/components oidc-client-ts react react-dom',
  },
  { path: 'dashboard', imports: 'dashboard/src marked vite node:fs node:path node:url' },
  {
    path: 'local/cloud',
    imports: '@aws/lambda-invoke-store aws-cdk-lib fauxqs jose oidc-provider undici zod node:* node:module',
    importsComputed: true,
  },
  {
    path: 'local',
    imports: `cli examples/assistant-runtime lib local/cloud packages/receiver/src src/adapters src/contract src/domain
      @aws-sdk/client-cognito-identity-provider @aws-sdk/client-eventbridge @aws-sdk/client-lambda aws-cdk-lib
      commander zod node:*`,
  },
  { path: 'cli', imports: 'packages/receiver/src src/adapters src/contract src/domain commander zod node:*' },
  { path: 'packages/receiver/src', imports: 'node:crypto node:http' },
  { path: 'packages/receiver', imports: 'esbuild node:* node:module' },
  {
    path: 'examples/assistant-runtime',
    imports: '@aws-sdk/client-bedrock-runtime @aws-sdk/client-eventbridge @aws-sdk/client-lambda node:*',
  },
  { path: 'examples/conversation-view', imports: '' },
  { path: 'examples/customer-backend/*', imports: '@va-wave/receiver node:*' },
  { path: 'examples/receivers/*', imports: '@va-wave/receiver express node:*' },
  {
    path: 'bench',
    imports: `lib local local/cloud scripts src/adapters src/contract src/domain src/functions test
      @aws-sdk/* undici node:*`,
    importsComputed: true,
  },
  {
    path: 'scripts',
    imports: `cli src/adapters src/contract src/domain
      @aws-sdk/* commander esbuild oxc-parser zod node:* node:module`,
  },
  { path: 'test/fakes', imports: 'src/adapters src/contract src/domain @aws-sdk/* node:*' },
  { path: 'test', imports: '*', importsComputed: true },
];

/** Folders whose subfolders must not import each other in a cycle. */
export const ACYCLIC: readonly string[] = ['src/domain', 'src/adapters', 'local/cloud'];
