import { createHash } from 'node:crypto';
import type * as z from 'zod';
import type { ResourcePolicy } from '../access/authorizer.ts';
import type { Role, RoleStatement } from '../access/callers.ts';
import type { PolicyStatement } from '../access/policy-document.ts';
import { ACCOUNT, REGION } from '../account.ts';
import { CloudError } from '../cloud-error.ts';
import type { Json } from '../json.ts';
import type { Assembly, Resource as Definition } from './assembly.ts';
import { type Identity, Resolver } from './intrinsics.ts';
import { type Addresses, arn, EMULATED, type Identify, WITHOUT_EFFECT } from './resource-types.ts';

type Type = keyof typeof EMULATED;
type Properties = { readonly [T in Type]: z.infer<(typeof EMULATED)[T]['properties']> };
const SCHEMAS: { readonly [T in Type]: { readonly properties: z.ZodType<Properties[T]> } } = EMULATED;

/** A resource of the template, with its expressions resolved. */
export type Resource<T extends Type> = {
  readonly logicalId: string;
  /** What `Ref` gives. */
  readonly ref: string;
  /** The ARN; of a type without one, its `ref`. */
  readonly arn: string;
  readonly properties: Properties[T];
};

export type LambdaResource = Resource<'AWS::Lambda::Function'> & {
  readonly role: Role;
  /** Folder of the bundled code, absolute. */
  readonly codeFolder: string;
};

/** A route of the HTTP API. */
export type Route = { readonly key: string; readonly functionArn: string; readonly authorizer?: JwtAuthorization };
export type JwtAuthorization = {
  readonly issuer: string;
  readonly audience: readonly string[];
  /** Of the route: a token needs one of them. */
  readonly scopes: readonly string[];
};

/** A statement of a role that is left out, so that a test can prove that the statement is needed. */
export type DroppedStatement = {
  /** Logical id of the role. */
  readonly role: string;
  /** Position among all the role's statements, in the order of the template. */
  readonly index: number;
};

type StackOptions = {
  readonly assembly: Assembly;
  readonly addresses: Addresses;
  /** Gives the current value of a secret by its ARN. Called when a value that contains it is read. */
  readonly secretString: (arn: string) => string;
  readonly withoutStatement?: DroppedStatement | undefined;
};

/** The resources of the template, read by type. Anything that the local cloud does not know is an error, never a guess. */
export class Stack {
  readonly #options: StackOptions;
  readonly #resolver: Resolver;
  readonly #resources: readonly (readonly [logicalId: string, Definition])[];

  /** @throws CloudError when the template contains an unknown type, or a condition */
  constructor(options: StackOptions) {
    const { stackName, template } = options.assembly;
    this.#options = options;
    this.#resolver = new Resolver({
      pseudoParameters: {
        'AWS::AccountId': ACCOUNT,
        'AWS::Region': REGION,
        'AWS::Partition': 'aws',
        'AWS::URLSuffix': 'amazonaws.com',
        'AWS::StackName': stackName,
        'AWS::StackId': stackId(stackName),
      },
      secretString: options.secretString,
      edge: options.addresses.edge,
      identify: (logicalId) => this.#identify(logicalId),
    });
    for (const [id, { Condition }] of Object.entries({ ...template.Resources, ...template.Outputs })) {
      if (Condition !== undefined) throw new CloudError(`The local cloud does not know the condition of ${id}`);
    }
    const all = Object.entries(template.Resources);
    for (const [id, { Type }] of all) identifyOf(Type, id);
    const emulatedElsewhere = this.#customResources(all);
    this.#resources = all.filter(([id]) => !emulatedElsewhere.has(id));
  }

  /** Reads every resource of a type. @throws CloudError when one has an unknown property or expression */
  all<T extends Type>(type: T): readonly Resource<T>[] {
    const { properties } = SCHEMAS[type];
    return this.#resources
      .filter(([, resource]) => resource.Type === type)
      .map(([logicalId, resource]) => ({
        logicalId,
        ref: this.#resolver.identity(logicalId).ref,
        arn: this.#arn(logicalId),
        properties: parse(properties, `${type} ${logicalId}`, this.#resolver.resolve(resource.Properties)),
      }));
  }

  /** Reads the only resource of a type. @throws CloudError when there are several */
  one<T extends Type>(type: T): Resource<T> | undefined {
    const [one, ...more] = this.all(type);
    if (more.length > 0) throw new CloudError(`One machine has one listener for ${type}; the template has more`);
    return one;
  }

  /** @throws CloudError when a function has no role or asset in the template */
  functions(): readonly LambdaResource[] {
    const roles = this.#roles();
    const { directory, template } = this.#options.assembly;
    return this.all('AWS::Lambda::Function').map((fn) => {
      const role = roles.find((known) => known.arn === fn.properties.Role);
      if (role === undefined) throw new CloudError(`${fn.logicalId} has a role that is not in the template`);
      const asset = template.Resources[fn.logicalId]?.Metadata['aws:asset:path'];
      if (typeof asset !== 'string') {
        throw new CloudError(`${fn.logicalId} has no asset; was it synthesized with asset metadata?`);
      }
      return { ...fn, role, codeFolder: `${directory}/${asset}` };
    });
  }

  /** @throws CloudError when a route has no integration or authorizer in the template */
  routes(): readonly Route[] {
    this.all('AWS::ApiGatewayV2::Stage');
    const integrations = this.all('AWS::ApiGatewayV2::Integration');
    const authorizers = this.all('AWS::ApiGatewayV2::Authorizer');
    return this.all('AWS::ApiGatewayV2::Route').map(({ properties: route }) => {
      const key = route.RouteKey;
      const integration = integrations.find(({ ref }) => route.Target === `integrations/${ref}`);
      if (integration === undefined) throw new CloudError(`The route ${key} has no integration`);
      const functionArn = integration.properties.IntegrationUri;
      if (route.AuthorizationType === 'NONE') return { key, functionArn };
      const authorizer = authorizers.find(({ ref }) => ref === route.AuthorizerId);
      if (authorizer === undefined) throw new CloudError(`The route ${key} has no authorizer`);
      const { Issuer: issuer, Audience: audience } = authorizer.properties.JwtConfiguration;
      return { key, functionArn, authorizer: { issuer, audience, scopes: route.AuthorizationScopes } };
    });
  }

  /** The policies of queues and functions, by ARN. */
  resourcePolicies(): readonly ResourcePolicy[] {
    const queues = this.all('AWS::SQS::Queue');
    const ofQueues = this.all('AWS::SQS::QueuePolicy').flatMap(({ properties: { PolicyDocument, Queues } }) =>
      queues
        .filter(({ ref }) => Queues.includes(ref))
        .map((queue) => ({ arn: queue.arn, statements: PolicyDocument.Statement })),
    );
    const functions = this.all('AWS::Lambda::Function');
    const ofFunctions = this.all('AWS::Lambda::Permission').map(({ properties }) => {
      const { FunctionName, Principal, Action, SourceArn } = properties;
      const resource = functions.find(({ ref }) => ref === FunctionName)?.arn ?? FunctionName;
      const statement: PolicyStatement = {
        Effect: 'Allow',
        Principal: { Service: Principal },
        Action: [Action],
        Resource: [resource],
        Condition: { ArnLike: { 'aws:SourceArn': [SourceArn] } },
      };
      return { arn: resource, statements: [statement] };
    });
    return [...ofQueues, ...ofFunctions];
  }

  /** The file or folder of the asset with this hash, absolute. @throws CloudError when the assembly has none */
  assetPath(hash: string): string {
    return this.#options.assembly.assetPath(hash);
  }

  /** The name of the bucket that has this domain name as an origin. */
  bucketOf(domainName: string): string | undefined {
    const [id] =
      this.#resources.find(
        ([id, { Type }]) =>
          Type === 'AWS::S3::Bucket' && this.#resolver.identity(id).attributes.RegionalDomainName === domainName,
      ) ?? [];
    return id === undefined ? undefined : this.#resolver.identity(id).ref;
  }

  outputs(): Readonly<Record<string, string>> {
    const { Outputs } = this.#options.assembly.template;
    return Object.fromEntries(Object.entries(Outputs).map(([name, { Value }]) => [name, this.#resolver.text(Value)]));
  }

  #roles(): readonly Role[] {
    const policies = this.all('AWS::IAM::Policy');
    const dropped = this.#options.withoutStatement;
    const roles = this.all('AWS::IAM::Role').map(({ logicalId, ref, arn, properties }): Role => {
      const statements = policies
        .filter(({ properties: { Roles } }) => Roles.includes(ref))
        .flatMap(({ properties: { PolicyDocument } }) => PolicyDocument.Statement)
        .map((statement, index): RoleStatement => ({ role: logicalId, index, statement }));
      return {
        logicalId,
        name: ref,
        arn,
        trust: properties.AssumeRolePolicyDocument.Statement,
        statements: statements.filter(({ index }) => dropped?.role !== logicalId || dropped.index !== index),
      };
    });
    if (dropped !== undefined && !roles.some(({ logicalId }) => logicalId === dropped.role)) {
      throw new CloudError(`The template has no role ${dropped.role}`);
    }
    return roles;
  }

  /** The functions of custom resources, with their roles and policies. The local cloud does their work, or it has no effect. */
  #customResources(all: readonly (readonly [string, Definition])[]): ReadonlySet<string> {
    const ids = (type: string, chosen: (properties: Definition['Properties'], id: string) => boolean): string[] =>
      all.filter(([id, { Type, Properties }]) => Type === type && chosen(Properties, id)).map(([id]) => id);
    const tokens = all
      .filter(([, { Type }]) => Type.startsWith('Custom::'))
      .map(([, { Properties }]) => this.#resolver.text(Properties.ServiceToken ?? null));
    const functions = ids('AWS::Lambda::Function', (_, id) => tokens.includes(this.#arn(id)));
    const roleArns = all
      .filter(([id]) => functions.includes(id))
      .map(([, { Properties }]) => this.#resolver.text(Properties.Role ?? null));
    const roles = ids('AWS::IAM::Role', (_, id) => roleArns.includes(this.#arn(id)));
    const policies = ids('AWS::IAM::Policy', ({ Roles = [] }) => {
      const names = this.#resolver.resolve(Roles);
      return Array.isArray(names) && roles.some((id) => names.includes(this.#resolver.identity(id).ref));
    });
    return new Set([...functions, ...roles, ...policies]);
  }

  #arn(logicalId: string): string {
    const { ref, attributes } = this.#resolver.identity(logicalId);
    return attributes.Arn ?? ref;
  }

  #identify(logicalId: string): Identity {
    const { assembly, addresses } = this.#options;
    const resource = assembly.template.Resources[logicalId];
    if (resource === undefined) throw new CloudError(`The template has no resource ${logicalId}`);
    const property = (name: string, missing: Json = null) => this.#resolver.text(resource.Properties[name] ?? missing);
    return identifyOf(
      resource.Type,
      logicalId,
    )({
      logicalId,
      addresses,
      property,
      name: (name, limit = 200) => property(name, shorten(`${assembly.stackName}-${logicalId}`, limit)),
      hash: (length) => sha256(`${assembly.stackName}/${logicalId}`).slice(0, length),
    });
  }
}

function identifyOf(type: string, logicalId: string): Identify {
  const known: Readonly<Record<string, { readonly identify: Identify }>> = EMULATED;
  const identify = known[type]?.identify ?? WITHOUT_EFFECT[type];
  if (identify === undefined) {
    throw new CloudError(`The local cloud does not know the resource type ${type} (${logicalId})`);
  }
  return identify;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** An ARN that ends in a UUID, the same in every run: names are made of its parts. */
function stackId(stackName: string): string {
  const uuid = sha256(stackName).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5');
  return arn('cloudformation', `stack/${stackName}/${uuid}`);
}

/** Keeps the end: a logical id ends in the hash that makes it unique. */
function shorten(name: string, limit: number): string {
  return name.length <= limit ? name : `${name.slice(0, limit - 31)}-${name.slice(-30)}`;
}

function parse<T>(shape: z.ZodType<T>, where: string, value: Json): T {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  throw new CloudError(`The local cloud does not know this of ${where}: ${path}${issue?.message ?? 'invalid'}`);
}
