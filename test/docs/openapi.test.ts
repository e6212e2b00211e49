import { readFileSync } from 'node:fs';
import { openApiDocument } from '../../scripts/openapi.ts';

const kept = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8');

test('docs/openapi.json is current (node scripts/openapi.ts writes it)', () => {
  expect(JSON.parse(kept)).toEqual(JSON.parse(openApiDocument()));
});

test('no answer of the dashboard has a property for a signing secret', () => {
  expect(kept).not.toMatch(/signing_secret|sha256/);
});

test('every operation has its own id and its credentials', () => {
  const paths: Record<string, Record<string, { operationId: string; security?: object[] }>> = JSON.parse(kept).paths;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).map(({ operationId, security }) => ({ path, operationId, security })),
  );
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  for (const { path, security } of operations) {
    expect([path, security]).toEqual([
      path,
      path.startsWith('/api/dashboard/')
        ? [{ login: [] }]
        : path.endsWith('/session/create')
          ? [{ server: [] }]
          : [{ site: [] }, { session: [] }],
    ]);
  }
});
