import en from './texts/en.json';
import type { VaWaveTexts } from './va-wave.d.ts';

/** The widget's own texts. Names of forms and fields come from the assistant's settings. */
export type Texts = typeof en;

/** SHA-256 in base64url of each file of texts except English. The bundler sets it. */
declare const TEXT_FILES: Readonly<Record<string, string>>;

/** The widget shows English when the texts take longer than this. */
const TIMEOUT_MS = 3000;

export type LanguageTexts = { readonly language: string; readonly texts: Texts };

/**
 * Loads a file of `texts/`. Resolves to undefined when the file does not exist or does not load. The file's name contains its hash,
 * and the browser checks it, so a pinned loader has pinned texts.
 */
export async function textFile(base: string, name: string): Promise<Readonly<Record<string, string>> | undefined> {
  try {
    const hash = new Map(Object.entries(TEXT_FILES)).get(name);
    if (!hash) return undefined;
    const response = await fetch(`${base}/static/va-wave-texts.${name}.${hash}.json`, {
      credentials: 'omit',
      integrity: `sha256-${hash.replace(/-/g, '+').replace(/_/g, '/')}=`,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return await response.json();
  } catch {
    return undefined;
  }
}

/** Loads the texts of a language; English if the widget has no texts in that language. @param wanted a BCP 47 tag */
export async function textsFor(base: string, wanted: string): Promise<LanguageTexts> {
  const tag = wanted.toLowerCase();
  const language = /^zh\b.*-(hant|tw|hk|mo)\b/.test(tag) ? 'zh-hant' : (tag.split('-')[0] ?? '');
  const texts = await textFile(base, language);
  return texts ? { language, texts: { ...en, ...texts } } : { language: 'en', texts: en };
}

/** Returns the texts with the page's own texts in their place. Ignores unknown names and values that are not texts. */
export function replaced(languageTexts: LanguageTexts, own: VaWaveTexts): LanguageTexts {
  const texts = { ...languageTexts.texts };
  for (const [name, text] of Object.entries(own)) {
    if (isName(name) && typeof text === 'string') texts[name] = text;
  }
  return { language: own.language ?? languageTexts.language, texts };
}

function isName(name: string): name is keyof Texts {
  return Object.hasOwn(en, name);
}
