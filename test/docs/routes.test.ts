import { readFileSync } from 'node:fs';
import { DASHBOARD_API_PATH, DASHBOARD_OPERATIONS } from '../../src/contract/dashboard-operations.ts';
import { PUBLIC_OPERATIONS } from '../../src/contract/public-operations.ts';
import { allCode, allDocuments, type Document, prose } from './documents.ts';

type Paths = Readonly<Record<string, Readonly<Record<string, object>>>>;
const paths: Paths = JSON.parse(readFileSync('docs/openapi.json', 'utf8')).paths;
const publicRoutes = Object.values(PUBLIC_OPERATIONS).map(({ path }) => path);

const FILES = [
  /^\/static\/va-wave-widget(\.(\{hash\}|[0-9a-f]{16}))?\.js$/,
  /^\/static\/va-wave-widget\.d\.ts$/,
  /^\/dashboard\/(config\.json|callback|help\/)?$/,
];
const PREFIXES = ['/api/', '/static/', '/dashboard/'];

/** A route of this service with any host: the method, if the text has one, and the path. */
const ROUTE =
  /(?:\b(GET|POST|PUT|PATCH|DELETE) )?(?:\{base_url\}|\$BASE_URL|https:\/\/BASE_URL|http:\/\/(?:localhost|127\.0\.0\.1):8787|(?<![\w./…>}]))(\/(?:api|static|dashboard)\/[^\s"'`)|,;]*)/g;

function unknownRoutes(document: Document): readonly string[] {
  const texts = [...allCode(document), ...[...prose(document).matchAll(/^#+ .*$/gm)].map(([heading]) => heading)];
  return texts.flatMap((text) =>
    [...text.matchAll(ROUTE)]
      .filter(([, method, path = '']) => !isRoute(method, path))
      .map(([route]) => `${document.path}: ${route}`),
  );
}

function isRoute(method: string | undefined, written: string): boolean {
  const [path = ''] = written
    .replace(/[.:]$/, '')
    .replace(/<(\w+)>/g, '{$1}')
    .split('?');
  if (path.endsWith('*')) {
    const prefix = path.slice(0, -1);
    return PREFIXES.includes(prefix) || Object.keys(paths).some((known) => known.startsWith(prefix));
  }
  if (FILES.some((file) => file.test(path))) return method === undefined || method === 'GET';
  const operations = paths[path];
  return operations !== undefined && (method === undefined || method.toLowerCase() in operations);
}

test('every route that a document states exists', () => {
  expect(allDocuments().flatMap(unknownRoutes)).toEqual([]);
});

test('finds a wrong route', () => {
  const text =
    '`POST /api/widget/init` `/api/*` `GET /api/widget/init` `{base_url}/static/widget.js` `/api/widget/start`';
  expect(unknownRoutes({ path: 'x.md', text })).toEqual([
    'x.md: GET /api/widget/init',
    'x.md: {base_url}/static/widget.js',
    'x.md: /api/widget/start',
  ]);
});

test('the OpenAPI document has exactly the operations of the contract', () => {
  const dashboard = Object.values(DASHBOARD_OPERATIONS).map(({ path }) => DASHBOARD_API_PATH + path);
  expect(new Set(Object.keys(paths))).toEqual(new Set([...publicRoutes, ...dashboard]));
});
