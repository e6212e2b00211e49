import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../../local/cloud/listener.ts';
import { missingProgram, testWhere } from '../../../harness/programs.ts';
import { temporaryFolder } from '../../../harness/temporary-folder.ts';
import { until } from '../../../harness/until.ts';
import { HOST, networkOfFile, post } from './test-network.ts';

// The servers of hosting companies, as Debian has them, with what people configure there.

const network = await networkOfFile();
const outbound = network.outbound();
const folder = temporaryFolder();
const PUBLIC = '/etc/ssl/certs/ca-certificates.crt';
const LONG = 'x'.repeat(3900);

const nginx = (port: number, tls: string, location: string) => `
daemon off; worker_processes 1; pid ${folder}/${port}.pid; error_log ${folder}/error.log;
events { worker_connections 64; }
http {
  access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f;
  uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  default_type text/plain;
  server {
    listen 127.0.0.1:${port} ssl http2; server_name ${HOST};
    ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;
    ${tls}
    location / { ${location} }
  }
}`;
const apache = (port: number, tls: string, location: string) => `
ServerRoot ${folder}
ServerName ${HOST}
Listen 127.0.0.1:${port}
PidFile ${folder}/${port}.pid
ErrorLog ${folder}/apache.log
DocumentRoot ${folder}/www
${[
  'mpm_event',
  'authz_core',
  'authn_core',
  'ssl',
  'socache_shmcb',
  'headers',
  'alias',
  'rewrite',
  'dir',
  'mime',
  'deflate',
  'filter',
  'http2',
  'asis',
  'actions',
]
  .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
  .join('\n')}
TypesConfig /dev/null
Protocols h2 http/1.1
SSLEngine on
SSLCertificateFile ${folder}/cert.pem
SSLCertificateKeyFile ${folder}/key.pem
${tls}
<Location "/">
Require all granted
</Location>
${location}
`;

const SERVERS = {
  nginx: { config: nginx, program: ['nginx', '-p', folder, '-e', `${folder}/error.log`, '-c'] },
  apache: { config: apache, program: ['apache2', '-DFOREGROUND', '-f'] },
} as const;

async function started(server: keyof typeof SERVERS, tls: string, location: string) {
  const port = await freePort();
  mkdirSync(join(folder, 'www'), { recursive: true });
  writeFileSync(join(folder, 'www', 'ok.txt'), 'ok');
  writeFileSync(join(folder, 'cert.pem'), network.identity.cert);
  writeFileSync(join(folder, 'key.pem'), network.identity.key);
  const { config, program } = SERVERS[server];
  const file = join(folder, `${server}-${port}.conf`);
  writeFileSync(file, config(port, tls, location));
  const [name = '', ...words] = program;
  const child = spawn(name, [...words, file], { stdio: 'inherit' });
  await until(() => spawnSync('bash', ['-c', `exec 3<>/dev/tcp/127.0.0.1/${port}`]).status === 0);
  return { port, stop: () => child.kill('SIGTERM') };
}

const CASES: [keyof typeof SERVERS, string, string, string, object][] = [
  ['nginx', 'answers', '', `return 200 'ok';`, { status: 200, error: null }],
  ['nginx', 'has no answer (444)', '', 'return 444;', { status: null, error: { code: 'connection_closed' } }],
  [
    'nginx',
    'refuses the size of the body',
    '',
    `client_max_body_size 1; proxy_pass http://127.0.0.1:9;`,
    { status: 413 },
  ],
  ['nginx', 'has no application behind it', '', `proxy_pass http://127.0.0.1:9;`, { status: 502 }],
  [
    'nginx',
    'sends ten long headers',
    '',
    `${Array.from({ length: 10 }, (_, n) => `add_header X-Long-${n} ${LONG};`).join(' ')} return 200 'ok';`,
    { status: 200 },
  ],
  ['nginx', 'adds a slash', '', `return 301 https://$host$uri/;`, { status: 301 }],
  ['nginx', 'answers in Latin-1', '', `charset iso-8859-1; return 200 "Z\\xfcrich";`, { status: 200 }],
  [
    'nginx',
    'compresses',
    '',
    `gzip on; gzip_min_length 1; gzip_types *; return 200 '${'ok'.repeat(500)}';`,
    { status: 200, text: 'ok'.repeat(500) },
  ],
  [
    'nginx',
    'asks for a client certificate of any public authority',
    `ssl_client_certificate ${PUBLIC}; ssl_verify_client optional;`,
    `return 200 'ok';`,
    { status: 200, text: 'ok' },
  ],
  [
    'nginx',
    'asks in TLS 1.2',
    `ssl_protocols TLSv1.2; ssl_client_certificate ${PUBLIC}; ssl_verify_client optional;`,
    `return 200 'ok';`,
    { status: 200, text: 'ok' },
  ],
  [
    'nginx',
    'requires a client certificate',
    `ssl_client_certificate ${PUBLIC}; ssl_verify_client on;`,
    `return 200 'ok';`,
    { status: 400 },
  ],
  ['nginx', 'ends every connection', 'keepalive_timeout 0;', `return 200 'ok';`, { status: 200, text: 'ok' }],
  [
    'nginx',
    'refuses the handshake',
    'ssl_reject_handshake on;',
    `return 200 'ok';`,
    { status: null, error: { code: 'tls_failure' } },
  ],
  ['apache', 'answers with a file', '', `Alias "/hook" "${folder}/www/ok.txt"`, { status: 200 }],
  [
    'apache',
    'requires a client certificate in TLS 1.3',
    `SSLProtocol TLSv1.3\nSSLVerifyClient require\nSSLCACertificateFile ${PUBLIC}`,
    '',
    { status: null, error: { code: 'tls_failure', message: expect.stringContaining('client certificate') } },
  ],
  [
    'apache',
    'requires a client certificate in TLS 1.2',
    `SSLProtocol TLSv1.2\nSSLVerifyClient require\nSSLCACertificateFile ${PUBLIC}`,
    '',
    { status: null, error: { code: 'tls_failure', message: expect.stringContaining('client certificate') } },
  ],
  [
    'apache',
    'asks for one with all public authorities',
    `SSLVerifyClient optional\nSSLCACertificateFile ${PUBLIC}`,
    `Alias "/hook" "${folder}/www/ok.txt"`,
    { status: 200 },
  ],
  ['apache', 'adds a slash', '', 'RedirectMatch 308 "^/hook$" "/hook/"', { status: 308 }],
  [
    'apache',
    'refuses the method',
    '',
    `RewriteEngine on\nRewriteCond %{REQUEST_METHOD} POST\nRewriteRule ".*" "-" [R=405,L]`,
    { status: 405 },
  ],
];

const TESTS = {
  nginx: testWhere(missingProgram('nginx'), 'nginx'),
  apache: testWhere(missingProgram('apache2'), 'Apache'),
};

for (const [server, what, tls, location, expected] of CASES) {
  TESTS[server](`${server} ${what}`, () => delivers(server, tls, location, expected));
}

async function delivers(server: keyof typeof SERVERS, tls: string, location: string, expected: object): Promise<void> {
  const { port, stop } = await started(server, tls, location);
  try {
    const outcomes = [];
    for (let nth = 0; nth < 3; nth++) outcomes.push(await outbound.makeAttempt(post(port)));
    for (const outcome of outcomes) expect(outcome).toMatchObject(expected);
  } finally {
    stop();
  }
}
