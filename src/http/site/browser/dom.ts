/**
 * The parts of the browser that the site's scripts use. They are declared here, so that no other code
 * sees them.
 */

export interface Element {
  readonly dataset: Record<string, string | undefined>;
  readonly scrollWidth: number;
  readonly clientWidth: number;
  className: string;
  hidden: boolean;
  name: string;
  href: string;
  tabIndex: number;
  textContent: string | null;
  type: string;
  value: string;
  addEventListener(type: string, listener: (event: DomEvent) => void): void;
  append(...nodes: (Element | string)[]): void;
  before(...nodes: Element[]): void;
  focus(): void;
  querySelector(selector: string): Element | null;
  querySelectorAll(selector: string): Iterable<Element>;
  removeAttribute(name: string): void;
  replaceChildren(...nodes: (Element | string)[]): void;
  setAttribute(name: string, value: string): void;
}

interface DomEvent {
  readonly target: Element;
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  preventDefault(): void;
}

export interface Document {
  readonly documentElement: Element;
  readonly activeElement: Element | null;
  addEventListener(type: string, listener: (event: DomEvent) => void): void;
  createElement(name: string): Element;
  execCommand(name: 'copy'): boolean;
  querySelector(selector: string): Element | null;
  querySelectorAll(selector: string): Iterable<Element>;
}

export interface Selection {
  selectAllChildren(element: Element): void;
  removeAllRanges(): void;
}

export interface Storage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}
