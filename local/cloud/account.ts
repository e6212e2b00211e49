/** The account and region of all resources. The engines behind the gateway support only these. */
export const ACCOUNT = '000000000000';
export const REGION = 'us-east-1';
