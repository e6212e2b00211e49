import { element } from './dom.ts';
import type { Session } from './session.ts';
import type { VaWaveConversationContext, VaWaveConversationView } from './va-wave.d.ts';

export type Surroundings = Pick<VaWaveConversationContext, 'language' | 'direction' | 'theme'>;

export type ConversationPlace = {
  readonly node: HTMLElement;
  /** Mounts the view at the first call. Returns false when the view throws. */
  readonly mount: () => boolean;
  readonly unmount: () => void;
};

/** Creates the place in the panel for a conversation view of the page or the platform. */
export function conversationPlace(
  view: VaWaveConversationView,
  session: Session,
  surroundings: Surroundings,
): ConversationPlace {
  const node = element('div', { class: 'view' });
  let mounted = false;
  let unmount: unknown;

  /** Reports an error of the view as an error of the page. */
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
