import en from './texts/en.json';

/** The widget's own texts. Names of forms and fields come from the assistant's settings. */
export type Texts = typeof en;

/** SHA-256 in base64url of the index, a file with the hashes of all texts except English. The bundler sets it (lib/bundles.ts). */
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
    const hash = (await load('index', TEXT_INDEX))[name];
    return hash && (await load(name, hash));
  } catch {
    return undefined;
  }
}

/** Returns the most likely locale of a language code as servers write it: pt_BR, de_DE.UTF-8, iw. Undefined for what is no code. */
function localeOf(code: string): Intl.Locale | undefined {
  try {
    const [tag = ''] = /^[a-z]{2,}([_-][a-z\d]+)*/i.exec(code.trim()) ?? [];
    return new Intl.Locale(tag.replace(/_/g, '-')).maximize();
  } catch {
    return undefined;
  }
}

export function isRightToLeft(code: string): boolean {
  return /Arab|Hebr|Thaa|Syrc|Nkoo|Adlm|Rohg/.test(String(localeOf(code)));
}

/** Loads the texts of a language; English if the widget has no texts in that language. @param code of a language */
export async function textsFor(base: string, code: string): Promise<LanguageTexts> {
  const { language: spokenLanguage = '', script } = localeOf(code) ?? {};
  // Cantonese is written as Chinese. Pages write Norwegian as no, nb or nn.
  const family = spokenLanguage === 'yue' ? 'zh' : /^n[on]$/.test(spokenLanguage) ? 'nb' : spokenLanguage;
  const language = family === 'zh' && script === 'Hant' ? 'zh-hant' : family;
  const texts = /^(en)?$/.test(language) ? undefined : await textFile(base, language);
  // A copy, because the caller adds the words of the language before.
  if (!texts) return { language: 'en', texts: { ...en } };
  // Keys of fields are often English, whatever the language of the page.
  return { language, texts: { ...en, ...texts, autofill: `${en.autofill};${texts.autofill}` } };
}
