/** Elements by DOM calls only: pages with Trusted Types or a strict content security policy allow nothing else. */

type Attributes = { readonly [name: string]: string | boolean | undefined };

/** An attribute that is false or undefined is left out; true stands for an empty one. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  setAttributes(node, attributes);
  node.append(...children);
  return node;
}

/** A decorative icon of 24 by 24, drawn in the text's colour. */
export function icon(path: string): SVGSVGElement {
  const draw = <K extends keyof SVGElementTagNameMap>(tag: K, attributes: Attributes) => {
    const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
    setAttributes(node, attributes);
    return node;
  };
  const svg = draw('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true', focusable: 'false' });
  svg.append(draw('path', { d: path }));
  return svg;
}

function setAttributes(node: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) node.setAttribute(name, value === true ? '' : value);
  }
}
