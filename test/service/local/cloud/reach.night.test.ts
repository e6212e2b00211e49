import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { REGION } from '../../../../local/cloud/account.ts';
import { type DynamoProcess, startDynoxide } from '../../../../local/cloud/engines/dynoxide.ts';
import { type LocalCloud, startLocalCloud } from '../../../../local/local-cloud.ts';
import { launchBrowser } from '../../../browser/widget/browser.ts';
import { describeWhere, missingProgram } from '../../../harness/programs.ts';
import { startServer, type TestServer } from '../../../harness/server.ts';
import { temporaryFolder } from '../../../harness/temporary-folder.ts';
import { serviceAssembly } from '../../acceptance/assembly.ts';

// Who else on the machine reaches the tables. Each probe first finds an engine whose address it is told.

const LIST_TABLES = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-target': 'DynamoDB_20120810.ListTables',
  'x-amz-date': '20200101T000000Z',
  authorization: `AWS4-HMAC-SHA256 Credential=any/20200101/${REGION}/dynamodb/aws4_request, SignedHeaders=host, Signature=0`,
};
const NOBODY = 65534;

const isLinux = process.platform === 'linux';
const folder = temporaryFolder();
let cloud: LocalCloud;
let open: DynamoProcess;
/** What other suites of this process have left open. */
let foreign: readonly string[] = [];

beforeAll(async () => {
  foreign = isLinux ? listeners() : [];
  cloud = await startLocalCloud({ data: join(folder, 'cloud'), assembly: await serviceAssembly() });
  open = await startDynoxide(join(folder, 'open.db'), () => {}, 'shared');
});

afterAll(async () => {
  await open.stop();
  await cloud.stop();
});

test('an engine ends that is stopped while it hands connections over', async () => {
  for (let waitedFor = 0; waitedFor < 20; waitedFor++) {
    const engine = await startDynoxide(join(folder, 'ended.db'), () => {}, 'own');
    const { connect } = engine;
    if (connect === undefined) return;
    let arrived = 0;
    await new Promise<void>((resolve) => {
      for (let count = 0; count < 64; count++) {
        connect({}, (...[, socket]) => {
          socket?.destroy();
          if (arrived++ === waitedFor) setImmediate(resolve);
        });
      }
    });
    await engine.stop();
  }
}, 60_000);

/** This process and all that it has started. */
function ownProcesses(): readonly number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), Number(textOf(`/proc/${name}/stat`).split(') ')[1]?.split(' ')[1])] as const);
  const own = [process.pid];
  for (const pid of own) own.push(...parents.filter(([, parent]) => parent === pid).map(([child]) => child));
  return own;
}

/** The addresses at which this process and its children listen, as every user of the machine can look them up. */
function listeners(): readonly string[] {
  const sockets = new Set(
    ownProcesses().flatMap((pid) => readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`))),
  );
  return textOf('/proc/net/tcp')
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === '0A' && sockets.has(`socket:[${inode}]`))
    .map(([, local = '']) => {
      const [address = '', port = ''] = local.split(':');
      return `${Buffer.from(address, 'hex').reverse().join('.')}:${Number.parseInt(port, 16)}`;
    });
}

const textOf = (path: string) => unlessEnded(() => readFileSync(path, 'utf8'));
const linkOf = (path: string) => unlessEnded(() => readlinkSync(path));

/** Returns what a process says of itself, or nothing when it has ended. */
function unlessEnded(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

const addressOf = ({ origin }: DynamoProcess) => new URL(origin).host;

describeWhere(isLinux ? undefined : 'only Linux tells who listens', 'a website that gives its name our address', () => {
  /** The status of a request to this address in the name of the website. */
  const statusOf = (address: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const [hostname, port] = address.split(':');
      request({ hostname, port, headers: { host: `evil.example:${port}` } }, (got) => resolve(got.resume().statusCode))
        .on('error', reject)
        .end();
    });

  test('is refused by every listener of the service', async () => {
    const found = listeners().filter((one) => one.startsWith('127.0.0.1:') && !foreign.includes(one));
    expect(found.length).toBeGreaterThan(3);
    for (const address of found) expect([address, await statusOf(address)]).toEqual([address, 421]);
  });
});

describeWhere(isLinux ? undefined : 'only Linux tells who listens', 'a page of another origin', () => {
  let browser: Browser;
  let page: Page;
  let site: TestServer;

  beforeAll(async () => {
    site = await startServer((_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html>'));
    browser = await launchBrowser();
    page = await browser.newPage();
    await page.goto(site.origin);
  });

  afterAll(async () => {
    await browser.close();
    site.stop();
  });

  /** What the page can read of the answer. */
  const reads = (address: string): Promise<string> =>
    page.evaluate(
      ([url, headers]) =>
        fetch(url, { method: 'POST', headers, body: '{}', signal: AbortSignal.timeout(10_000) })
          .then((response) => response.text())
          .catch(() => 'nothing'),
      [`http://${address}/`, LIST_TABLES] as const,
    );

  test('reads an engine at an address that it knows, but does not find one by its port alone', async () => {
    expect(await reads(addressOf(open))).toContain('TableNames');
    expect(await reads(`127.0.0.1:${new URL(open.origin).port}`)).toBe('nothing');
  });

  test('reads no table through any listener of the service at 127.0.0.1', async () => {
    const found = listeners().filter((address) => address.startsWith('127.0.0.1:'));
    expect(found).toEqual(expect.arrayContaining([new URL(cloud.gatewayUrl).host, new URL(cloud.baseUrl).host]));
    for (const address of found)
      expect([address, await reads(address)]).not.toEqual([address, expect.stringContaining('TableNames')]);
  });
});

const permitsNetwork = () =>
  spawnSync('unshare', ['--net', '--map-root-user', 'ip', 'link', 'set', 'lo', 'up']).status === 0;
const missing = !isLinux
  ? 'only Linux has network namespaces'
  : process.getuid?.() !== 0
    ? 'only root can act as another user'
    : (missingProgram('unshare, nsenter or ip') ??
      (permitsNetwork() ? undefined : 'this system permits no network namespace'));

describeWhere(missing, 'another user of the machine', () => {
  /** Not with spawnSync: this process answers for the listeners. */
  const as = promisify(execFile);
  const nobody = { uid: NOBODY, gid: NOBODY, cwd: '/' };

  async function reads(address: string): Promise<string> {
    const [host = '', port = ''] = address.split(':');
    const headers = { ...LIST_TABLES, host: address, 'content-length': '2', connection: 'close' };
    const lines = ['POST / HTTP/1.1', ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', '{}'];
    const script = `exec 3<>/dev/tcp/${host}/${port} && printf '%s' "$0" >&3 && timeout 5 cat <&3`;
    return (await as('bash', ['-c', script, lines.join('\r\n')], nobody)).stdout;
  }

  test('reads an engine that listens in the shared network, and no table through any other listener', async () => {
    expect(listeners()).toContain(addressOf(open));
    expect(await reads(addressOf(open))).toContain('TableNames');
    const found = listeners().filter((address) => address !== addressOf(open));
    expect(found).toEqual(expect.arrayContaining([new URL(cloud.gatewayUrl).host, new URL(cloud.baseUrl).host]));
    for (const address of found) {
      const answer = await reads(address);
      expect([address, answer]).toEqual([address, expect.stringMatching(/^HTTP\/1.1 \d/)]);
      expect(answer).not.toContain('TableNames');
    }
  });

  test('cannot enter the network of the engine', async () => {
    const shared = linkOf('/proc/self/ns/net');
    const hosts = ownProcesses().filter((pid) => !['', shared].includes(linkOf(`/proc/${pid}/ns/net`)));
    expect(hosts.length).toBeGreaterThan(0);
    for (const pid of hosts) {
      const enter = ['--target', String(pid), '--user', '--preserve-credentials', '--net', 'cat', '/proc/net/tcp'];
      expect((await as('nsenter', enter)).stdout).toContain(':1F40');
      await expect(as('nsenter', enter, nobody)).rejects.toThrow(/Operation not permitted|Permission denied/);
    }
  });

  test('is told of at the start only when the tables are open to it', () => {
    expect(cloud.messages.join('\n')).not.toContain('other users');
    expect(open.openTo).toBe('other users of this machine');
  });
});
