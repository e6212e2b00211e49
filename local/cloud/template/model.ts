import type * as z from 'zod';
import type { Role, RoleStatement } from '../access/callers.ts';
import type { PolicyStatement } from '../access/policy-document.ts';
import { CloudError } from '../cloud-error.ts';
import type { Json } from '../json.ts';
import type { Assembly, Resource } from './assembly.ts';
import { type Addresses, identify, PSEUDO_PARAMETERS, stackId } from './identities.ts';
import { Resolver } from './intrinsics.ts';
import * as login from './login-schemas.ts';
import * as schema from './resource-schemas.ts';

type Named = { readonly logicalId: string; readonly arn: string };

export type TableDefinition = Named & { readonly name: string; readonly properties: z.infer<typeof schema.table> };
export type QueueDefinition = Named & {
  readonly name: string;
  readonly url: string;
  readonly properties: z.infer<typeof schema.queue>;
};
export type SecretDefinition = Named & { readonly properties: z.infer<typeof schema.secret> };
export type BusDefinition = Named & { readonly name: string };
export type RuleDefinition = Named & { readonly properties: z.infer<typeof schema.rule> };
export type FunctionDefinition = Named & {
  readonly name: string;
  readonly role: Role;
  /** Folder of the bundled code, absolute. */
  readonly codeFolder: string;
  readonly logGroup: string;
  readonly properties: z.infer<typeof schema.lambdaFunction>;
};
export type EventSourceDefinition = { readonly logicalId: string } & z.infer<typeof schema.eventSourceMapping>;
export type ApiDefinition = {
  readonly id: string;
  readonly routes: readonly {
    readonly key: string;
    readonly functionArn: string;
    readonly authorizer?: JwtAuthorizerDefinition;
  }[];
};
export type JwtAuthorizerDefinition = {
  readonly issuer: string;
  readonly audience: readonly string[];
  /** Of the route: a token needs one of them. */
  readonly scopes: readonly string[];
};
export type UserPoolDefinition = { readonly id: string; readonly arn: string };
/** A public client of the user pool, as the template defines it. */
export type LoginClient = {
  readonly id: string;
  readonly callbackUrls: readonly string[];
  readonly logoutUrls: readonly string[];
  readonly scopes: readonly string[];
  readonly accessTokenSeconds: number;
  readonly refreshTokenSeconds: number;
};
export type DistributionDefinition = z.infer<typeof schema.distribution>['DistributionConfig'];
export type DeploymentDefinition = z.infer<typeof schema.bucketDeployment>;

/** Everything that the local cloud runs, read from the template and resolved. */
export type Model = {
  readonly tables: readonly TableDefinition[];
  readonly queues: readonly QueueDefinition[];
  readonly buses: readonly BusDefinition[];
  readonly rules: readonly RuleDefinition[];
  readonly functions: readonly FunctionDefinition[];
  readonly eventSources: readonly EventSourceDefinition[];
  readonly api: ApiDefinition | undefined;
  readonly distribution: DistributionDefinition | undefined;
  readonly deployments: readonly DeploymentDefinition[];
  readonly originRequestPolicies: ReadonlyMap<
    string,
    z.infer<typeof schema.originRequestPolicy>['OriginRequestPolicyConfig']
  >;
  readonly responseHeadersPolicies: ReadonlyMap<
    string,
    z.infer<typeof schema.responseHeadersPolicy>['ResponseHeadersPolicyConfig']
  >;
  /** Code of CloudFront functions, by ARN. */
  readonly viewerFunctions: ReadonlyMap<string, string>;
  readonly userPools: readonly UserPoolDefinition[];
  readonly loginClients: readonly LoginClient[];
  /** Policies of queues and functions, by ARN. */
  readonly resourcePolicies: readonly { readonly arn: string; readonly statements: readonly PolicyStatement[] }[];
  readonly roles: readonly Role[];
  /** Domain name that a bucket has as an origin, to the bucket's name. */
  readonly bucketDomains: ReadonlyMap<string, string>;
  readonly outputs: Readonly<Record<string, string>>;
};

/** A statement of a role that is left out, so that a test can prove that the statement is needed. */
export type DroppedStatement = {
  /** Logical id of the role. */
  readonly role: string;
  /** Position among all the role's statements, in the order of the template. */
  readonly index: number;
};

export type ModelOptions = {
  readonly assembly: Assembly;
  readonly addresses: Addresses;
  readonly withoutStatement?: DroppedStatement;
};

/** Reads the resources of the template that the local cloud runs, before the values of secrets are known. */
export class TemplateReader {
  readonly resolver: Resolver;
  readonly #options: ModelOptions;
  readonly #resources: readonly (readonly [string, Resource])[];
  readonly #emulated: ReadonlySet<string>;
  /** The resource types that were read. */
  readonly #readTypes = new Set<string>();

  /** @param secretString gives the current value of a secret by its ARN; called while the model is read */
  constructor(options: ModelOptions, secretString: (arn: string) => string) {
    const { assembly, addresses } = options;
    this.#options = options;
    this.resolver = new Resolver({
      pseudoParameters: {
        ...PSEUDO_PARAMETERS,
        'AWS::StackName': assembly.stackName,
        'AWS::StackId': stackId(assembly.stackName),
      },
      secretString,
      identify: (logicalId, resolver) => {
        const resource = assembly.template.Resources[logicalId];
        if (resource === undefined) throw new CloudError(`The template has no resource ${logicalId}`);
        return identify({ logicalId, resource, stackName: assembly.stackName, addresses, resolver });
      },
    });
    this.#resources = Object.entries(assembly.template.Resources);
    this.#emulated = this.#emulatedFunctions();
  }

  /** Secrets come first: other values are made of them. */
  secrets(): SecretDefinition[] {
    return this.#read('AWS::SecretsManager::Secret', schema.secret, (logicalId, properties) => ({
      logicalId,
      arn: this.#ref(logicalId),
      properties,
    }));
  }

  /** @throws CloudError when the template contains an unknown type, property or expression */
  model(): Model {
    this.#refuseConditions();
    const roles = this.#roles();
    const integrations = new Map(
      this.#read('AWS::ApiGatewayV2::Integration', schema.integration, (id, properties) => [id, properties] as const),
    );
    this.#read('AWS::ApiGatewayV2::Stage', schema.stage, () => undefined);
    const apis = this.#read('AWS::ApiGatewayV2::Api', schema.api, (id): ApiDefinition => {
      const routes = this.#read('AWS::ApiGatewayV2::Route', schema.route, (_, route) => route);
      return {
        id: this.#ref(id),
        routes: routes
          .filter(({ ApiId }) => ApiId === this.#ref(id))
          .map((route) => {
            const integration = integrations.get(route.Target.replace('integrations/', ''));
            if (integration === undefined) throw new CloudError(`The route ${route.RouteKey} has no integration`);
            const authorizer = this.#jwtAuthorizer(route);
            const definition = { key: route.RouteKey, functionArn: integration.IntegrationUri };
            return authorizer === undefined ? definition : { ...definition, authorizer };
          }),
      };
    });
    const distributions = this.#read(
      'AWS::CloudFront::Distribution',
      schema.distribution,
      (_, properties) => properties,
    );
    if (apis.length > 1 || distributions.length > 1) {
      throw new CloudError('One machine has one listener for an API and one for a distribution; the template has more');
    }
    const model = {
      tables: this.#read('AWS::DynamoDB::Table', schema.table, (id, properties) => ({
        ...this.#named(id),
        name: this.#ref(id),
        properties,
      })),
      queues: this.#read('AWS::SQS::Queue', schema.queue, (id, properties) => ({
        ...this.#named(id),
        name: this.#attribute(id, 'QueueName'),
        url: this.#ref(id),
        properties,
      })),
      buses: this.#read('AWS::Events::EventBus', schema.eventBus, (id) => ({
        ...this.#named(id),
        name: this.#ref(id),
      })),
      rules: this.#read('AWS::Events::Rule', schema.rule, (id, properties) => ({ ...this.#named(id), properties })),
      functions: this.#functions(roles),
      eventSources: this.#read(
        'AWS::Lambda::EventSourceMapping',
        schema.eventSourceMapping,
        (logicalId, properties) => ({
          logicalId,
          ...properties,
        }),
      ),
      api: apis[0],
      distribution: distributions[0]?.DistributionConfig,
      deployments: this.#read('Custom::CDKBucketDeployment', schema.bucketDeployment, (_, properties) => properties),
      originRequestPolicies: new Map(
        this.#read('AWS::CloudFront::OriginRequestPolicy', schema.originRequestPolicy, (id, properties) => [
          this.#ref(id),
          properties.OriginRequestPolicyConfig,
        ]),
      ),
      responseHeadersPolicies: new Map(
        this.#read('AWS::CloudFront::ResponseHeadersPolicy', schema.responseHeadersPolicy, (id, properties) => [
          this.#ref(id),
          properties.ResponseHeadersPolicyConfig,
        ]),
      ),
      viewerFunctions: new Map(
        this.#read('AWS::CloudFront::Function', schema.viewerFunction, (id, { FunctionCode }) => [
          this.#ref(id),
          FunctionCode,
        ]),
      ),
      userPools: this.#read('AWS::Cognito::UserPool', login.userPool, (id) => ({
        id: this.#ref(id),
        arn: this.#attribute(id, 'Arn'),
      })),
      loginClients: this.#read('AWS::Cognito::UserPoolClient', login.userPoolClient, (id, client) => ({
        id: this.#ref(id),
        callbackUrls: client.CallbackURLs.map((url) => this.#edgeUrl(url)),
        logoutUrls: client.LogoutURLs.map((url) => this.#edgeUrl(url)),
        scopes: client.AllowedOAuthScopes,
        accessTokenSeconds: client.accessTokenSeconds,
        refreshTokenSeconds: client.refreshTokenSeconds,
      })),
      resourcePolicies: this.#resourcePolicies(),
      roles,
      bucketDomains: new Map(
        this.#resources
          .filter(([, { Type }]) => Type === 'AWS::S3::Bucket')
          .map(([id]) => [this.#attribute(id, 'RegionalDomainName'), this.#ref(id)]),
      ),
      outputs: this.#outputs(),
    };
    this.#refuseUnknownTypes();
    return model;
  }

  /** Reads and resolves every resource of a type. Anything that the schema does not name is an error. */
  #read<T extends z.ZodType, R>(type: string, shape: T, make: (logicalId: string, properties: z.infer<T>) => R): R[] {
    this.#readTypes.add(type);
    return this.#resources
      .filter(([id, resource]) => resource.Type === type && !this.#emulated.has(id))
      .map(([id, resource]) => make(id, parse(shape, `${type} ${id}`, this.resolver.resolve(resource.Properties))));
  }

  #jwtAuthorizer(route: z.infer<typeof schema.route>): JwtAuthorizerDefinition | undefined {
    if (route.AuthorizationType === 'NONE') return undefined;
    const [found] = this.#read('AWS::ApiGatewayV2::Authorizer', login.jwtAuthorizer, (id, properties) => ({
      id: this.#ref(id),
      ...properties.JwtConfiguration,
    })).filter(({ id }) => id === route.AuthorizerId);
    if (found === undefined) throw new CloudError(`The route ${route.RouteKey} has no authorizer`);
    return { issuer: found.Issuer, audience: found.Audience, scopes: route.AuthorizationScopes };
  }

  #refuseConditions(): void {
    for (const [id, { Condition }] of [
      ...this.#resources,
      ...Object.entries(this.#options.assembly.template.Outputs),
    ]) {
      if (Condition !== undefined) throw new CloudError(`The local cloud does not know the condition of ${id}`);
    }
  }

  #refuseUnknownTypes(): void {
    for (const [id, { Type }] of this.#resources) {
      if (!this.#readTypes.has(Type) && !schema.NO_LOCAL_EFFECT.has(Type)) {
        throw new CloudError(`The local cloud does not know the resource type ${Type} (${id})`);
      }
    }
  }

  /** Returns the functions of custom resources, with their roles and policies. The local cloud does their work, or it has no effect. */
  #emulatedFunctions(): Set<string> {
    const tokens = this.#resources
      .filter(([, { Type }]) => Type.startsWith('Custom::'))
      .map(([, { Properties }]) => this.resolver.text(Properties.ServiceToken ?? null));
    const emulated = new Set<string>();
    for (const [id, { Type, Properties }] of this.#resources) {
      if (Type !== 'AWS::Lambda::Function' || !tokens.includes(this.#attribute(id, 'Arn'))) continue;
      emulated.add(id);
      const roleArn = this.resolver.text(Properties.Role ?? null);
      for (const [role, resource] of this.#resources) {
        if (resource.Type !== 'AWS::IAM::Role' || this.#attribute(role, 'Arn') !== roleArn) continue;
        emulated.add(role);
        for (const [policy, { Type: type, Properties: properties }] of this.#resources) {
          const roles = type === 'AWS::IAM::Policy' ? this.resolver.resolve(properties.Roles ?? []) : [];
          if (Array.isArray(roles) && roles.includes(this.#ref(role))) emulated.add(policy);
        }
      }
    }
    return emulated;
  }

  #roles(): Role[] {
    const policies = this.#read('AWS::IAM::Policy', schema.policy, (_, properties) => properties);
    const dropped = this.#options.withoutStatement;
    const roles = this.#read('AWS::IAM::Role', schema.role, (logicalId, properties): Role => {
      const name = this.#ref(logicalId);
      const statements = policies
        .filter(({ Roles }) => Roles.includes(name))
        .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
        .map((statement, index): RoleStatement => ({ role: logicalId, index, statement }));
      return {
        logicalId,
        name,
        arn: this.#attribute(logicalId, 'Arn'),
        trust: properties.AssumeRolePolicyDocument.Statement,
        statements: statements.filter(({ index }) => dropped?.role !== logicalId || dropped.index !== index),
      };
    });
    const role = roles.find(({ logicalId }) => logicalId === dropped?.role);
    if (dropped !== undefined && role === undefined) throw new CloudError(`The template has no role ${dropped.role}`);
    return roles;
  }

  #functions(roles: readonly Role[]): FunctionDefinition[] {
    return this.#read('AWS::Lambda::Function', schema.lambdaFunction, (logicalId, properties) => {
      if (!properties.Runtime.startsWith('nodejs')) {
        throw new CloudError(`${logicalId}: the local cloud does not run ${properties.Runtime}`);
      }
      const role = roles.find(({ arn }) => arn === properties.Role);
      if (role === undefined) throw new CloudError(`${logicalId} has a role that is not in the template`);
      const asset = this.#options.assembly.template.Resources[logicalId]?.Metadata['aws:asset:path'];
      if (typeof asset !== 'string')
        throw new CloudError(`${logicalId} has no asset; was it synthesized with asset metadata?`);
      const name = this.#ref(logicalId);
      return {
        ...this.#named(logicalId),
        name,
        role,
        codeFolder: `${this.#options.assembly.directory}/${asset}`,
        logGroup: properties.LoggingConfig.LogGroup,
        properties,
      };
    });
  }

  #resourcePolicies(): { arn: string; statements: readonly PolicyStatement[] }[] {
    const queueArns = new Map(
      this.#resources
        .filter(([, { Type }]) => Type === 'AWS::SQS::Queue')
        .map(([id]) => [this.#ref(id), this.#attribute(id, 'Arn')]),
    );
    const queues = this.#read('AWS::SQS::QueuePolicy', schema.queuePolicy, (_, { PolicyDocument, Queues }) =>
      Queues.map((url) => ({ arn: queueArns.get(url) ?? url, statements: PolicyDocument.Statement })),
    );
    const functionArns = new Map(
      this.#resources
        .filter(([, { Type }]) => Type === 'AWS::Lambda::Function')
        .map(([id]) => [this.#ref(id), this.#attribute(id, 'Arn')]),
    );
    const functions = this.#read('AWS::Lambda::Permission', schema.permission, (_, properties) => {
      const arn = functionArns.get(properties.FunctionName) ?? properties.FunctionName;
      const statement: PolicyStatement = {
        Effect: 'Allow',
        Principal: { Service: properties.Principal },
        Action: [properties.Action],
        Resource: [arn],
        Condition: { ArnLike: { 'aws:SourceArn': [properties.SourceArn] } },
      };
      return { arn, statements: [statement] };
    });
    return [...queues.flat(), ...functions];
  }

  #outputs(): Record<string, string> {
    const { assembly } = this.#options;
    return Object.fromEntries(
      Object.entries(assembly.template.Outputs).map(([name, { Value }]) => [
        name,
        this.#edgeUrl(this.resolver.text(Value)),
      ]),
    );
  }

  /** In AWS, a distribution always uses https. The local distribution has no certificate that a browser trusts. */
  #edgeUrl(text: string): string {
    const { edge } = this.#options.addresses;
    return text.replaceAll(`https://${edge}`, `http://${edge}`);
  }

  #named(logicalId: string): Named {
    return { logicalId, arn: this.#attribute(logicalId, 'Arn') };
  }

  #ref(logicalId: string): string {
    return this.resolver.identity(logicalId).ref;
  }

  #attribute(logicalId: string, attribute: string): string {
    return this.resolver.text({ 'Fn::GetAtt': [logicalId, attribute] });
  }
}

function parse<T extends z.ZodType>(shape: T, where: string, value: Json): z.infer<T> {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  throw new CloudError(`The local cloud does not know this of ${where}: ${path}${issue?.message ?? 'invalid'}`);
}
