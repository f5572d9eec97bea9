/**
 * The words of a document in their order, as numbers: what the second stage of a search looks at. A token is the number of a
 * term with four bits that tell the written forms of that term apart (`test`, `tests`, `testing`) in all but rare cases.
 * Name and description are one stream, the body another, because they are indexed at different times.
 */
import type { ByteWriter } from './postings.ts';

export const FORM_BITS = 4;
const FORM_MASK = (1 << FORM_BITS) - 1;

export function formBits(form: string): number {
  let hash = 0;
  for (let index = 0; index < form.length; index++) hash = (hash * 31 + form.charCodeAt(index)) | 0;
  return (hash ^ (hash >>> 16)) & FORM_MASK;
}

export function tokenOf(term: number, form: string): number {
  return (term << FORM_BITS) | formBits(form);
}

/** A number, for the head how many of the tokens are the name's, then the tokens. */
export function encodeStream(writer: ByteWriter, first: number, tokens: readonly number[]): Uint8Array {
  writer.varint(first);
  for (const token of tokens) writer.varint(token);
  return writer.take();
}

/** A decoded document in memory that is used again for the next one. */
export interface StreamBuffer {
  /** Tokens of the name, then of the description, then of the body. */
  tokens: Int32Array;
  length: number;
  nameEnd: number;
  descriptionEnd: number;
}

export function createStreamBuffer(): StreamBuffer {
  return { tokens: new Int32Array(4096), length: 0, nameEnd: 0, descriptionEnd: 0 };
}

/** The streams of one document. */
export interface DocumentStreams {
  readonly head: Uint8Array;
  /** Empty until the body is indexed. */
  readonly body: Uint8Array;
}

export function decodeStreams({ head, body }: DocumentStreams, into: StreamBuffer): void {
  const most = head.length + body.length;
  if (into.tokens.length < most) into.tokens = new Int32Array(most * 2);
  const headEnd = decodeInto(head, into.tokens, 0);
  into.nameEnd = Math.min(into.tokens[0] ?? 0, Math.max(0, headEnd - 1));
  into.tokens.copyWithin(0, 1, headEnd);
  into.descriptionEnd = Math.max(0, headEnd - 1);
  const end = decodeInto(body, into.tokens, into.descriptionEnd);
  // The body's first number says nothing; the tokens move up over it.
  into.tokens.copyWithin(into.descriptionEnd, into.descriptionEnd + 1, end);
  into.length = Math.max(into.descriptionEnd, end - 1);
}

/** All terms that a document has. */
export function termsIn(streams: DocumentStreams, buffer: StreamBuffer): ReadonlySet<number> {
  decodeStreams(streams, buffer);
  const terms = new Set<number>();
  for (let at = 0; at < buffer.length; at++) terms.add((buffer.tokens[at] ?? 0) >> FORM_BITS);
  return terms;
}

function decodeInto(bytes: Uint8Array, tokens: Int32Array, from: number): number {
  const end = bytes.length;
  let at = 0;
  let count = from;
  while (at < end) {
    let byte = bytes[at++] ?? 0;
    let value = byte & 0x7f;
    for (let shift = 7; byte >= 0x80 && at < end; shift += 7) {
      byte = bytes[at++] ?? 0;
      value |= (byte & 0x7f) << shift;
    }
    tokens[count++] = value;
  }
  return count;
}
