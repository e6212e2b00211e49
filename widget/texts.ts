import en from './texts/en.json';
import type { VaWaveTexts } from './va-wave.d.ts';

/** Everything the widget says by itself. Names of forms and fields come from the assistant's settings. */
export type Texts = typeof en;

/** SHA-256 in base64url of each file of texts but English; set when the widget is bundled. */
declare const TEXT_FILES: Readonly<Record<string, string>>;

/** Texts that take longer than this are not waited for: English is there at once. */
const PATIENCE_MS = 3000;

export type Speech = { readonly language: string; readonly texts: Texts };

/**
 * Texts of a file in `texts/`; none when there is no such file, or it does not come. Its name holds its hash, and the browser
 * checks it, so a pinned loader has pinned texts.
 */
export async function textFile(base: string, name: string): Promise<Readonly<Record<string, string>> | undefined> {
  try {
    const hash = new Map(Object.entries(TEXT_FILES)).get(name);
    if (!hash) return undefined;
    const response = await fetch(`${base}/static/va-wave-texts.${name}.${hash}.json`, {
      credentials: 'omit',
      integrity: `sha256-${hash.replace(/-/g, '+').replace(/_/g, '/')}=`,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return await response.json();
  } catch {
    return undefined;
  }
}

/** The texts of the language if we speak it, else English. @param wanted a BCP 47 tag */
export async function textsFor(base: string, wanted: string): Promise<Speech> {
  const tag = wanted.toLowerCase();
  const language = /^zh\b.*-(hant|tw|hk|mo)\b/.test(tag) ? 'zh-hant' : (tag.split('-')[0] ?? '');
  const texts = await textFile(base, language);
  return texts ? { language, texts: { ...en, ...texts } } : { language: 'en', texts: en };
}

/** What the page says instead; anything that is no text of ours is left out. */
export function replaced(speech: Speech, own: VaWaveTexts): Speech {
  const texts = { ...speech.texts };
  for (const [name, text] of Object.entries(own)) {
    if (isName(name) && typeof text === 'string') texts[name] = text;
  }
  return { language: own.language ?? speech.language, texts };
}

function isName(name: string): name is keyof Texts {
  return Object.hasOwn(en, name);
}
