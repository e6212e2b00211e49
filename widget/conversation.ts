import { element } from './dom.ts';
import type { Session } from './session.ts';
import type { VaWaveConversationContext, VaWaveConversationView } from './va-wave.d.ts';

export type Surroundings = Pick<VaWaveConversationContext, 'language' | 'direction' | 'theme'>;

export type ConversationPlace = {
  readonly node: HTMLElement;
  /** Hands the place to the view, once; false when the view failed. */
  readonly mount: () => boolean;
  readonly unmount: () => void;
};

/** The room in the panel for a conversation view of the page or the platform. */
export function conversationPlace(
  view: VaWaveConversationView,
  session: Session,
  surroundings: Surroundings,
): ConversationPlace {
  const node = element('div', { class: 'view' });
  let mounted = false;
  let unmount: unknown;

  /** A fault of the view is the page's, and is reported as one. */
  const guarded = (work: () => unknown): boolean => {
    try {
      unmount = work();
      return true;
    } catch (error) {
      reportError(error);
      return false;
    }
  };
  return {
    node,
    mount: () => {
      if (mounted) return true;
      mounted = true;
      const { siteId, begin, credential, renewToken } = session;
      return guarded(() =>
        view.mount(node, { siteId: siteId(), ...surroundings, conversationId: begin, credential, renewToken }),
      );
    },
    unmount: () => {
      if (typeof unmount === 'function') guarded(() => Object(unmount)());
    },
  };
}
