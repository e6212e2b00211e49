import * as z from 'zod';

/** The login's resources. A property without an effect in the local cloud is `noEffect`. */
const noEffect = z.unknown().optional();
const text = z.string();
const count = z.coerce.number().int();
const seconds = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const;
const unit = z.enum(['seconds', 'minutes', 'hours', 'days']);

export const userPool = z.strictObject({
  UserPoolName: noEffect,
  // Passwords, invitations and recovery are Cognito's own affairs; this machine's users have a password and nothing else.
  AccountRecoverySetting: noEffect,
  AdminCreateUserConfig: z.strictObject({
    AllowAdminCreateUserOnly: z.literal(true),
    InviteMessageTemplate: noEffect,
  }),
  AutoVerifiedAttributes: noEffect,
  DeletionProtection: noEffect,
  EmailVerificationMessage: noEffect,
  EmailVerificationSubject: noEffect,
  EnabledMfas: noEffect,
  MfaConfiguration: z.enum(['OFF', 'OPTIONAL']).optional(),
  Policies: noEffect,
  Schema: noEffect,
  SmsVerificationMessage: noEffect,
  // Users cannot change an email address in the local cloud.
  UserAttributeUpdateSettings: noEffect,
  UserPoolTags: noEffect,
  UserPoolTier: noEffect,
  UserPoolAddOns: noEffect,
  UsernameAttributes: z.tuple([z.literal('email')]),
  UsernameConfiguration: z.strictObject({ CaseSensitive: z.literal(false) }),
  VerificationMessageTemplate: noEffect,
});

export const userPoolClient = z
  .strictObject({
    ClientName: noEffect,
    UserPoolId: text,
    AllowedOAuthFlows: z.tuple([z.literal('code')]),
    AllowedOAuthFlowsUserPoolClient: z.literal(true),
    AllowedOAuthScopes: z.array(text),
    CallbackURLs: z.array(text),
    LogoutURLs: z.array(text),
    // A public client: who can read a page can read its secret.
    GenerateSecret: z.literal(false),
    ExplicitAuthFlows: noEffect,
    SupportedIdentityProviders: z.tuple([z.literal('COGNITO')]),
    PreventUserExistenceErrors: noEffect,
    EnableTokenRevocation: noEffect,
    RefreshTokenRotation: noEffect,
    WriteAttributes: noEffect,
    AccessTokenValidity: count,
    IdTokenValidity: noEffect,
    RefreshTokenValidity: count,
    TokenValidityUnits: z.strictObject({ AccessToken: unit, IdToken: unit.optional(), RefreshToken: unit }),
  })
  .transform(({ TokenValidityUnits: units, ...client }) => ({
    ...client,
    accessTokenSeconds: client.AccessTokenValidity * seconds[units.AccessToken],
    refreshTokenSeconds: client.RefreshTokenValidity * seconds[units.RefreshToken],
  }));

export const jwtAuthorizer = z.strictObject({
  ApiId: text,
  AuthorizerType: z.literal('JWT'),
  IdentitySource: z.tuple([z.literal('$request.header.Authorization')]),
  JwtConfiguration: z.strictObject({ Audience: z.array(text), Issuer: text }),
  Name: noEffect,
});
