/**
 * Lets React go on in a page that the browser translates: Chrome puts `font` elements in place of texts. React would
 * fail to remove a text that is no longer where it was, take the whole view away with it, and change texts that nobody
 * sees.
 */
const translations = new WeakMap<Node, Element>();

const changedTexts = new MutationObserver((changes) => {
  for (const { target } of changes) {
    const translation = translations.get(target);
    if (translation && !target.isConnected) translation.textContent = target.nodeValue;
  }
});

new MutationObserver((changes) => {
  for (const { addedNodes, removedNodes, previousSibling, nextSibling } of changes) {
    const near = [...addedNodes, previousSibling, nextSibling];
    const translation = near.find((node) => node?.nodeName === "FONT");
    if (!(translation instanceof Element)) continue;
    for (const text of removedNodes) {
      if (text.nodeType !== Node.TEXT_NODE) continue;
      translations.set(text, translation);
      changedTexts.observe(text, { characterData: true });
    }
  }
}).observe(document, { subtree: true, childList: true });

/** The child of a parent that holds a node, or a translation in its place. */
function childIn(parent: Node, node: Node) {
  let child: Node | null = parent.contains(node) ? node : (translations.get(node) ?? null);
  while (child && child.parentNode !== parent) child = child.parentNode;
  return child;
}

const { removeChild, insertBefore } = Node.prototype;

Node.prototype.removeChild = function <Child extends Node>(this: Node, child: Child) {
  const present = childIn(this, child);
  if (present) removeChild.call(this, present);
  return child;
};

Node.prototype.insertBefore = function <Child extends Node>(this: Node, node: Child, before: Node | null) {
  insertBefore.call(this, node, before && childIn(this, before));
  return node;
};
