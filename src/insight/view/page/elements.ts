/** Makes elements of the page. */
type AttributeValue = string | number | boolean | ((event: never) => void);

const SVG = 'http://www.w3.org/2000/svg';

function filled<E extends Element>(
  made: E,
  attributes: Readonly<Record<string, AttributeValue | undefined>>,
  children: readonly (Node | string)[],
): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name, value as unknown as EventListener);
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children);
  return made;
}

/** @param attributes functions listen to the event of that name */
export const element = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, AttributeValue | undefined>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] => filled(document.createElement(tag), attributes, children);

export const svg = <K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, AttributeValue | undefined>> = {},
  ...children: readonly (Node | string)[]
): SVGElementTagNameMap[K] =>
  filled(document.createElementNS(SVG, tag) as SVGElementTagNameMap[K], attributes, children);

export function byId(id: string): HTMLElement {
  return document.getElementById(id) as HTMLElement;
}
