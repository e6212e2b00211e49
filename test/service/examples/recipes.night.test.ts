import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingProgram } from '../../harness/programs.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { installReceiver } from '../packages/receiver/packed-receiver.ts';
import { GO_BUILD } from './child.ts';
import { describeRecipe, PHP_COPIES, PYTHON_COPIES, type Recipe, STORES } from './recipes.ts';

const NODE = { file: 'receiver.js', start: 'node receiver.js', files: { 'store.js': STORES['store.js'] } };
const SERVER = { '@hono/node-server': '@hono/node-server' };

/** Serves a route handler of Next.js. The nightly test runs it in Next.js itself. */
const SERVE_ROUTE = `import { serve } from '@hono/node-server';
import { POST } from './receiver.js';
serve({ fetch: POST, port: Number(process.env.PORT) });
`;
/** Passes each request to the handler as the event of a Function URL. */
const SERVE_LAMBDA = `import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { handler } from './receiver.js';
createServer(async (request, response) => {
  const body = (await buffer(request)).toString('base64');
  const answer = await handler({ headers: request.headers, body, isBase64Encoded: true });
  response.writeHead(answer.statusCode, answer.headers).end(answer.body);
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

const OF_NODE: readonly Recipe[] = [
  { ...NODE, name: 'Express 4', heading: 'Express 4 and 5', packages: { express: 'express-4' } },
  { ...NODE, name: 'Express 5', heading: 'Express 4 and 5', packages: { express: 'express' } },
  { ...NODE, name: 'Fastify', heading: 'Fastify', packages: { fastify: 'fastify' } },
  { ...NODE, name: 'Hono', heading: 'Hono', packages: { hono: 'hono', ...SERVER } },
  {
    ...NODE,
    name: 'the route handler of Next.js',
    heading: 'Next.js',
    packages: SERVER,
    files: { ...NODE.files, 'serve.js': SERVE_ROUTE },
    start: 'node serve.js',
    only: 'POST',
  },
  {
    ...NODE,
    name: 'AWS Lambda',
    heading: 'AWS Lambda',
    files: { ...NODE.files, 'serve.js': SERVE_LAMBDA },
    start: 'node serve.js',
  },
];

const parent = temporaryFolder();
beforeAll(async () => {
  writeFileSync(join(parent, 'package.json'), '{"private":true,"type":"module"}');
  await installReceiver(parent);
});
for (const recipe of OF_NODE) describeRecipe(recipe, parent);

describeRecipe({
  name: 'Flask',
  heading: 'Flask',
  missing: missingProgram('Flask'),
  file: 'receiver.py',
  files: { 'store.py': STORES['store.py'] },
  copies: PYTHON_COPIES,
  start: 'python3 -B -m flask --app receiver run --port $PORT',
});

describeRecipe({
  name: 'Go',
  heading: 'Go',
  missing: missingProgram('Go'),
  file: 'main.go',
  files: { 'store.go': STORES['store.go'], 'go.mod': 'module receiver\n\ngo 1.24\n' },
  copies: { 'verify.go': 'examples/receivers/go/verify.go' },
  prepare: (folder) => {
    execFileSync('go', GO_BUILD, { cwd: folder, stdio: 'inherit' });
  },
  start: './receiver',
});

describeRecipe({
  name: 'PHP',
  heading: 'PHP',
  missing: missingProgram('PHP'),
  file: 'actions.php',
  files: { 'store.php': STORES['store.php'] },
  copies: PHP_COPIES,
  start: 'php -S 127.0.0.1:$PORT actions.php',
});
