import type { IncomingMessage } from 'node:http';
import { createContext, Script } from 'node:vm';
import * as z from 'zod';
import { CloudError } from '../cloud-error.ts';

const result = z.object({ uri: z.string() });

/**
 * Runs a CloudFront function on viewer requests, with its code from the template, in a realm without the objects of Node. In the local
 * cloud, the function can only change the path.
 */
export class ViewerFunction {
  readonly #call: (event: object) => unknown;

  /** @throws CloudError when the code defines no handler */
  constructor(name: string, code: string) {
    const realm = createContext({});
    new Script(`${code}\nglobalThis.call = (event) => JSON.stringify(handler(JSON.parse(event)));`).runInContext(realm);
    const call: unknown = realm.call;
    if (typeof call !== 'function') throw new CloudError(`The function ${name} has no handler`);
    this.#call = (event) => JSON.parse(String(call(JSON.stringify(event))));
  }

  /** Returns the path for the origin. @throws when the function does something that is not emulated */
  path(request: IncomingMessage, path: string): string {
    const method = request.method ?? 'GET';
    const viewer = { ip: request.socket.remoteAddress ?? '' };
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, { value: String(value) }]),
    );
    const event = { method, uri: path, querystring: {}, headers, cookies: {} };
    const answer = this.#call({ version: '1.0', context: { eventType: 'viewer-request' }, viewer, request: event });
    return result.parse(answer).uri;
  }
}
