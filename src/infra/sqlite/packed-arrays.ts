import { Deserializer, Serializer } from 'node:v8';

/**
 * A value and the typed arrays in it, apart from each other, so that large arrays go from memory to
 * a file and back without a copy in between. Everything else is in V8's serialization format, which
 * later versions of V8 can still read (nodejs.org/api/v8.html, "Serialization API").
 */

declare module 'node:v8' {
  interface Serializer {
    // Node has it; its types leave it out.
    _setTreatArrayBufferViewsAsHostObjects(apart: boolean): void;
  }
}

const KINDS = [Uint8Array, Int32Array, Uint32Array, Float64Array, BigInt64Array] as const;

type PackedArray = InstanceType<(typeof KINDS)[number]>;

export interface Apart {
  /** The value, with only the kind and the length of each array. */
  readonly structure: Buffer;
  /** The arrays, in the order in which {@link together} will ask for them. */
  readonly arrays: readonly PackedArray[];
}

export function apart(value: unknown): Apart {
  const serializer = new Dismantler();
  serializer.writeHeader();
  serializer.writeValue(value);
  return { structure: serializer.releaseBuffer(), arrays: serializer.arrays };
}

/** Puts a value together again. `fill` is given each array, new and empty, to read it. */
export function together(structure: Buffer, fill: (array: PackedArray) => void): unknown {
  const deserializer = new Assembler(structure, fill);
  deserializer.readHeader();
  return deserializer.readValue();
}

// The names of the methods that V8 calls are Node's.

class Dismantler extends Serializer {
  readonly arrays: PackedArray[] = [];

  constructor() {
    super();
    this._setTreatArrayBufferViewsAsHostObjects(true);
  }

  _writeHostObject(array: PackedArray): void {
    this.writeUint32(KINDS.findIndex((kind) => array instanceof kind));
    this.writeUint32(array.length);
    this.arrays.push(array);
  }
}

class Assembler extends Deserializer {
  readonly #fill: (array: PackedArray) => void;

  constructor(structure: Buffer, fill: (array: PackedArray) => void) {
    super(structure);
    this.#fill = fill;
  }

  _readHostObject(): PackedArray {
    const kind = KINDS[this.readUint32()] as (typeof KINDS)[number];
    const array = new kind(this.readUint32());
    this.#fill(array);
    return array;
  }
}
