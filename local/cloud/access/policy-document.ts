import * as z from 'zod';

/** One text or several, as policies and patterns allow. */
const texts = z.union([z.string().transform((text) => [text]), z.array(z.string())]);

type Principals = { readonly AWS?: string[] | undefined; readonly Service?: string[] | undefined };

const principal = z.union([
  z.literal('*').transform((): Principals => ({ AWS: ['*'] })),
  z.strictObject({ AWS: texts.optional(), Service: texts.optional() }),
]);

const statement = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(['Allow', 'Deny']),
  Principal: principal.optional(),
  Action: texts.optional(),
  NotAction: texts.optional(),
  Resource: texts.optional(),
  NotResource: texts.optional(),
  Condition: z
    .record(
      z.string(),
      z.record(
        z.string(),
        z.union([texts, z.boolean().transform((flag) => [String(flag)]), z.number().transform((n) => [String(n)])]),
      ),
    )
    .default({}),
});

/** An IAM policy, read strictly: an element that is not known is an error, because ignoring it could allow too much. */
export const policyDocument = z.strictObject({
  Version: z.literal('2012-10-17'),
  Id: z.string().optional(),
  Statement: z.union([z.array(statement), statement.transform((one) => [one])]),
});

export type PolicyStatement = z.infer<typeof statement>;
