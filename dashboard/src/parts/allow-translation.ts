/**
 * Lets a browser translate the page. A translator moves a text into elements of its own, and React, which removes or replaces the text later,
 * would fail because the text is no child of its parent any more. Instead, the child that now contains the text is removed, or stands for it.
 */
export function allowTranslation(): void {
  const { insertBefore, removeChild } = Node.prototype;
  Node.prototype.removeChild = function <Child extends Node>(this: Node, child: Child): Child {
    const own = ownChild(this, child);
    if (own !== null) removeChild.call(this, own);
    return child;
  };
  Node.prototype.insertBefore = function <Child extends Node>(this: Node, added: Child, before: Node | null): Child {
    insertBefore.call(this, added, ownChild(this, before));
    return added;
  };
}

/** Returns the child of a parent that is or contains a node; null when there is none. */
function ownChild(parent: Node, node: Node | null): Node | null {
  return node === null || node.parentNode === parent ? node : ownChild(parent, node.parentNode);
}
