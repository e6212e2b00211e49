import { Duration, Fn, Stack, Validations } from 'aws-cdk-lib';
import { HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import {
  AccountRecovery,
  CfnManagedLoginBranding,
  ClientAttributes,
  FeaturePlan,
  ManagedLoginVersion,
  Mfa,
  OAuthScope,
  ResourceServerScope,
  UserPool,
  UserPoolClientIdentityProvider,
  type UserPoolDomain,
  type UserPoolResourceServer,
} from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import { DASHBOARD_RESOURCE_SERVER, DASHBOARD_SCOPE_NAME } from '../src/contract/dashboard-operations.ts';
import type { Stage } from './stage.ts';

/** A page stays logged in this long without a new login; every hour it gets a new access token. */
const REFRESH_TOKEN_VALIDITY = Duration.hours(12);
const ACCESS_TOKEN_VALIDITY = Duration.hours(1);

const SCOPE = new ResourceServerScope({ scopeName: DASHBOARD_SCOPE_NAME, scopeDescription: 'Use the dashboard' });

export type LoginProps = { readonly stage: Stage; readonly emulated: boolean };

/**
 * Who may log in to the dashboard: a user pool without self sign-up. What somebody may do there is no affair of the pool: roles
 * are kept in the configuration table.
 */
export class Login extends Construct {
  readonly pool: UserPool;
  readonly #domain: UserPoolDomain;
  readonly #server: UserPoolResourceServer;
  readonly #emulated: boolean;

  constructor(scope: Construct, id: string, { stage, emulated }: LoginProps) {
    super(scope, id);
    this.#emulated = emulated;
    this.pool = new UserPool(this, 'Pool', {
      selfSignUpEnabled: false,
      signInAliases: { email: true },
      signInCaseSensitive: false,
      autoVerify: { email: true },
      // A new address counts, as a login and for `member add`, only once its user has proved to receive its mail.
      keepOriginal: { email: true },
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      passwordPolicy: {
        minLength: 12,
        requireLowercase: true,
        requireUppercase: true,
        requireDigits: true,
        requireSymbols: true,
      },
      mfa: Mfa.OPTIONAL,
      mfaSecondFactor: { sms: false, otp: true },
      // The least that has managed login.
      featurePlan: FeaturePlan.ESSENTIALS,
      deletionProtection: stage.deletionProtection,
      removalPolicy: stage.removalPolicy,
    });
    Validations.of(this.pool).acknowledge(
      {
        id: 'AwsSolutions::AwsSolutions-COG2',
        reason: 'Admins may use an authenticator app; whether they must is for the operator to decide.',
      },
      {
        id: 'AwsSolutions::AwsSolutions-COG8',
        reason: 'The Plus plan costs per user; an operator chooses it where it is wanted.',
      },
    );
    this.#server = this.pool.addResourceServer('Api', {
      identifier: DASHBOARD_RESOURCE_SERVER,
      scopes: [SCOPE],
    });
    // Prefixes are shared by all accounts of a region, so a part of the stack's own id makes this one unique.
    const stackUuid = Fn.select(2, Fn.split('/', Stack.of(this).stackId));
    this.#domain = this.pool.addDomain('Domain', {
      cognitoDomain: { domainPrefix: Fn.join('-', ['va-wave', Fn.select(4, Fn.split('-', stackUuid))]) },
      managedLoginVersion: ManagedLoginVersion.NEWER_MANAGED_LOGIN,
    });
  }

  /** Where a browser gets metadata, keys and tokens. */
  get origins(): readonly string[] {
    return [`${this.pool.userPoolProviderUrl}/`, this.#domain.baseUrl()];
  }

  /** The dashboard's public client, for pages below `baseUrl`, and the authorizer that takes its access tokens. */
  addClient(baseUrl: string): { readonly clientId: string; readonly authorizer: HttpJwtAuthorizer } {
    const client = this.pool.addClient('Dashboard', {
      generateSecret: false,
      // The managed login is the only way in for a person. Left out, Cognito would allow flows that hand out tokens which may change
      // the user's attributes; of those that can be named, this one alone needs the operator's AWS credentials.
      authFlows: { adminUserPassword: true },
      // Without a list, a client may write every standard attribute, and the email address says who somebody is.
      writeAttributes: new ClientAttributes().withStandardAttributes({ locale: true }),
      supportedIdentityProviders: [UserPoolClientIdentityProvider.COGNITO],
      oAuth: {
        flows: { authorizationCodeGrant: true },
        scopes: [OAuthScope.OPENID, OAuthScope.EMAIL, OAuthScope.resourceServer(this.#server, SCOPE)],
        callbackUrls: [`${baseUrl}/dashboard/callback`],
        logoutUrls: [`${baseUrl}/dashboard/`],
      },
      accessTokenValidity: ACCESS_TOKEN_VALIDITY,
      idTokenValidity: ACCESS_TOKEN_VALIDITY,
      refreshTokenValidity: REFRESH_TOKEN_VALIDITY,
      refreshTokenRotationGracePeriod: Duration.seconds(30),
      preventUserExistenceErrors: true,
      enableTokenRevocation: true,
    });
    if (!this.#emulated) {
      // Without a style of its own, the managed login of a client is unavailable.
      new CfnManagedLoginBranding(this, 'Branding', {
        userPoolId: this.pool.userPoolId,
        clientId: client.userPoolClientId,
        useCognitoProvidedValues: true,
      });
    }
    const authorizer = new HttpJwtAuthorizer('DashboardLogin', this.pool.userPoolProviderUrl, {
      jwtAudience: [client.userPoolClientId],
    });
    return { clientId: client.userPoolClientId, authorizer };
  }
}
