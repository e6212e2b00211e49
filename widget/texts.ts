import en from './texts/en.json';
import type { VaWaveTexts } from './va-wave.d.ts';

/** The widget's own texts. Names of forms and fields come from the assistant's settings. */
export type Texts = typeof en;

/** SHA-256 in base64url of the index, which has that of each file of texts except English. The bundler sets it. */
declare const TEXT_INDEX: string;

/** The widget shows English when the texts take longer than this. */
const TIMEOUT_MS = 3000;

export type LanguageTexts = { readonly language: string; readonly texts: Texts };

/**
 * Loads a file of `texts/` by the index. Resolves to undefined when the file does not exist or does not load. The names of index and file
 * contain their hashes, and the browser checks them, so a pinned loader has pinned texts.
 */
export async function textFile(base: string, name: string): Promise<Readonly<Record<string, string>> | undefined> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const load = async (file: string, hash: string) => {
      const response = await fetch(`${base}/static/va-wave-texts.${file}.${hash}.json`, {
        credentials: 'omit',
        integrity: `sha256-${hash.replace(/-/g, '+').replace(/_/g, '/')}=`,
        signal,
      });
      return response.json();
    };
    const hash = new Map(Object.entries(await load('index', TEXT_INDEX))).get(name);
    return hash && (await load(name, String(hash)));
  } catch {
    return undefined;
  }
}

/** Loads the texts of a language; English if the widget has no texts in that language. @param wanted a BCP 47 tag */
export async function textsFor(base: string, wanted: string): Promise<LanguageTexts> {
  const tag = wanted.toLowerCase();
  const [primary = ''] = tag.split('-');
  // Pages write Norwegian as no, nb or nn.
  const language = /^zh\b.*-(hant|tw|hk|mo)\b/.test(tag) ? 'zh-hant' : /^n[on]$/.test(primary) ? 'nb' : primary;
  const texts = /^(en)?$/.test(language) ? undefined : await textFile(base, language);
  if (!texts) return { language: 'en', texts: en };
  // Keys of fields are often English, whatever the language of the page.
  return { language, texts: { ...en, ...texts, autofill: `${en.autofill};${texts.autofill}` } };
}

/** Returns the texts with the page's own texts in their place. Ignores values that are not texts. */
export function replaced({ language, texts }: LanguageTexts, own: VaWaveTexts): LanguageTexts {
  const given = Object.entries(own).filter(([, text]) => typeof text === 'string');
  return { language: own.language ?? language, texts: { ...texts, ...Object.fromEntries(given) } };
}
