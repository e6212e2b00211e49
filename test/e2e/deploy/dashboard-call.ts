import type { Service } from '../acceptance/scenario.ts';

/**
 * Returns a function that invokes the dashboard's API with the event that it gets after the authorizer, with the claims of an access token.
 * @param sub the user of the access token
 */
export function dashboardCall({ invoke }: Service, sub: string) {
  return async (method: string, path: string, body?: object) => {
    const [rawPath = '', rawQueryString = ''] = `/api/dashboard${path}`.split('?');
    const reply = await invoke('DashboardApi', {
      version: '2.0',
      routeKey: `${method} /api/dashboard/{proxy+}`,
      rawPath,
      rawQueryString,
      headers: { 'content-type': 'application/json' },
      queryStringParameters: Object.fromEntries(new URLSearchParams(rawQueryString)),
      requestContext: {
        http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '198.51.100.7', userAgent: 'test' },
        requestId: 'request',
        authorizer: { jwt: { claims: { sub }, scopes: ['va-wave-dashboard/use'] } },
      },
      isBase64Encoded: false,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { body: text } = reply as { readonly body: string };
    return JSON.parse(text);
  };
}
