import { CloudError } from '../cloud-error.ts';
import { isList, isObject, type Json } from '../json.ts';

export type Identity = {
  /** What `Ref` gives. */
  readonly ref: string;
  /** What `Fn::GetAtt` gives, by attribute. */
  readonly attributes: Readonly<Record<string, string>>;
};

export type ResolverOptions = {
  /** Values of `AWS::Region` and its like. */
  readonly pseudoParameters: Readonly<Record<string, string>>;
  /** The name, address and attributes of a resource. It may resolve other expressions, because names may be built of other names. */
  identify(logicalId: string): Identity;
  /** The current value of a secret, for `{{resolve:secretsmanager:…}}`. */
  secretString(secretArn: string): string;
  /** `host:port` of the distribution. In AWS it always uses https; the local one has no certificate that a browser trusts. */
  readonly edge: string;
};

/** `{{resolve:secretsmanager:<arn>:SecretString:<key>:<stage>:<version>}}`; an ARN has seven parts of its own. */
const DYNAMIC_REFERENCE = /\{\{resolve:([^:]+):((?:arn(?::[^:}]*){6})|[^:}]+)((?::[^:}]*)*)\}\}/g;

/** Turns a template's expressions into values. Anything it does not know is an error, never a guess. */
export class Resolver {
  readonly #options: ResolverOptions;
  readonly #identities = new Map<string, Identity>();
  readonly #inProgress = new Set<string>();

  constructor(options: ResolverOptions) {
    this.#options = options;
  }

  /** @throws CloudError on an intrinsic, pseudo parameter, resource or attribute that is not known */
  resolve(value: Json): Json {
    if (typeof value === 'string') return this.#dynamicReferences(value);
    if (isList(value)) return value.map((item) => this.resolve(item));
    if (!isObject(value)) return value;
    const [key, ...others] = Object.keys(value);
    if (key !== undefined && others.length === 0 && (key === 'Ref' || key.startsWith('Fn::'))) {
      return this.#intrinsic(key, value[key] ?? null);
    }
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.resolve(member)]));
  }

  /** Resolves an expression that must be text. Numbers count as their text, as in CloudFormation. */
  text(value: Json): string {
    const resolved = this.resolve(value);
    if (typeof resolved === 'string') return resolved;
    if (typeof resolved === 'number' || typeof resolved === 'boolean') return String(resolved);
    throw new CloudError(`${JSON.stringify(value)} is not text`);
  }

  identity(logicalId: string): Identity {
    const known = this.#identities.get(logicalId);
    if (known !== undefined) return known;
    if (this.#inProgress.has(logicalId)) throw new CloudError(`${logicalId} is named after itself`);
    this.#inProgress.add(logicalId);
    const identity = this.#options.identify(logicalId);
    this.#inProgress.delete(logicalId);
    this.#identities.set(logicalId, identity);
    return identity;
  }

  #intrinsic(name: string, argument: Json): Json {
    switch (name) {
      case 'Ref':
        return this.#ref(this.#plainText(name, argument));
      case 'Fn::GetAtt': {
        const [logicalId = '', ...path] = this.#list(name, argument).map((part) => this.text(part));
        return this.#attribute(logicalId, path.join('.'));
      }
      case 'Fn::Join': {
        const [separator, parts] = this.#list(name, argument);
        const texts = this.#list(name, this.resolve(parts ?? null)).map((part) => this.text(part));
        const joined = texts.join(this.text(separator ?? ''));
        const { edge } = this.#options;
        return this.#dynamicReferences(joined.replaceAll(`https://${edge}`, `http://${edge}`));
      }
      case 'Fn::Sub':
        return this.#plainText(name, argument).replaceAll(/\$\{([^}]*)\}/g, (_, reference: string) =>
          this.text({ Ref: reference }),
        );
      case 'Fn::Select': {
        const [index, list] = this.#list(name, argument);
        const item = this.#list(name, this.resolve(list ?? null))[Number(this.text(index ?? ''))];
        if (item === undefined) throw new CloudError(`Fn::Select ${JSON.stringify(argument)} selects nothing`);
        return item;
      }
      case 'Fn::Split': {
        const [separator, text] = this.#list(name, argument);
        return this.text(text ?? null).split(this.text(separator ?? null));
      }
      default:
        throw new CloudError(`The local cloud does not know ${name}`);
    }
  }

  #ref(name: string): Json {
    const pseudo = this.#options.pseudoParameters[name];
    if (pseudo !== undefined) return pseudo;
    if (name.startsWith('AWS::')) throw new CloudError(`The local cloud does not know the pseudo parameter ${name}`);
    return this.identity(name).ref;
  }

  #attribute(logicalId: string, attribute: string): string {
    const value = this.identity(logicalId).attributes[attribute];
    if (value === undefined)
      throw new CloudError(`The local cloud does not know the attribute ${logicalId}.${attribute}`);
    return value;
  }

  #dynamicReferences(text: string): string {
    if (!text.includes('{{resolve:')) return text;
    return text.replaceAll(DYNAMIC_REFERENCE, (all, service: string, id: string, rest: string) => {
      const [, part, key = '', stage = '', version = ''] = rest.split(':');
      if (service !== 'secretsmanager' || part !== 'SecretString' || `${stage}${version}` !== '') {
        throw new CloudError(`The local cloud does not know the dynamic reference ${all}`);
      }
      const secret = this.#options.secretString(id);
      if (key === '') return secret;
      const value: unknown = JSON.parse(secret)[key];
      if (typeof value !== 'string') throw new CloudError(`${all}: the secret has no text called ${key}`);
      return value;
    });
  }

  #list(name: string, value: Json): readonly Json[] {
    if (isList(value)) return value;
    throw new CloudError(`${name} wants a list, not ${JSON.stringify(value)}`);
  }

  #plainText(name: string, value: Json): string {
    if (typeof value === 'string') return value;
    throw new CloudError(`${name} wants text, not ${JSON.stringify(value)}`);
  }
}
