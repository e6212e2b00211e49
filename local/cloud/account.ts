/** The account and region of all resources. The engines behind the gateway support only these. */
export const ACCOUNT = '000000000000';
export const REGION = 'us-east-1';
/** The operator's identity, which may do everything. */
export const OPERATOR_ARN = `arn:aws:iam::${ACCOUNT}:user/operator`;
/** The ARN of a resource of this account and region. @param rest such as `table/<name>` */
export const arnOf = (service: string, rest: string): string => `arn:aws:${service}:${REGION}:${ACCOUNT}:${rest}`;
