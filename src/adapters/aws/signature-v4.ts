import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import type { Credentials } from './access.ts';

/** Adds to the headers of a POST to the path `/` what AWS knows its sender by. @param headers by their names in lower case */
export type SignPost = (
  headers: Readonly<Record<string, string>>,
  body: string,
  credentials: Credentials,
  now: Date,
) => Readonly<Record<string, string>>;

/**
 * AWS's Signature Version 4 for the one shape of request that its JSON services take. Our own, because a delivery is signed for
 * DynamoDB twice: here the key of the day is kept as a KeyObject, without which Node spends five times as long on an HMAC.
 * @param service its name in signatures
 */
export function signatureV4(service: string, region: string): SignPost {
  let ofDay: { readonly name: string; readonly key: KeyObject } | undefined;
  const keyOf = ({ accessKeyId, secretAccessKey }: Credentials, day: string): KeyObject => {
    const name = `${day} ${accessKeyId}`;
    if (ofDay?.name !== name) {
      const derived = [region, service, 'aws4_request'].reduce(hmac, hmac(`AWS4${secretAccessKey}`, day));
      ofDay = { name, key: createSecretKey(derived) };
    }
    return ofDay.key;
  };

  return (headers, body, credentials, now) => {
    const time = now.toISOString().replace(/[:-]|\.\d{3}/g, '');
    const day = time.slice(0, 8);
    const { sessionToken } = credentials;
    const signed: Record<string, string> = {
      ...headers,
      'x-amz-date': time,
      ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
    };
    const names = Object.keys(signed).sort();
    const lines = names.map((name) => `${name}:${signed[name]}`);
    const canonical = ['POST', '/', '', ...lines, '', names.join(';'), hash('sha256', body)].join('\n');
    const scope = `${day}/${region}/${service}/aws4_request`;
    const text = ['AWS4-HMAC-SHA256', time, scope, hash('sha256', canonical)].join('\n');
    const signature = createHmac('sha256', keyOf(credentials, day)).update(text).digest('hex');
    const authorization = `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
    return { ...signed, authorization };
  };
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
