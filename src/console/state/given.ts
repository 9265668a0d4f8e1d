/** The material that was given: none takes the place of another, whatever it is dropped with. */
import type { Material } from './material.ts';

/** Returns the material with one more. A text that is among it is not added again. */
export function withMaterial(before: readonly Material[], added: Material): readonly Material[] {
  return before.some((each) => areSame(each, added)) ? before : [...before, added];
}

function areSame(one: Material, other: Material): boolean {
  const isLong = [one, other].some(({ kind }) => kind === 'export' || kind === 'tiles');
  return !isLong && contentOf(one) === contentOf(other);
}

function contentOf(material: Material): string {
  return JSON.stringify({ ...material, name: '' });
}

type Text = Extract<Material, { readonly text: string }>;

/** Returns the texts of one kind, in the order in which they were given. */
export function textsOf(given: readonly Material[], kind: Text['kind']): readonly string[] {
  return given.flatMap((each) => (each.kind === kind ? [each.text] : []));
}
