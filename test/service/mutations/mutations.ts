/**
 * A change that removes one protection of the service. The slow test makes each change in a copy of the repository and expects a test of the
 * named file to fail. `npm run test:grants` removes the grants.
 */
export type Mutation = {
  readonly file: string;
  /** Occurs once in the file. */
  readonly text: string;
  readonly becomes: string;
  /** The file of the test that must fail. */
  readonly seenBy: string;
};

/** Changes of one file that a test finds, by what they break: the text, which occurs once in the file, and what becomes of it. */
const inFile = (
  file: string,
  seenBy: string,
  changes: Readonly<Record<string, readonly [text: string, becomes: string]>>,
): Readonly<Record<string, Mutation>> =>
  Object.fromEntries(
    Object.entries(changes).map(([name, [text, becomes]]) => [`${file}: ${name}`, { file, text, becomes, seenBy }]),
  );

/** How functions are put together. */
const WIRING: Readonly<Record<string, Mutation>> = {
  ...inFile('lambdas/event-router/handler.ts', 'test/unit/lambdas/queues.test.ts', {
    'a message is hidden in another queue': ["setting('eventsQueue')", "setting('deliveriesQueue')"],
    'messages are read as deliveries': [
      'eventMessage, routeMessage',
      'eventMessage.or(eventMessage), async () => undefined',
    ],
  }),
  ...inFile('lambdas/dispatcher/handler.ts', 'test/unit/lambdas/queues.test.ts', {
    'a retry goes into the queue of events': [
      "const queueUrl = setting('deliveriesQueue');",
      "const queueUrl = setting('eventBus');",
    ],
  }),
  ...inFile('lambdas/form-submit/handler.ts', 'test/unit/lambdas/form-submit.test.ts', {
    'the slug is lost': ["slug = ''", "slugs: slug = ''"],
    'the site of the path is lost': ["site_id: siteId = ''", "site: siteId = ''"],
    'the answer is 201': ['status: 200', 'status: 201'],
    'escalation goes nowhere': [
      'escalate: escalationChannels(snsClient()),',
      "escalate: async () => 'accepted' as const,",
    ],
  }),
  ...inFile('lambdas/widget-init/handler.ts', 'test/unit/lambdas/widget-init.test.ts', {
    'the answer is 201': ['status: 200', 'status: 201'],
    'no event is published': [
      "publish: eventBus(eventBridgeClient(), setting('eventBus')),",
      'publish: async () => undefined,',
    ],
    'the body is not read': ['readBody: request.readBody', 'readBody: () => ({})'],
  }),
  ...inFile('lambdas/preflight/handler.ts', 'test/unit/lambdas/preflight.test.ts', {
    'session create is allowed to pages': ['origin !== undefined && isWidgets', 'origin !== undefined'],
    'forms are forbidden to pages': ["|| rawPath.startsWith('/api/widgets/')", ''],
    'the site of the address is ignored': ['site: query.site', 'site: undefined'],
  }),
  ...inFile('src/functions/identified-widget.ts', 'test/unit/functions/widget-request.test.ts', {
    'a request around the web ACL is accepted': [
      'if (distributionRequired && !viaDistribution)',
      'if (distributionRequired && !viaDistribution && request.sourceIp === "")',
    ],
  }),
  ...inFile('src/functions/identified-widget.ts', 'test/unit/lambdas/widget-init.test.ts', {
    'pages cannot read when to come back': ["answerHeaders['access-control-expose-headers'] = 'Retry-After';", ''],
    'pages cannot read the answer': ["answerHeaders['access-control-allow-origin'] = origin;", ''],
  }),
  ...inFile('src/functions/widget-request.ts', 'test/unit/functions/widget-request.test.ts', {
    'the viewer address is used without the origin secret': ['viewerAddress && viaDistribution ?', 'viewerAddress ?'],
    'the port stays at the address': ["viewerAddress.slice(0, viewerAddress.lastIndexOf(':'))", 'viewerAddress'],
  }),
  ...inFile('src/functions/widget-request.ts', 'test/unit/lambdas/preflight.test.ts', {
    'any name of a header is allowed': ["/^[!#$%&'*+.^_`|~\\w-]{1,64}$/.test(name) && ", ''],
    'a page may ask for any number of headers': ['.slice(0, ADDED_HEADERS_MAX)', ''],
    'the names of headers keep their capitals': ['.toLowerCase()', ''],
    'preflights are not cached': ["'access-control-max-age': '600',", ''],
  }),
};

/** What runs in browsers. */
const BROWSER: Readonly<Record<string, Mutation>> = {
  ...inFile('widget/numbers.ts', 'test/unit/widget/numbers.test.ts', {
    'a minus is lost': ["minus ? '-' : ''", "minus ? '' : ''"],
    'leading zeros are sent': ['if (/^0\\d/.test(whole)) return { problem: texts.zeros };', ''],
    'thousands and decimals are confused': ["separator !== '٫' && ", "separator === '٫' && "],
    'digits of other scripts are mixed up': ['digitsBefore % 10', '(digitsBefore + 1) % 10'],
    'a number without digits is sent': [
      'if (!whole && !decimals) return',
      'if (!whole && !decimals && separator) return',
    ],
    'invisible characters are refused': [".replace(/\\p{Cf}/gu, '')", ''],
  }),
  ...inFile('dashboard/src/screens/copied-values.ts', 'test/unit/dashboard/screens/copied-values.test.ts', {
    'a copied Action is on': ['enabled: false', 'enabled: true'],
    'the name of a copy is too long': ['.slice(0, NAME_MAX_CHARACTERS)', ''],
    'the fields of a copy have keys that endpoints know': ['isKnownToEndpoint: false', 'isKnownToEndpoint: true'],
  }),
  ...inFile('dashboard/src/screens/assistant-form.ts', 'test/unit/dashboard/screens/assistant-form.test.ts', {
    'what is typed and not added is lost': ["...entriesIn(list.at(-1) ?? '')", ''],
    'semicolons separate no entries': ['/[\\s,;]+/', '/[\\s,]+/'],
    'a limit is any number of a program': ['/^\\d+$/.test(typed) ? Number(typed) : Number.NaN', 'Number(typed)'],
    'a repair leaves no room for what is typed': [
      'allowed_domains: withTyped(allowed_domains)',
      'allowed_domains: [...allowed_domains]',
    ],
  }),
  ...inFile('dashboard/src/parts/comparable-text.ts', 'test/unit/dashboard/parts/comparable-text.test.ts', {
    'a search minds accents': ['\\p{M}', ''],
    'a search minds capitals': ['.toLowerCase()', ''],
    'a search minds the form of a letter': ["'NFKD'", "'NFD'"],
  }),
  ...inFile('dashboard/src/parts/form.ts', 'test/unit/dashboard/parts/form.test.ts', {
    'a removed setting is left out of the change': ['value ?? null', 'value'],
    'a blank optional setting is sent': ['if (isOptional && ', 'if (!isOptional && '],
    'white space around entries is kept': [
      "if (typeof value === 'string') return value.trim();",
      "if (typeof value === 'string') return value;",
    ],
    'a conflict shows the ids of a secret': ["if ('last_six' in value)", "if ('last_sixth' in value)"],
    'a draft of an earlier version replaces a list by a text': [
      "Array.isArray(value) ? 'list' : typeof value",
      "'value'",
    ],
  }),
  ...inFile('dashboard/src/session/session.ts', 'test/unit/dashboard/session/session.test.ts', {
    'the reason of a refused login is not told': ['error.error_description ?? error.error', 'error.error'],
  }),
  ...inFile('dashboard/src/session/problems.ts', 'test/unit/dashboard/session/problems.test.ts', {
    'the row of a wrong field is lost': ['const [row, part] = rest;', 'const [part, row] = rest;'],
    'a forbidden request may be tried again': ['error.status === 403 || ', ''],
    'the body of a creation hides its fields': ["path.replace(/^(assistant|action)\\./, '')", 'path'],
  }),
  ...inFile('dashboard/src/navigation.ts', 'test/unit/dashboard/navigation.test.ts', {
    'the audit trail is an assistant': [" || part === 'audit'", ''],
    'the Deploy tab opens another one': ["tab === 'deploy' || ", ''],
  }),
  ...inFile('dashboard/src/screens/changed-setting.ts', 'test/unit/dashboard/screens/changed-setting.test.ts', {
    'an erased value looks changed': ['if (before === ERASED)', "if (before === '')"],
  }),
};

/** The rules of the contract. */
const RULES: Readonly<Record<string, Mutation>> = {
  ...inFile('src/domain/auth/authenticate-widget.ts', 'test/unit/domain/auth/authenticate-widget.test.ts', {
    'a disabled assistant answers': ['!assistant.enabled || assistant.suspended', 'assistant.suspended'],
    'a suspended assistant answers': ['!assistant.enabled || assistant.suspended', '!assistant.enabled'],
    'Session Signed admits a site ID': [
      "if (assistant.authentication_mode === 'Session Signed') throw",
      "if (assistant.name === '') throw",
    ],
    'an empty list allows every page': ['if (entries.length === 0) throw', 'if (entries.length < 0) throw'],
    'the IP allowlist is ignored': ['if (!ipAllowed(', 'if (!assistant.enabled && !ipAllowed('],
  }),
  ...inFile('src/domain/auth/create-session.ts', 'test/unit/domain/auth/create-session.test.ts', {
    'a disabled assistant gets tokens': ['!assistant?.enabled || ', '!assistant || '],
    'a refused request uses up the hourly limit': ['if (!perHour.isAllowed)', 'if (perHour.isAllowed)'],
    'a lifetime has no maximum': [', TTL_MINUTES_MAX)', ', Infinity)'],
  }),
  ...inFile('src/domain/actions/submit-form.ts', 'test/unit/domain/actions/submit-form.test.ts', {
    'a token of another site submits': ["if (assistant.site_id !== siteId) throw new Refusal('site_mismatch');", ''],
    'a disabled form accepts': ['if (!form?.enabled)', 'if (!form)'],
    'a Required field may be empty': ['|| isEmpty(values[field.key])', ''],
    'a conversation of others is used': ['if (!belongsTo(', 'if (conversation === undefined && !belongsTo('],
  }),
  ...inFile('src/domain/delivery/outcome.ts', 'test/unit/domain/delivery/deliver-event.test.ts', {
    'a 429 is not retried': ['status === 429 || ', ''],
    'a 400 is retried': ['(status ?? 0) >= 500', '(status ?? 0) >= 400'],
  }),
  ...inFile('src/domain/delivery/signature.ts', 'test/unit/domain/delivery/signing.test.ts', {
    'the body is not signed': [".update(body ?? '')", ''],
  }),
};

/** Code that accepts every origin secret. */
const TRUSTED: Readonly<Record<string, Mutation>> = Object.fromEntries(
  ['lambdas/session-create/handler.ts', 'src/functions/identified-widget.ts'].map((file) => [
    `${file} accepts every origin secret`,
    {
      file,
      text: 'await isFromDistribution(request, isOriginSecret)',
      becomes: 'true',
      seenBy: 'test/unit/functions/widget-request.test.ts',
    },
  ]),
);
const SECRETS = 'test/unit/domain/auth/server-secret.test.ts';

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  ...WIRING,
  ...BROWSER,
  ...RULES,
  'the queues have no RedrivePolicy': {
    file: 'lib/messaging.ts',
    text: 'deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: props.maxReceives },',
    becomes: '',
    seenBy: 'test/service/lib/stack.test.ts',
  },
  'the rule has no dead-letter queue': {
    file: 'lib/messaging.ts',
    text: 'deadLetterQueue: this.events.queue,',
    becomes: '',
    seenBy: 'test/service/lib/stack.test.ts',
  },
  'the distribution sends no origin secret': {
    file: 'lib/edge-distribution.ts',
    text: 'customHeaders: { [ORIGIN_SECRET_HEADER]: originSecret.unsafeUnwrap() },',
    becomes: '',
    seenBy: 'test/service/lib/stack.test.ts',
  },
  'the form route may do everything with escalation topics': {
    file: 'lib/widget-routes.ts',
    text: "actions: ['sns:Publish']",
    becomes: "actions: ['sns:*']",
    seenBy: 'test/service/lib/stack.test.ts',
  },
  'the alarm on errors needs fifty errors': {
    file: 'lib/alarms.ts',
    text: 'LASTING_ERRORS = { threshold: 5,',
    becomes: 'LASTING_ERRORS = { threshold: 50,',
    seenBy: 'test/service/operations/alarms.test.ts',
  },
  'the option of the log retention has no effect': {
    file: 'lib/va-wave.ts',
    text: 'retention: props.logRetentionDays ?? defaults.logs.retention',
    becomes: 'retention: defaults.logs.retention',
    seenBy: 'test/service/lib/options.test.ts',
  },
  'the distribution has no web ACL': {
    file: 'lib/edge-distribution.ts',
    text: 'webAclId: webAclArn,',
    becomes: '',
    seenBy: 'test/service/lib/options.test.ts',
  },
  'the dispatcher may run longer than a message is hidden': {
    file: 'lib/delivery-functions.ts',
    text: 'DISPATCHER_TIMEOUT = Duration.seconds(15)',
    becomes: 'DISPATCHER_TIMEOUT = Duration.seconds(40)',
    seenBy: 'test/service/lib/stack.test.ts',
  },
  ...TRUSTED,
  'the server secret is compared without sameDigest': {
    file: 'src/domain/auth/server-secret.ts',
    text: "sameDigest(Buffer.from(stored.sha256, 'hex'), createHash('sha256').update(secret).digest())",
    becomes: "stored.sha256 === createHash('sha256').update(secret).digest('hex')",
    seenBy: SECRETS,
  },
  'the origin secret is compared without sameDigest': {
    file: 'src/adapters/secrets/secret-store.ts',
    text: 'sameDigest(digest, presented)',
    becomes: 'digest.equals(presented)',
    seenBy: SECRETS,
  },
  'a receiver compares a signature byte by byte': {
    file: 'packages/receiver/src/verification.ts',
    text: 'receivedDigest.length === expected.length && timingSafeEqual(receivedDigest, expected)',
    becomes: 'received.equals(expected)',
    seenBy: SECRETS,
  },
  'the comparison stops at the first difference': {
    file: 'src/domain/auth/server-secret.ts',
    text: 'expected.length === provided.length && timingSafeEqual(expected, provided)',
    becomes: 'Buffer.compare(expected, provided) === 0',
    seenBy: SECRETS,
  },
};
