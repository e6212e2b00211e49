import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { temporaryFolder } from '../../harness/temporary-folder.ts';

const policy = z.looseObject({
  Type: z.literal('AWS::IAM::Policy'),
  Properties: z.looseObject({
    Roles: z.tuple([z.strictObject({ Ref: z.string() })]),
    PolicyDocument: z.looseObject({ Statement: z.array(z.unknown()) }),
  }),
});
const template = z.looseObject({ Resources: z.record(z.string(), z.looseObject({})) });

/**
 * Returns the folder of an assembly that is another one without one statement of a role, so that a test can prove that the statement is needed.
 * @param assembly folder of the other assembly
 * @param role logical id of the role
 * @param index position of the statement among those of the role
 */
export function assemblyWithout(assembly: string, { role, index }: { readonly role: string; readonly index: number }) {
  const folder = temporaryFolder();
  for (const name of readdirSync(assembly)) {
    if (!name.endsWith('.template.json')) symlinkSync(join(assembly, name), join(folder, name));
    else writeFileSync(join(folder, name), withoutStatement(readFileSync(join(assembly, name), 'utf8'), role, index));
  }
  return folder;
}

function withoutStatement(text: string, role: string, index: number): string {
  const { Resources, ...rest } = template.parse(JSON.parse(text));
  const policies = Object.entries(Resources).flatMap(([id, resource]) => {
    const { data } = policy.safeParse(resource);
    return data?.Properties.Roles[0].Ref === role ? [{ id, data }] : [];
  });
  const [only, ...others] = policies;
  if (only === undefined || others.length > 0) throw new Error(`The role ${role} has ${policies.length} policies`);
  only.data.Properties.PolicyDocument.Statement.splice(index, 1);
  return JSON.stringify({ ...rest, Resources: { ...Resources, [only.id]: only.data } });
}
