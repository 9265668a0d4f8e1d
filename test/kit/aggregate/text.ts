/** Values as texts, by which they are compared and shown. */

/** The form of a text: one to compare and to show, or an expression that makes exactly the same value again. */
interface Form {
  /** Returns the text of an instance of a class, from the class's name and the text of its members. */
  instance(name: string, members: string): string;
  /** True to keep everything that does not count in a comparison: undefined members, holes, orders. */
  readonly isExact: boolean;
}

const COMPARED: Form = { instance: (name, members) => `${name} ${members}`, isExact: false };
const EXACT: Form = {
  instance: (name, members) => `Object.assign(Object.create(${name}.prototype), ${members})`,
  isExact: true,
};

/**
 * Returns a value as text on one line, with members in the order of their names. Values with different
 * contents, or of different classes, have different texts. Plain values are JavaScript expressions.
 * Throws a TypeError for a value whose content cannot be seen, such as a function or a promise.
 */
export function asText(value: unknown): string {
  return textOf(value, COMPARED);
}

/**
 * Returns a value as a JavaScript expression, which makes it again where its classes are in scope: with its
 * undefined members, the holes of its arrays, and the order of its members and items.
 */
export function asExpression(value: unknown): string {
  return textOf(value, EXACT);
}

/**
 * Returns true for values of the same class with the same content. An absent member equals one that is
 * undefined, and a Map or a Set has no order.
 */
export function isSame(one: unknown, other: unknown): boolean {
  return asText(one) === asText(other);
}

/** Returns in words that a value is not the due one, and each of them in a form in which they differ. */
export function notDue(actual: string, due: string): string {
  const [one, other] = apart(actual, due);
  return `${one}, and should be ${other}`;
}

/**
 * Returns two different texts in a form in which they differ to the eye: if they differ in blanks or in
 * characters beyond ASCII alone, which may look like others or like none, with those as escapes.
 */
export function apart(one: string, other: string): readonly [one: string, other: string] {
  return seen(one) === seen(other) ? [escaped(one), escaped(other)] : [one, other];
}

/** Returns texts in the same way: each that differs from another one not to the eye, with escapes. */
export function allApart(texts: readonly string[]): readonly string[] {
  const alike = new Map<string, Set<string>>();
  for (const text of texts) alike.set(seen(text), (alike.get(seen(text)) ?? new Set()).add(text));
  return texts.map((text) => ((alike.get(seen(text))?.size ?? 0) > 1 ? escaped(text) : text));
}

function seen(text: string): string {
  // An accent may be part of its letter, or a character of its own: both look the same.
  return text.normalize('NFKD').replaceAll(/[^!-~]/g, '');
}

// Blanks are seen, unless they are many, or nothing is beside them.
function escaped(text: string): string {
  return text.replaceAll(/[^ -~]|^ | (?= |$)/g, (each) => {
    return Array.from({ length: each.length }, (_, unit) => codeOf(each.charCodeAt(unit))).join('');
  });
}

function codeOf(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

/**
 * Returns a copy that can be changed in place without the value. An instance of a class of the user is the
 * same one, as its private members cannot be copied.
 */
export function copyOf<Value>(value: Value): Value {
  return copied(value) as Value;
}

function copied(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isPlain(value)) return copiedObject(value);
  switch (Object.getPrototypeOf(value)) {
    case Array.prototype:
      return (value as unknown[]).map(copied);
    case Date.prototype:
      return new Date((value as Date).getTime());
    case Map.prototype:
      return new Map(Array.from(value as Map<unknown, unknown>, copied) as [unknown, unknown][]);
    case Set.prototype:
      return new Set(Array.from(value as Set<unknown>, copied));
    default:
      return value;
  }
}

function copiedObject(value: object): object {
  const copy: Record<string, unknown> = { ...value };
  for (const [name, member] of Object.entries(copy)) {
    if (typeof member === 'object') copy[name] = copied(member);
  }
  const prototype = Object.getPrototypeOf(value);
  return prototype === null ? Object.setPrototypeOf(copy, null) : copy;
}

/** @param around The objects that the value is in. */
function textOf(value: unknown, form: Form, around: readonly object[] = []): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : `${value}`;
  if (typeof value === 'function' || typeof value === 'symbol') throw unseen(`a ${typeof value}`);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  if (around.includes(value)) throw unseen('a value that contains itself');
  const within = [...around, value];
  const inside = ((each) => textOf(each, form, within)) as Inside;
  inside.form = form;
  const text = Array.isArray(value) ? arrayText(value, inside) : builtIn(value, inside);
  return text === undefined ? objectText(value, inside) : withOwn(value, text, inside);
}

/** Returns the text of a value inside another one, in the form of that. */
interface Inside {
  (each: unknown): string;
  form: Form;
}

function arrayText(value: readonly unknown[], inside: Inside): string {
  const isHole = (index: number) => inside.form.isExact && !(index in value);
  const texts = Array.from(value, (each, index) => (isHole(index) ? '' : inside(each)));
  // A comma at the end of a literal makes no item.
  const isOpen = value.length > 0 && isHole(value.length - 1);
  const text = `[${texts.join(', ')}${isOpen ? ',' : ''}]`;
  const name = classOf(value);
  return name === 'Array' ? text : `${name}.from(${text})`;
}

/** Returns the text of a collection or a date, with the members that its class or its user has added. */
function withOwn(value: object, text: string, inside: Inside): string {
  const isIndexed = Array.isArray(value) || ArrayBuffer.isView(value);
  const own = Object.keys(value).filter((name) => !(isIndexed && /^\d+$/.test(name)));
  const members = contentText(value, own, inside);
  return members === '' ? text : `Object.assign(${text}, {${members}})`;
}

/** Returns the text of an object of JavaScript's own classes that is no plain object. */
function builtIn(value: object, inside: Inside): string | undefined {
  const name = classOf(value);
  // By the tag, not the class: a value may come from another realm, as in Jest.
  switch (Object.prototype.toString.call(value).slice(8, -1)) {
    case 'Date':
      return `new ${name}(${(value as Date).getTime()})`;
    case 'Map':
    case 'Set': {
      const items = Array.from(value as Iterable<unknown>, (each) => inside(each));
      return `new ${name}([${(inside.form.isExact ? items : items.sort()).join(', ')}])`;
    }
    case 'Error':
      throw unseen('an error');
  }
  if (!ArrayBuffer.isView(value) || value instanceof DataView) return undefined;
  return `${name}.from(${inside([...(value as Uint8Array)])})`;
}

function objectText(value: object, inside: Inside): string {
  const text = `{${contentText(value, Object.keys(value), inside)}}`;
  if (inside.form.isExact && Object.getPrototypeOf(value) === null) {
    return `{__proto__: null, ${text.slice(1)}`;
  }
  if (isPlain(value)) return text;
  const name = classOf(value);
  // URLs, moments and decimals have all of their content there.
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return `new ${name}(${inside(value.toJSON())})`;
  }
  const isOfOwnClass = Object.prototype.toString.call(value) === '[object Object]';
  if (text === '{}' && !isOfOwnClass) throw unseen(`an object of the class ${name}`);
  const accessors = text === '{}' ? accessorsOf(value) : [];
  if (accessors.length === 0) return inside.form.instance(name, text);
  // Its content is private, and its accessors are all that can be seen of it.
  const texts = accessors.flatMap((each) => accessorText(value, each, inside) ?? []);
  return `new ${name}({${texts.join(', ')}})`;
}

/** Returns the text of an accessor; undefined if it throws, or its value cannot be seen. */
function accessorText(value: object, name: string, inside: Inside): string | undefined {
  try {
    return membersText(value, [name], inside) || undefined;
  } catch {
    return undefined;
  }
}

/** Returns the names of the accessors that an object has from its classes. */
function accessorsOf(value: object): readonly string[] {
  const names: string[] = [];
  let prototype = Object.getPrototypeOf(value);
  while (Object.getPrototypeOf(prototype) !== null) {
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (get !== undefined) names.push(name);
    }
    prototype = Object.getPrototypeOf(prototype);
  }
  return [...new Set(names)].sort();
}

/** Returns the text of the members whose names are symbols, but for functions: those are no content. */
function symbolsText(value: object, inside: Inside): string {
  const texts = Object.getOwnPropertySymbols(value).flatMap((symbol) => {
    const member = (value as Record<symbol, unknown>)[symbol];
    const isContent = Object.prototype.propertyIsEnumerable.call(value, symbol);
    const isAbsent = member === undefined && !inside.form.isExact;
    if (!isContent || isAbsent || typeof member === 'function') return [];
    const key = Symbol.keyFor(symbol);
    const name = JSON.stringify(key ?? symbol.description ?? '');
    return `[Symbol${key === undefined ? '' : '.for'}(${name})]: ${inside(member)}`;
  });
  return texts.sort().join(', ');
}

/** Returns some members of an object: in the order of their names, unless the text is exact. */
function membersText(value: object, names: readonly string[], inside: Inside): string {
  let text = '';
  for (const name of inside.form.isExact ? names : names.toSorted()) {
    const member = (value as Record<string, unknown>)[name];
    if (member === undefined && !inside.form.isExact) continue;
    text += `${text === '' ? '' : ', '}${memberName(name)}: ${inside(member)}`;
  }
  return text;
}

/** Returns the content of an object: some named members, and those that symbols name. */
function contentText(value: object, names: readonly string[], inside: Inside): string {
  const text = membersText(value, names, inside);
  const symbols = symbolsText(value, inside);
  return [text, symbols].filter((each) => each !== '').join(', ');
}

/** Returns true for an object without a class, of whichever realm. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function classOf(value: object): string {
  return value.constructor?.name ?? '';
}

function unseen(what: string): TypeError {
  return new TypeError(
    `${what} cannot be compared: commands, events, states and views must be plain values`,
  );
}

// A member that is called so as a literal would be the prototype.
function memberName(name: string): string {
  return name === '__proto__' ? '["__proto__"]' : JSON.stringify(name);
}
