// Creates elements by DOM calls only. Pages with Trusted Types or a strict content security policy allow nothing else.

import { pageDocument } from './page.ts';

type Attributes = { readonly [name: string]: string | boolean | undefined };

/** Creates an element. Omits attributes that are false or undefined; true sets an empty attribute. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const node = pageDocument.createElement(tag);
  setAttributes(node, attributes);
  node.append(...children);
  return node;
}

/** Creates a decorative icon of 24 by 24 units in the colour of the text. */
export function icon(path: string): SVGSVGElement {
  const svg = pageDocument.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const line = pageDocument.createElementNS('http://www.w3.org/2000/svg', 'path');
  setAttributes(svg, { viewBox: '0 0 24 24', 'aria-hidden': 'true' });
  setAttributes(line, { d: path });
  svg.append(line);
  return svg;
}

function setAttributes(node: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value || value === '') node.setAttribute(name, value === true ? '' : value);
  }
}
