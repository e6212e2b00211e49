import { Arn, Duration, Fn, Stack } from 'aws-cdk-lib';
import { HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import * as cognito from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import { DASHBOARD_RESOURCE_SERVER, DASHBOARD_SCOPE_NAME } from '../src/contract/dashboard-operations.ts';
import { acknowledge } from './acknowledged-findings.ts';
import type { VaWaveProps } from './deployment-options.ts';
import type { Stage } from './stage.ts';

/** How long a page stays logged in. It gets a new access token every hour. */
const REFRESH_TOKEN_VALIDITY = Duration.hours(12);
const ACCESS_TOKEN_VALIDITY = Duration.hours(1);

const SCOPE = new cognito.ResourceServerScope({
  scopeName: DASHBOARD_SCOPE_NAME,
  scopeDescription: 'Use the dashboard',
});

export type UserLoginProps = Pick<
  VaWaveProps,
  'userPool' | 'loginUrl' | 'requiredMfa' | 'emailFrom' | 'emailIdentity' | 'identityProviders'
> & {
  readonly stage: Stage;
  /** The pages below this address log in. */
  readonly baseUrl: string;
};

/** The user pool of the dashboard, without self sign-up. It only authenticates: the roles of members are in the configuration table. */
export class UserLogin extends Construct {
  readonly pool: cognito.IUserPool;
  readonly issuer: string;
  /** The scope of the access tokens for the dashboard. */
  readonly scope: string;
  /** Addresses from which the dashboard gets metadata, keys and tokens, as sources of its Content-Security-Policy. */
  readonly connectSources: readonly string[];
  readonly client: cognito.UserPoolClient;
  readonly authorizer: HttpJwtAuthorizer;

  constructor(scope: Construct, id: string, props: UserLoginProps) {
    super(scope, id);
    this.pool = props.userPool ?? this.#newPool(props);
    // Another service may have a resource server in the same pool.
    const suffix = props.userPool === undefined ? '' : `-${props.stage.service}`;
    const identifier = `${DASHBOARD_RESOURCE_SERVER}${suffix}`;
    this.scope = `${identifier}/${DASHBOARD_SCOPE_NAME}`;
    const userPool = this.pool;
    const server = new cognito.UserPoolResourceServer(this, 'Server', { userPool, identifier, scopes: [SCOPE] });
    this.issuer = `https://${userPool.userPoolProviderName}`;
    this.connectSources = [`${this.issuer}/`, props.loginUrl ?? this.#newDomain()];
    this.client = this.#newClient(server, props);
    const jwtAudience = [this.client.userPoolClientId];
    this.authorizer = new HttpJwtAuthorizer('DashboardLogin', this.issuer, { jwtAudience });
  }

  #newPool({ stage, requiredMfa, emailFrom, emailIdentity }: UserLoginProps): cognito.UserPool {
    const pool = new cognito.UserPool(this, 'Pool', {
      selfSignUpEnabled: false,
      signInAliases: { email: true },
      signInCaseSensitive: false,
      autoVerify: { email: true },
      // A new email address is valid for login and for `member add` only after its user has verified it.
      keepOriginal: { email: true },
      accountRecovery: cognito.AccountRecovery.EMAIL_ONLY,
      passwordPolicy: {
        minLength: 12,
        requireLowercase: true,
        requireUppercase: true,
        requireDigits: true,
        requireSymbols: true,
      },
      mfa: requiredMfa === true ? cognito.Mfa.REQUIRED : cognito.Mfa.OPTIONAL,
      mfaSecondFactor: { sms: false, otp: true },
      // The cheapest plan with managed login.
      featurePlan: cognito.FeaturePlan.ESSENTIALS,
      deletionProtection: stage.deletionProtection,
      removalPolicy: stage.dataRemovalPolicy,
    });
    const resource = pool.node.defaultChild;
    if (emailFrom !== undefined && resource instanceof cognito.CfnUserPool) {
      const own = { service: 'ses', resource: 'identity', resourceName: emailFrom };
      // The CDK's own prop needs a region that is known at the synthesis.
      resource.emailConfiguration = {
        emailSendingAccount: 'DEVELOPER',
        from: emailFrom,
        sourceArn: emailIdentity ?? Arn.format(own, Stack.of(this)),
      };
    }
    acknowledge(pool, 'Admins may use an authenticator app; the operator decides whether they must.', 'COG2');
    acknowledge(pool, 'The Plus plan costs per user; an operator can choose it.', 'COG8');
    return pool;
  }

  /** Adds a domain to the pool. @returns its address */
  #newDomain(): string {
    // All accounts of a region share the prefixes, so the last group of the UUID in the stack's id, `arn:…:stack/<name>/<UUID>`, makes this one unique.
    const endOfStackId = Fn.select(4, Fn.split('-', Fn.select(2, Fn.split('/', Stack.of(this).stackId))));
    const domain = new cognito.UserPoolDomain(this, 'Domain', {
      userPool: this.pool,
      cognitoDomain: { domainPrefix: Fn.join('-', ['va-wave', endOfStackId, this.node.addr.slice(-8)]) },
      managedLoginVersion: cognito.ManagedLoginVersion.NEWER_MANAGED_LOGIN,
    });
    return domain.baseUrl();
  }

  #newClient(server: cognito.UserPoolResourceServer, props: UserLoginProps): cognito.UserPoolClient {
    const { baseUrl, identityProviders = [] } = props;
    const client = new cognito.UserPoolClient(this, 'Client', {
      userPool: this.pool,
      generateSecret: false,
      // Users log in with the managed login only. Without this list, Cognito would allow flows whose tokens may change the attributes of
      // the user. Of the flows that can be listed, this is the only one that needs the operator's AWS credentials.
      authFlows: { adminUserPassword: true },
      // Without a list, a client may write every standard attribute, and the email address identifies the user. A provider writes the address
      // through this client at each login; no token of a user may do so.
      writeAttributes: new cognito.ClientAttributes().withStandardAttributes({
        locale: true,
        email: identityProviders.length > 0,
      }),
      // The operator adds a provider to the pool. A deployment without its name here would take it off the client again.
      supportedIdentityProviders: [
        cognito.UserPoolClientIdentityProvider.COGNITO,
        ...identityProviders.map((name) => cognito.UserPoolClientIdentityProvider.custom(name)),
      ],
      oAuth: {
        flows: { authorizationCodeGrant: true },
        scopes: [cognito.OAuthScope.OPENID, cognito.OAuthScope.EMAIL, cognito.OAuthScope.resourceServer(server, SCOPE)],
        callbackUrls: [`${baseUrl}/dashboard/callback`],
        logoutUrls: [`${baseUrl}/dashboard/`],
      },
      accessTokenValidity: ACCESS_TOKEN_VALIDITY,
      idTokenValidity: ACCESS_TOKEN_VALIDITY,
      refreshTokenValidity: REFRESH_TOKEN_VALIDITY,
      refreshTokenRotationGracePeriod: Duration.seconds(30), // For a page that repeats a request whose answer was lost.
      preventUserExistenceErrors: true,
      enableTokenRevocation: true,
    });
    // The managed login of a client is unavailable without a style of its own.
    new cognito.CfnManagedLoginBranding(this, 'Branding', {
      userPoolId: this.pool.userPoolId,
      clientId: client.userPoolClientId,
      useCognitoProvidedValues: true,
    });
    return client;
  }
}
