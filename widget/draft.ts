import type { FieldView } from './field.ts';
import { perTab } from './storage.ts';

/**
 * What the visitor typed, kept over the reload that an expired session asks for; forgotten once it was restored. It belongs to
 * the conversation, so that whoever logs in next in this tab does not find it.
 */
export function draft(conversationId: string, slug: string) {
  const key = `draft:${conversationId}:${slug}`;
  return {
    save: (fields: readonly FieldView[]) => {
      perTab.set(key, JSON.stringify(Object.fromEntries(fields.map((view) => [view.field.key, view.text()]))));
    },
    restore: (fields: readonly FieldView[]) => {
      const saved = parse(perTab.get(key));
      perTab.set(key, null);
      for (const view of fields) {
        const text = saved.get(view.field.key);
        if (typeof text === 'string') view.fill(text);
      }
    },
  };
}

function parse(text: string | null): Map<string, unknown> {
  try {
    return new Map(Object.entries(JSON.parse(text ?? '{}')));
  } catch {
    return new Map();
  }
}
