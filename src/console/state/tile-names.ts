/**
 * The names of a tiled log's files, read and written as C2SP tlog-tiles defines them. The service
 * has a reading of its own; this one shares nothing with it, so that a mistake is not made twice.
 */

/** The hashes of a full tile, and the entries of a full bundle. */
export const FULL_WIDTH = 256;
const MAX_LEVEL = 63;
const ENTRIES = 'entries';

/** A tile of hashes, or a bundle of entries, of some width. */
export interface TileName {
  /** 0 for hashes of leaves; `entries` for a bundle. */
  readonly level: number | 'entries';
  /** Its number within the level, from 0. */
  readonly index: number;
  /** 1 to 256; partial below 256. */
  readonly width: number;
}

/** Returns the path of a tile, such as `tile/0/x001/x234/067` or `tile/entries/000.p/3`. */
export function writeTileName({ level, index, width }: TileName): string {
  const elements: string[] = [];
  let rest = index;
  do {
    const digits = String(rest % 1_000).padStart(3, '0');
    elements.unshift(elements.length === 0 ? digits : `x${digits}`);
    rest = Math.floor(rest / 1_000);
  } while (rest > 0);
  const suffix = width === FULL_WIDTH ? '' : `.p/${width}`;
  return `tile/${level}/${elements.join('/')}${suffix}`;
}

/** Returns the tile that a path names; `undefined` for any other path. */
export function readTileName(path: string): TileName | undefined {
  const [top, first = '', ...elements] = path.split('/');
  let width = FULL_WIDTH;
  if (elements.at(-2)?.endsWith('.p')) {
    width = Number(elements.pop());
    elements.push((elements.pop() ?? '').slice(0, -2));
  }
  const level: TileName['level'] = first === ENTRIES ? ENTRIES : Number(first);
  const index = Number(elements.map((element) => element.replace(/^x/, '')).join(''));
  const isLevel = level === ENTRIES || (level >= 0 && level <= MAX_LEVEL);
  const isInRange = isLevel && index <= Number.MAX_SAFE_INTEGER && width >= 1;
  if (top !== 'tile' || !isInRange || !(width <= FULL_WIDTH)) return undefined;
  const name = { level, index, width };
  // Each tile has one name: every other spelling is refused here.
  return writeTileName(name) === path ? name : undefined;
}
