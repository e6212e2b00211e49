import * as z from 'zod';
import { bringsAlong, synthesize } from '../lib/synthesized.ts';
import { readDocument } from './documents.ts';

const { text } = readDocument('docs/verification.md');
const template = await synthesize();
const policy = z.object({
  Properties: z.object({
    Roles: z.tuple([z.object({ Ref: z.string() })]),
    PolicyDocument: z.object({
      Statement: z.array(z.object({ Action: z.union([z.string(), z.array(z.string())]) })),
    }),
  }),
});

test('the output of test:grants is that of the functions and statements that the template has', () => {
  const policies = Object.values(template.findResources('AWS::IAM::Policy')).flatMap((resource) => {
    const { Roles, PolicyDocument } = policy.parse(resource).Properties;
    const [{ Ref: role }] = Roles;
    const name = role.replace(/Role[0-9A-F]{8}$/, '');
    return bringsAlong(role)
      ? []
      : PolicyDocument.Statement.map(({ Action }) => `${name} needs ${JSON.stringify([Action].flat())}`);
  });
  const shown = [...text.matchAll(/^ {2}✓ (\w+ needs \[.*\]) \(\d+ ms\)$/gm)].map(([, line = '']) =>
    line.replace(/\[.*\]/, (list) => JSON.stringify(z.array(z.string()).parse(JSON.parse(list)))),
  );
  expect(shown.sort()).toEqual(policies.sort());
});
