/**
 * The serialization of a value and of its typed arrays, separately, so that large arrays are
 * written to a file and read from it without a copy in between. Everything else is in V8's
 * serialization format, which later versions of V8 can still read (nodejs.org/api/v8.html,
 * "Serialization API").
 */

import { Deserializer, Serializer } from 'node:v8';

declare module 'node:v8' {
  interface Serializer {
    // Absent from the type declarations of Node.
    _setTreatArrayBufferViewsAsHostObjects(apart: boolean): void;
  }
}

const KINDS = [Uint8Array, Uint16Array, Int32Array, Uint32Array, Float64Array] as const;

export type PackedArray = Uint8Array | Uint16Array | Int32Array | Uint32Array | Float64Array;

interface Apart {
  /** The value, with only the kind and the length of each array. */
  readonly structure: Buffer;
  /** The arrays, in the order in which {@link together} needs them. */
  readonly arrays: readonly PackedArray[];
}

/** Serializes a value without the contents of its typed arrays. */
export function apart(value: unknown): Apart {
  const serializer = new Dismantler();
  serializer.writeHeader();
  serializer.writeValue(value);
  return { structure: serializer.releaseBuffer(), arrays: serializer.arrays };
}

/**
 * Deserializes a value.
 * @param fill Reads the contents of each array, which is given new and empty, in order.
 */
export function together(structure: Buffer, fill: (array: PackedArray) => void): unknown {
  const deserializer = new Assembler(structure, fill);
  deserializer.readHeader();
  return deserializer.readValue();
}

// Node calls the methods whose names begin with an underscore.

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
    const length = this.readUint32();
    const array = new kind(length);
    this.#fill(array);
    return array;
  }
}
