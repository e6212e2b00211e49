import * as z from 'zod';

/** One text or several, as policies and patterns allow. */
const texts = z.union([z.string().transform((text) => [text]), z.array(z.string())]);

/** The condition keys whose values the gateway knows. */
const tests = z.strictObject({ 'aws:SecureTransport': texts.optional(), 'aws:SourceArn': texts.optional() });

/**
 * The schema of an IAM policy. What the gateway cannot judge is an error, because ignoring it could allow too much.
 * @param actions matches the actions that it can judge
 */
const documentOf = (actions: RegExp) =>
  z.strictObject({
    Version: z.literal('2012-10-17'),
    Statement: z.array(
      z.strictObject({
        Sid: z.string().optional(),
        Effect: z.enum(['Allow', 'Deny']),
        /** The principal of a resource policy or trust policy: every caller, or a service of AWS. */
        Principal: z
          .union([z.strictObject({ AWS: z.literal('*') }), z.strictObject({ Service: z.string() })])
          .optional(),
        Action: texts.refine((all) => all.every((action) => actions.test(action)), 'not an action of a known service'),
        Resource: texts
          .refine((all) => !all.some((resource) => resource.includes('${')), 'policy variables are not known')
          .optional(),
        Condition: z
          .strictObject({ ArnEquals: tests.optional(), ArnLike: tests.optional(), Bool: tests.optional() })
          .default({}),
      }),
    ),
  });

/** Only calls to these services reach the gateway. */
export const policyDocument = documentOf(/^(\*$|(dynamodb|sqs|events|secretsmanager|lambda|sns|logs):)/);
export const trustDocument = documentOf(/^sts:AssumeRole$/);

export type PolicyStatement = z.infer<typeof policyDocument>['Statement'][number];
