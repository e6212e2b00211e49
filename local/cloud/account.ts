/** Everything has the same account and region: the engines behind the gateway know no other. */
export const ACCOUNT = '000000000000';
export const REGION = 'us-east-1';
