import type { Page } from 'playwright-core';
import { axeFindings, WCAG_22_AA } from '../../harness/axe.ts';

// Inspects the page from inside. The scripts are texts, because the project has no DOM types outside widget/.

/**
 * Counts the listeners that the widget's script adds to window, document, elements and media queries. Counting starts before the
 * page's first script. The call stack distinguishes these listeners from those of the page and of the test tool.
 */
export async function countListeners(page: Page): Promise<void> {
  await page.addInitScript(`(() => {
    const live = new Map();
    const counted = (target) => target === window || target instanceof Node || target instanceof MediaQueryList;
    const { addEventListener, removeEventListener } = EventTarget.prototype;
    const outside = (target) => !(target instanceof Node) || target.getRootNode() === document;
    window.__listeners = (where) =>
      [...live].filter(([target]) => where === 'all' || outside(target)).reduce((sum, [, set]) => sum + set.size, 0);
    EventTarget.prototype.addEventListener = function (type, listener, options) {
      if (counted(this) && new Error().stack.includes('va-wave-widget')) {
        if (!live.has(this)) live.set(this, new Set());
        live.get(this).add(type);
        options?.signal?.addEventListener('abort', () => live.get(this).delete(type));
      }
      return addEventListener.call(this, type, listener, options);
    };
    EventTarget.prototype.removeEventListener = function (type, listener, options) {
      live.get(this)?.delete(type);
      return removeEventListener.call(this, type, listener, options);
    };
  })()`);
}

export const listeners = (page: Page, where: 'all' | 'outside' = 'all') =>
  page.evaluate<number>(`window.__listeners('${where}')`);

/** Returns everything that the widget could leave on the page. */
export const traces = (page: Page) =>
  page.evaluate<{ html: string; sheets: number; globals: string[] }>(`({
    html: document.documentElement.outerHTML,
    sheets: document.styleSheets.length + document.adoptedStyleSheets.length,
    globals: Object.getOwnPropertyNames(window).filter((name) => name === 'vaWave'),
  })`);

/** Returns the names of the page's globals. */
export const globals = (page: Page) => page.evaluate<string[]>('Object.getOwnPropertyNames(window)');

/** Returns the computed style of every element of the page and of its root. */
export const computedStyles = (page: Page) =>
  page.evaluate<
    string[]
  >(`[document.documentElement, ...document.body.querySelectorAll(':not(va-wave-widget)'), document.body].map((element) => {
    const style = getComputedStyle(element);
    return element.tagName + ' ' + Array.from(style, (name) => name + ':' + style.getPropertyValue(name)).join(';');
  })`);

/** Waits until the page has drawn two frames. A change before the first one has been seen by what looks once in a frame. */
export const framesDrawn = (page: Page) =>
  page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');

export const started = (page: Page) => page.evaluate<boolean>('Object.hasOwn(window, "vaWave")');

/** Waits until the widget has removed itself after a failure. */
export const widgetRemoved = (page: Page) => page.waitForFunction('!Object.hasOwn(window, "vaWave")');

/** Returns the name or the text of the element with the keyboard focus, also inside the shadow root. */
export const focused = (page: Page) =>
  page.evaluate<string>(`(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element.getAttribute('aria-label') ?? element.getAttribute('name') ?? element.textContent.trim();
  })()`);

/** Returns the findings of axe (WCAG 2.2 AA), and poor contrasts, which forced colors do not have. */
export const flaws = async (page: Page, forcedColors = false): Promise<readonly string[]> => [
  ...(await axeFindings(page, WCAG_22_AA)),
  ...(forcedColors ? [] : await poorContrasts(page)),
];

/** A script that starts the widget with a new tag, and waits until it is ready. */
export const startingAt = (service: string) => `new Promise((resolve) => {
    document.addEventListener('va-wave:ready', resolve, { once: true });
    const script = document.createElement('script');
    script.dataset.siteId = 'site_test';
    script.src = '${service}/static/va-wave-widget.js';
    document.head.append(script);
  })`;

/**
 * Lists the widget's texts with a contrast below 4.5 against their background, and its controls with a border contrast below 3
 * (WCAG 1.4.3, 1.4.11). axe does not decide on texts inside the fixed elements of a shadow root.
 */
export const poorContrasts = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    const rgba = (color) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const luminance = (color) => {
      const [r, g, b] = rgba(color).map((part) => (part / 255 <= 0.04045 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (one, other) => {
      const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
      return (light + 0.05) / (dark + 0.05);
    };
    const behind = (element) => {
      for (let node = element; node; node = node.parentElement) {
        const color = getComputedStyle(node).backgroundColor;
        if (rgba(color)[3] === 255) return color;
      }
      return 'white';
    };
    const found = [];
    const demand = (element, color, backdrop, least) => {
      const ratio = contrast(color, backdrop);
      if (ratio < least) found.push(element.localName + '.' + element.className + ' ' + ratio.toFixed(2) + ' < ' + least);
    };
    for (const element of document.querySelector('va-wave-widget').shadowRoot.querySelectorAll('*')) {
      if (!element.checkVisibility()) continue;
      const { color, borderTopColor } = getComputedStyle(element);
      const ownText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
      if (ownText || element.localName === 'svg') demand(element, color, behind(element), ownText ? 4.5 : 3);
      if (element.matches('input, textarea, .topic, .plain')) demand(element, borderTopColor, behind(element.parentElement), 3);
    }
    return found;
  })()`);

/**
 * A function that records what screen readers announce in a root, in its order, in `announcements`: each text that comes into a live region
 * and is not removed in the same task, also when it is that of the last one. A live region that moves with its text counts, because VoiceOver
 * reads it again.
 */
export const RECORD_ANNOUNCEMENTS = `((root) => {
  window.announcements = [];
  const live = '[role=status], [role=alert], [role=log], [aria-live]';
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes)
      for (const node of addedNodes)
        if (node.isConnected && node.textContent && (target.closest?.(live) || node.matches?.(live)))
          announcements.push(node.textContent);
  }).observe(root, { childList: true, subtree: true });
  return true;
})`;
