import * as z from 'zod';

/** One text or several, as policies and patterns allow. */
const texts = z.union([z.string().transform((text) => [text]), z.array(z.string())]);
/** The condition keys whose values the gateway knows. */
const conditionKeys = z.strictObject({ 'aws:SecureTransport': texts.optional(), 'aws:SourceArn': texts.optional() });
/** The keys that the Service Authorization Reference calls ArrayOfString. An operator of one value is no operator of them. */
const setKeys = z.strictObject({ 'events:source': texts.optional(), 'dynamodb:LeadingKeys': texts.optional() });
const ON_ONE_ITEM: ReadonlySet<string> = new Set(
  ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'].map((call) => `dynamodb:${call}`),
);

const policyCondition = z.strictObject({
  ArnEquals: conditionKeys.optional(),
  ArnLike: conditionKeys.optional(),
  Bool: conditionKeys.optional(),
  'ForAllValues:StringNotEquals': setKeys.optional(),
  'ForAllValues:StringLike': setKeys.optional(),
  Null: setKeys.optional(),
});
type PolicyCondition = z.infer<typeof policyCondition>;

/** The schema of an IAM policy about these actions. What cannot be judged is an error: it could allow too much. */
const documentOf = (actions: RegExp) =>
  z.strictObject({
    Version: z.literal('2012-10-17'),
    Statement: z.array(
      z
        .strictObject({
          Sid: z.string().optional(),
          Effect: z.enum(['Allow', 'Deny']),
          /** The principal of a resource policy or trust policy: every caller, or a service of AWS. */
          Principal: z
            .union([z.strictObject({ AWS: z.literal('*') }), z.strictObject({ Service: z.string() })])
            .optional(),
          Action: texts.refine(
            (all) => all.every((action) => actions.test(action)),
            'not an action of a known service',
          ),
          /** Absent in a trust policy, which is about its own role. */
          Resource: texts
            .refine((all) => !all.some((resource) => resource.includes('${')), 'policy variables are not known')
            .optional(),
          Condition: policyCondition.default({}),
        })
        .refine(
          ({ Action, Condition }) =>
            patternsOfKeys({ Condition }) === undefined || Action.every((action) => ON_ONE_ITEM.has(action)),
          'the partition keys of other calls are not known',
        ),
    ),
  });

/** Only calls to these services reach the gateway. */
export const policyDocument = documentOf(/^(\*$|(dynamodb|sqs|events|secretsmanager|lambda|sns|logs):)/);
export const trustDocument = documentOf(/^sts:AssumeRole$/);

export type PolicyStatement = z.infer<typeof policyDocument>['Statement'][number];
export type ConditionSets = { readonly [key in 'events:source' | 'dynamodb:LeadingKeys']?: readonly string[] };

export type AccessRequest = {
  /** `dynamodb:PutItem` */
  readonly action: string;
  readonly resource: string;
  /** Condition keys in lower case. */
  readonly keys: Readonly<Record<string, string>>;
  readonly sets?: ConditionSets | undefined;
};

/** Returns the patterns of partition keys to which a statement is limited; undefined when it is about all. */
export const patternsOfKeys = ({ Condition }: { readonly Condition: PolicyCondition }) =>
  Condition['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'];

/** Whether a statement is about this action on this resource, and one value of each of its condition keys is the call's. */
export function appliesTo({ Action, Resource, Condition }: PolicyStatement, request: AccessRequest): boolean {
  const holds = (keys: z.infer<typeof conditionKeys> = {}, matches: (wanted: string, actual: string) => boolean) =>
    Object.entries(keys).every(([key, values]) => {
      const actual = request.keys[key.toLowerCase()];
      return actual !== undefined && values.some((wanted) => matches(wanted, actual));
    });
  const forSets = (
    keys: z.infer<typeof setKeys> = {},
    matches: (values: string[], actual?: readonly string[]) => boolean,
  ) =>
    (['events:source', 'dynamodb:LeadingKeys'] as const).every((key) => {
      const values = keys[key];
      return values === undefined || matches(values, request.sets?.[key]);
    });
  return (
    Action.some((pattern) => matchesWildcard(pattern, request.action, { ignoreCase: true })) &&
    (Resource === undefined || Resource.some((pattern) => matchesWildcard(pattern, request.resource))) &&
    holds(Condition.ArnEquals, matchesArn) &&
    holds(Condition.ArnLike, matchesArn) &&
    holds(Condition.Bool, (wanted, actual) => wanted.toLowerCase() === actual.toLowerCase()) &&
    forSets(
      Condition['ForAllValues:StringNotEquals'],
      (values, sources = []) => !sources.some((one) => values.includes(one)),
    ) &&
    forSets(Condition['ForAllValues:StringLike'], (patterns, actual = []) =>
      actual.every((value) => patterns.some((pattern) => matchesWildcard(pattern, value))),
    ) &&
    forSets(Condition.Null, (values, sources) => values.includes(String(sources === undefined)))
  );
}

/** Whether a resource or trust policy is about a caller. @param service undefined for one that is no service of AWS */
export function isAbout({ Principal }: PolicyStatement, service: string | undefined): boolean {
  return Principal !== undefined && (!('Service' in Principal) || Principal.Service === service);
}

/** Whether text matches a pattern of AWS: `*` is any characters, `?` is one. */
export function matchesWildcard(pattern: string, text: string, { ignoreCase = false } = {}): boolean {
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, ignoreCase ? 'is' : 's').test(text);
}

/** As `matchesWildcard`, but part by part between the colons: a `*` in one part of an ARN never reaches into the next. */
function matchesArn(pattern: string, arn: string): boolean {
  const parts = partsOf(arn);
  return partsOf(pattern).every((part, index) => matchesWildcard(part, parts[index] ?? ''));
}

/** The sixth part holds everything that is left: resource names may contain colons. */
function partsOf(arn: string): string[] {
  const parts = arn.split(':');
  return [...parts.slice(0, 5), parts.slice(5).join(':')];
}
