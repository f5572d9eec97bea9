/**
 * Where a term occurs: documents in ascending order, and for each one byte that tells how often. A list is any number of
 * runs one after the other, so that adding to a list is adding bytes to its end.
 */

/** How often a term stands in the name (up to 3) and in the description (up to 63), in one byte. */
export function packHead(name: number, description: number): number {
  return (Math.min(name, 3) << 6) | Math.min(description, 63);
}

/** From this packed value on the term stands in the name. */
export const IN_NAME_FROM = 64;

export function isInDescription(packed: number): boolean {
  return (packed & 63) > 0;
}

/** How often it stands in the body, in one byte. */
export function packBody(count: number): number {
  return Math.min(count, 255);
}

/** A row of bytes that grows; small numbers take one byte. */
export interface ByteWriter {
  byte(value: number): void;
  /** Any whole number below 2^31, seven bits a byte, the lowest first. */
  varint(value: number): void;
  /** A copy of what was written; the writer starts anew. */
  take(): Uint8Array;
}

const FIRST_BYTES = 256;

export function createByteWriter(): ByteWriter {
  let bytes = new Uint8Array(FIRST_BYTES);
  let size = 0;
  function byte(value: number): void {
    if (size === bytes.length) {
      const larger = new Uint8Array(bytes.length * 2);
      larger.set(bytes);
      bytes = larger;
    }
    bytes[size++] = value;
  }
  return {
    byte,
    varint(value) {
      let rest = value;
      while (rest > 0x7f) {
        byte((rest & 0x7f) | 0x80);
        rest >>>= 7;
      }
      byte(rest);
    },
    take() {
      const taken = bytes.slice(0, size);
      size = 0;
      return taken;
    },
  };
}

/** One run: the number of documents, then the distance to each and its packed byte. */
export function encodeRun(
  writer: ByteWriter,
  documents: readonly number[],
  packed: readonly number[],
): Uint8Array {
  writer.varint(documents.length);
  let previous = 0;
  for (let index = 0; index < documents.length; index++) {
    const document = documents[index] ?? 0;
    writer.varint(document - previous);
    writer.byte(packed[index] ?? 0);
    previous = document;
  }
  return writer.take();
}

/** Decoded postings, in memory that is used again for the next list. */
export interface PostingBuffer {
  documents: Int32Array;
  packed: Uint8Array;
  length: number;
}

export function createPostingBuffer(): PostingBuffer {
  return { documents: new Int32Array(1024), packed: new Uint8Array(1024), length: 0 };
}

/** The one loop that every query spends its time in. A damaged list ends early; it never loops. */
export function decodeList(list: Uint8Array, into: PostingBuffer): void {
  // A posting takes two bytes at least.
  if (into.documents.length < list.length) {
    into.documents = new Int32Array(list.length);
    into.packed = new Uint8Array(list.length);
  }
  const { documents, packed } = into;
  const end = list.length;
  let at = 0;
  let length = 0;
  while (at < end) {
    let byte = list[at++] ?? 0;
    let count = byte & 0x7f;
    for (let shift = 7; byte >= 0x80 && at < end; shift += 7) {
      byte = list[at++] ?? 0;
      count |= (byte & 0x7f) << shift;
    }
    let document = 0;
    for (; count > 0 && at < end; count--) {
      byte = list[at++] ?? 0;
      document += byte & 0x7f;
      for (let shift = 7; byte >= 0x80 && at < end; shift += 7) {
        byte = list[at++] ?? 0;
        document += (byte & 0x7f) << shift;
      }
      documents[length] = document;
      packed[length++] = list[at++] ?? 0;
    }
  }
  into.length = length;
}
