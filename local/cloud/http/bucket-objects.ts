import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { CloudError } from '../cloud-error.ts';
import { overHttp, type Stack } from '../template/stack.ts';

export type StoredObject = { readonly body: Buffer; readonly headers: Readonly<Record<string, string>> };

/** As the upload of a BucketDeployment guesses them from the names of files. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
};

/**
 * Returns the objects that the stack's bucket deployments upload, by bucket and key.
 * @throws CloudError on unknown assets
 */
export function readBucketObjects(stack: Stack): Map<string, Map<string, StoredObject>> {
  const buckets = new Map<string, Map<string, StoredObject>>();
  for (const { properties: deployment } of stack.all('Custom::CDKBucketDeployment')) {
    const bucket = buckets.get(deployment.DestinationBucketName) ?? new Map<string, StoredObject>();
    buckets.set(deployment.DestinationBucketName, bucket);
    for (const [index, key] of deployment.SourceObjectKeys.entries()) {
      const folder = stack.assetPath(key);
      if (!statSync(folder).isDirectory())
        throw new CloudError(`${folder} is an archive. The local cloud serves only folders`);
      for (const file of filesBelow(folder)) {
        const inJson = deployment.SourceMarkersConfig[index]?.jsonEscape === true;
        const body = fillMarkers(readFileSync(join(folder, file)), deployment.SourceMarkers[index] ?? {}, inJson);
        const name = [deployment.DestinationBucketKeyPrefix, file].filter((part) => part !== '').join('/');
        const etag = `"${createHash('md5').update(body).digest('hex')}"`;
        bucket.set(name, {
          body,
          headers: {
            'content-type': TYPES[extname(file)] ?? 'binary/octet-stream',
            etag,
            ...deployment.SystemMetadata,
          },
        });
      }
    }
  }
  return buckets;
}

/** Replaces the markers in an asset by values that are known only at deploy time. In JSON, the values are escaped. */
function fillMarkers(body: Buffer, markers: Readonly<Record<string, string>>, inJson: boolean): Buffer {
  if (Object.keys(markers).length === 0) return body;
  let text = body.toString('utf8');
  for (const [marker, value] of Object.entries(markers)) {
    text = text.replaceAll(marker, () => (inJson ? JSON.stringify(value).slice(1, -1) : value));
  }
  return Buffer.from(overHttp(text));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
