import { createHash } from 'node:crypto';
import type * as z from 'zod';
import type { IamRole, ResourcePolicy, RoleStatement } from '../access/authorizer.ts';
import type { PolicyStatement } from '../access/policies.ts';
import { ACCOUNT, arnOf, REGION } from '../account.ts';
import { CloudError, required } from '../cloud-error.ts';
import { isList, isObject, type Json } from '../json.ts';
import type { Assembly } from './assembly.ts';
import { type Addresses, EMULATED, identifierOf, type ResourceIdentity } from './resource-types.ts';

type Type = keyof typeof EMULATED;
type Properties = { readonly [T in Type]: z.infer<(typeof EMULATED)[T]> };
const SCHEMAS: { readonly [T in Type]: z.ZodType<Properties[T]> } = EMULATED;

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
  readonly role: IamRole;
  /** Folder of the bundled code, absolute. */
  readonly codeFolder: string;
};

export type Route = ReturnType<Stack['routes']>[number];

type StackOptions = {
  readonly assembly: Assembly;
  readonly addresses: Addresses;
  /** Gives the current value of a secret by its ARN. Called when a value that contains it is read. */
  readonly secretString: (arn: string) => string;
};

/** `{{resolve:secretsmanager:<arn>:SecretString:::}}` for the whole current value of a secret. Any other reference is not known. */
const DYNAMIC_REFERENCE = /\{\{resolve:(?:secretsmanager:(arn(?::[^:}]*){6}):SecretString:::)?[^}]*\}\}/g;

/** The resources of the template, read by type. Anything that the local cloud does not know is an error, never a guess. */
export class Stack {
  readonly #options: StackOptions;
  readonly #pseudoParameters: Readonly<Record<string, string>>;
  /** By logical id. Names may be built of other names. */
  readonly #identities = new Map<string, ResourceIdentity>();
  readonly #resources: Assembly['template']['Resources'];

  /** @throws CloudError when the template contains an unknown type, or a condition */
  constructor(options: StackOptions) {
    const { stackName, template } = options.assembly;
    this.#options = options;
    this.#pseudoParameters = {
      'AWS::AccountId': ACCOUNT,
      'AWS::Region': REGION,
      'AWS::Partition': 'aws',
      'AWS::URLSuffix': 'amazonaws.com',
      'AWS::StackName': stackName,
      'AWS::StackId': stackId(stackName),
    };
    this.#resources = withoutProviders(template.Resources);
    for (const [id, { Condition }] of Object.entries({ ...template.Resources, ...template.Outputs })) {
      if (Condition !== undefined) throw new CloudError(`The local cloud does not know the condition of ${id}`);
    }
    for (const id of Object.keys(this.#resources)) this.#identity(id);
  }

  /** Reads every resource of a type. @throws CloudError when one has an unknown property or expression */
  all<T extends Type>(type: T): readonly Resource<T>[] {
    return Object.entries(this.#resources)
      .filter(([, resource]) => resource.Type === type)
      .map(([logicalId, resource]) => {
        const { ref, attributes } = this.#identity(logicalId);
        const properties = parse(SCHEMAS[type], `${type} ${logicalId}`, this.resolve(resource.Properties));
        return { logicalId, ref, arn: attributes.Arn ?? ref, properties };
      });
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
    return this.all('AWS::Lambda::Function').map((fn) => {
      const functionRole = roles.find((known) => known.arn === fn.properties.Role);
      const role = required(functionRole, `${fn.logicalId} has a role that is not in the template`);
      return { ...fn, role, codeFolder: this.assetPath(fn.properties.Code.S3Key) };
    });
  }

  /** @throws CloudError when a route has no integration or authorizer in the template */
  routes() {
    this.all('AWS::ApiGatewayV2::Stage');
    const integrations = this.all('AWS::ApiGatewayV2::Integration');
    const authorizers = this.all('AWS::ApiGatewayV2::Authorizer');
    return this.all('AWS::ApiGatewayV2::Route').map(({ properties: route }) => {
      const key = route.RouteKey;
      const integration = integrations.find(({ ref }) => route.Target === `integrations/${ref}`);
      const functionArn = required(integration, `The route ${key} has no integration`).properties.IntegrationUri;
      if (route.AuthorizationType === 'NONE') return { key, functionArn };
      const roleOfFunction = authorizers.find(({ ref }) => ref === route.AuthorizerId);
      const { JwtConfiguration } = required(roleOfFunction, `The route ${key} has no authorizer`).properties;
      const { Issuer: issuer, Audience: audience } = JwtConfiguration;
      // A token needs one of the scopes.
      return { key, functionArn, authorizer: { issuer, audience, scopes: route.AuthorizationScopes } };
    });
  }

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

  get assetPath(): Assembly['assetPath'] {
    return this.#options.assembly.assetPath;
  }

  /** The name of the bucket that has this domain name as an origin. */
  bucketOf(domainName: string): string | undefined {
    return Object.keys(this.#resources)
      .map((id) => this.#identity(id))
      .find(({ attributes }) => attributes.RegionalDomainName === domainName)?.ref;
  }

  outputs(): Readonly<Record<string, string>> {
    const { Outputs } = this.#options.assembly.template;
    return Object.fromEntries(Object.entries(Outputs).map(([name, { Value }]) => [name, this.#text(Value)]));
  }

  #roles(): readonly IamRole[] {
    const policies = this.all('AWS::IAM::Policy');
    return this.all('AWS::IAM::Role').map(({ logicalId, ref, arn, properties }): IamRole => {
      const statements = policies
        .filter(({ properties: { Roles } }) => Roles.includes(ref))
        .flatMap(({ properties: { PolicyDocument } }) => PolicyDocument.Statement)
        .map((statement, index): RoleStatement => ({ role: logicalId, index, statement }));
      return { logicalId, arn, trust: properties.AssumeRolePolicyDocument.Statement, statements };
    });
  }

  /** Resolves the expressions in a value. @throws CloudError on an intrinsic, pseudo parameter, resource or attribute that is not known */
  resolve(value: Json): Json {
    if (typeof value === 'string') return this.#dynamicReferences(value);
    if (isList(value)) return value.map((item) => this.resolve(item));
    if (!isObject(value)) return value;
    const [key, ...others] = Object.keys(value);
    if (key !== undefined && others.length === 0 && (key === 'Ref' || key.startsWith('Fn::'))) {
      return this.#intrinsic(key, value[key] ?? null);
    }
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.resolve(member)]));
  }

  /** Resolves an expression that must be text. Numbers and booleans count as their text, as in CloudFormation. */
  #text(value: Json): string {
    const resolved = this.resolve(value);
    if (typeof resolved === 'string') return resolved;
    if (typeof resolved === 'number' || typeof resolved === 'boolean') return String(resolved);
    throw new CloudError(`${JSON.stringify(value)} is not text`);
  }

  #intrinsic(name: string, argument: Json): Json {
    switch (name) {
      case 'Ref': {
        const id = this.#plainText(name, argument);
        if (id.startsWith('AWS::') && !Object.hasOwn(this.#pseudoParameters, id)) {
          throw new CloudError(`The local cloud does not know the pseudo parameter ${id}`);
        }
        return this.#pseudoParameters[id] ?? this.#identity(id).ref;
      }
      case 'Fn::GetAtt': {
        const [logicalId = '', ...path] = this.#list(name, argument).map((part) => this.#text(part));
        const attribute = path.join('.');
        const problem = `The local cloud does not know the attribute ${logicalId}.${attribute}`;
        return required(this.#identity(logicalId).attributes[attribute], problem);
      }
      case 'Fn::Join': {
        const [separator, parts] = this.#list(name, argument);
        const texts = this.#list(name, this.resolve(parts ?? null)).map((part) => this.#text(part));
        return this.composedText(texts.join(this.#text(separator ?? '')));
      }
      case 'Fn::Sub':
        return this.composedText(
          this.#plainText(name, argument).replaceAll(/\$\{([^}]*)\}/g, (_, id: string) => this.#text({ Ref: id })),
        );
      case 'Fn::Select': {
        const [index, list] = this.#list(name, argument);
        const item = this.#list(name, this.resolve(list ?? null))[Number(this.#text(index ?? ''))];
        return required(item, `Fn::Select ${JSON.stringify(argument)} selects nothing`);
      }
      case 'Fn::Split': {
        const [separator, text] = this.#list(name, argument);
        return this.#text(text ?? null).split(this.#text(separator ?? null));
      }
      default:
        throw new CloudError(`The local cloud does not know ${name}`);
    }
  }

  /** Addresses are made only by joining. */
  composedText = (text: string): string => this.#dynamicReferences(overHttp(text));

  #dynamicReferences(text: string): string {
    if (!text.includes('{{resolve:')) return text;
    return text.replaceAll(DYNAMIC_REFERENCE, (reference: string, arn: string | undefined) =>
      this.#options.secretString(required(arn, `The local cloud does not know the dynamic reference ${reference}`)),
    );
  }

  #list(name: string, value: Json): readonly Json[] {
    if (isList(value)) return value;
    throw new CloudError(`${name} wants a list, not ${JSON.stringify(value)}`);
  }

  #plainText(name: string, value: Json): string {
    if (typeof value === 'string') return value;
    throw new CloudError(`${name} wants text, not ${JSON.stringify(value)}`);
  }

  #identity(logicalId: string): ResourceIdentity {
    const identity = this.#identities.get(logicalId) ?? this.#identify(logicalId);
    this.#identities.set(logicalId, identity);
    return identity;
  }

  #identify(logicalId: string): ResourceIdentity {
    const { assembly, addresses } = this.#options;
    const resource = assembly.template.Resources[logicalId];
    const { Type, Properties } = required(resource, `The template has no resource ${logicalId}`);
    const problem = `The local cloud does not know the resource type ${Type} (${logicalId})`;
    const identify = required(identifierOf(Type), problem);
    const property = (name: string, missing: Json = null) => this.#text(Properties[name] ?? missing);
    const nameProperty = Properties[`${Type.split('::').at(-1)}Name`] ?? Properties.Name;
    return identify({
      logicalId,
      addresses,
      property,
      name: () => this.#text(nameProperty ?? shorten(`${assembly.stackName}-${logicalId}`)),
      hash: (length) => sha256(`${assembly.stackName}/${logicalId}`).slice(0, length),
    });
  }
}

/**
 * Leaves out the functions of custom resources, with their roles and policies: the local cloud does their work. As the CDK names them,
 * their logical ids begin alike, and end with different hashes of eight digits.
 */
function withoutProviders(resources: Assembly['template']['Resources']): Assembly['template']['Resources'] {
  const providers = Object.values(resources)
    .filter(({ Type }) => Type.startsWith('Custom::'))
    .map(({ Properties }) => /"Fn::GetAtt":\["(\w+)\w{8}","Arn"\]/.exec(JSON.stringify(Properties.ServiceToken))?.[1]);
  const isOfProvider = (id: string) => providers.some((provider) => provider !== undefined && id.startsWith(provider));
  return Object.fromEntries(Object.entries(resources).filter(([id]) => !isOfProvider(id)));
}

/** In AWS, addresses of the stack's own parts use https. The local ones have no certificate that a browser trusts. */
export const overHttp = (text: string): string => text.replaceAll('https://127.0.0.1:', 'http://127.0.0.1:');
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** An ARN that ends in a UUID, the same in every run: names are made of its parts. */
function stackId(stackName: string): string {
  const uuid = sha256(stackName).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5');
  return arnOf('cloudformation', `stack/${stackName}/${uuid}`);
}

/** The longest name that every service takes. */
const NAME_MAX = 63;

/** Keeps the end: a logical id ends in the hash that makes it unique. */
const shorten = (name: string): string =>
  name.length <= NAME_MAX ? name : `${name.slice(0, NAME_MAX - 31)}-${name.slice(-30)}`;

function parse<T>(shape: z.ZodType<T>, where: string, value: Json): T {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  throw new CloudError(`The local cloud does not know this of ${where}: ${path}${issue?.message ?? 'invalid'}`);
}
