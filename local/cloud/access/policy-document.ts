import * as z from 'zod';

/** One text or several, as policies and patterns allow. */
const texts = z.union([z.string().transform((text) => [text]), z.array(z.string())]);

const statement = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(['Allow', 'Deny']),
  /** The principal of a resource policy or trust policy: every caller, or a service of AWS. */
  Principal: z.union([z.strictObject({ AWS: z.literal('*') }), z.strictObject({ Service: z.string() })]).optional(),
  Action: texts,
  Resource: texts.optional(),
  Condition: z.record(z.string(), z.record(z.string(), texts)).default({}),
});

/** The schema of an IAM policy. An unknown element is an error, because ignoring it could allow too much. */
export const policyDocument = z.strictObject({
  Version: z.literal('2012-10-17'),
  Statement: z.array(statement),
});

export type PolicyStatement = z.infer<typeof statement>;
