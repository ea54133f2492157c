/** Finds and makes elements of the page. */

/** The one element that a selector finds; without a class, any HTML element. */
export function element(selector: string): HTMLElement;
export function element<E extends HTMLElement>(selector: string, kind: new () => E): E;
export function element(selector: string, kind: new () => HTMLElement = HTMLElement): HTMLElement {
  const found = document.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`The page has no ${kind.name} '${selector}'.`);
  return found;
}

/** A new element with a class, texts and elements in it. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...children);
  return made;
}
