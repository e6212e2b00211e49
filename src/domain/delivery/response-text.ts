/** What WHATWG's MIME sniffing standard calls binary data: control characters that no text has. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const BINARY = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/;

/**
 * Returns a response body as text in the charset of its content type. JSON and text without a known charset are UTF-8. Returns undefined for
 * what is no text, such as an image or a compressed body.
 */
export function responseText(body: Uint8Array, contentType = ''): string | undefined {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1];
  const [mediaType = ''] = contentType.split(';', 1);
  const isJson = /[/+]json$/i.test(mediaType.trim());
  const text = decoder(isJson ? undefined : charset).decode(body);
  return BINARY.test(text) ? undefined : text;
}

/** Returns the decoder of a charset, or that of UTF-8 for a charset that is not known. */
function decoder(charset = 'utf-8') {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
