/**
 * The tiles of the log's Merkle tree, by which tools of transparency logs read it: C2SP tlog-tiles.
 * A tile has up to 256 hashes of one level: those of leaves at level 0, and at level L the roots of
 * complete subtrees of 256^L leaves. An entry bundle has the records behind a tile of level 0.
 */

import { isUtf8 } from 'node:buffer';
import { TILE_HASHES } from './merkle-proofs.ts';
import { HASH_BYTES } from './merkle-tree.ts';

/** A tile or an entry bundle, by its place. */
export interface TilePlace {
  /** 0 to 63; `entries` for an entry bundle. */
  readonly level: number | 'entries';
  /** Its number within the level, from 0. */
  readonly index: number;
  /** The number of its hashes or records, 1 to 256. Below 256 it is a partial tile. */
  readonly width: number;
}

const PATH =
  /^(?<level>entries|0|[1-9]\d?)\/(?<groups>(?:x\d{3}\/){0,4}\d{3})(?:\.p\/(?<width>[1-9]\d{0,2}))?$/;
const MAX_LEVEL = 63;

/** Returns the place that a path behind `tile/` names; `undefined` if it is not the path of one. */
export function placeAt(path: string): TilePlace | undefined {
  const { level, groups = '', width } = PATH.exec(path)?.groups ?? {};
  if (level === undefined) return undefined;
  const place = {
    level: level === 'entries' ? level : Number(level),
    index: Number(groups.replaceAll(/[x/]/g, '')),
    width: Number(width ?? TILE_HASHES),
  } as const;
  const isInRange = place.level === 'entries' || place.level <= MAX_LEVEL;
  // There is one path for each place: no group of zeros at the front, and no width for a full tile.
  return isInRange && pathOf(place) === path ? place : undefined;
}

/** Returns the path of a place behind `tile/`, such as `0/x001/x234/067` or `entries/000.p/3`. */
export function pathOf({ level, index, width }: TilePlace): string {
  const digits = String(index);
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0');
  const groups = Array.from(padded.matchAll(/\d{3}/g), ([group]) => group);
  const name = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/');
  return `${level}/${name}${width < TILE_HASHES ? `.p/${width}` : ''}`;
}

/** Returns the number of hashes or records that a tree of `size` leaves has in a tile: 0 to 256. */
export function widthAt({ level, index }: Omit<TilePlace, 'width'>, size: number): number {
  const whole = Math.floor(size / TILE_HASHES ** (level === 'entries' ? 0 : level));
  return Math.max(0, Math.min(TILE_HASHES, whole - index * TILE_HASHES));
}

/** Returns the hashes of a tile; `undefined` for bytes that are not made of whole hashes. */
export function hashesIn(tile: Buffer): Buffer[] | undefined {
  if (tile.length % HASH_BYTES !== 0) return undefined;
  return Array.from({ length: tile.length / HASH_BYTES }, (_, at) =>
    tile.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  );
}

/** Returns an entry bundle: each record behind its length in bytes, the high byte first. */
export function bundleOf(records: readonly string[]): Buffer {
  const lengths = records.map((record) => Buffer.byteLength(record));
  const bundle = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + 2 + length, 0));
  let at = 0;
  for (const [index, record] of records.entries()) {
    at = bundle.writeUInt16BE(lengths[index] as number, at);
    at += bundle.write(record, at);
  }
  return bundle;
}

/** Returns the records of an entry bundle; `undefined` for bytes that are none, or none of texts. */
export function recordsIn(bundle: Buffer): string[] | undefined {
  const records: string[] = [];
  for (let at = 0; at < bundle.length; ) {
    const begin = at + 2;
    at = begin + (begin <= bundle.length ? bundle.readUInt16BE(at) : 0);
    const bytes = bundle.subarray(begin, at);
    if (at > bundle.length || !isUtf8(bytes)) return undefined;
    records.push(bytes.toString());
  }
  return records;
}
