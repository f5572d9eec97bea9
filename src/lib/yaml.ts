/**
 * YAML as skills may use it: plain data whose JSON every reader agrees on.
 * js-yaml does the reading; what it takes and the `yaml` package refuses or reads differently is refused here.
 */
import { FAILSAFE_SCHEMA, type LoadOptions, load, type Schema, Type, YAMLException } from 'js-yaml';

import type { Json } from './json.ts';
import { createNodeGuard, refuseLines, refuseValues, UnsupportedYaml } from './yaml-guard.ts';
import { readPlainYaml } from './yaml-plain.ts';

export interface YamlProblem {
  readonly kind: 'invalid' | 'unsupported';
  readonly message: string;
  /** 1-based within the YAML text, where known. */
  readonly line: number | null;
}

export type YamlResult =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly problem: YamlProblem };

/** Deepest nesting of lists and maps, counted as js-yaml does: a key and its value are levels too. */
export const YAML_DEPTH_MAX: number = 40;

/** Reads YAML with the core types: null, booleans, numbers, strings. The text ends with a line break, as frontmatter does. */
export function parseYaml(source: string): YamlResult {
  const plain = readPlainYaml(source, readPlainScalar);
  return plain === null ? read(source, CORE_SCHEMA) : { ok: true, value: plain };
}

/** The same without the short cut for plain text; a test holds the two together. */
export function parseYamlInFull(source: string): YamlResult {
  return read(source, CORE_SCHEMA);
}

/** Reads the same YAML with every scalar as the text that was written, so that `1.0` stays `1.0`. */
export function parseYamlAsText(source: string): YamlResult {
  return read(source, FAILSAFE_SCHEMA);
}

function read(source: string, schema: Schema): YamlResult {
  try {
    refuseLines(source);
    // `maxDepth` is documented but missing in the types.
    const options: LoadOptions & { maxDepth: number } = {
      schema,
      maxDepth: YAML_DEPTH_MAX,
      listener: createNodeGuard(),
      onWarning: rethrow,
    };
    const value = load(source, options);
    refuseValues(value);
    // What js-yaml builds from the two schemas is JSON: the guard has refused every other tag, NaN and infinities.
    return { ok: true, value: (value ?? null) as Json };
  } catch (error) {
    return { ok: false, problem: problemOf(error) };
  }
}

/** js-yaml warns of nothing but indentation, which it forgives and others do not. */
function rethrow(warning: YAMLException): never {
  throw new YAMLException('bad indentation, or a quote or bracket that is not closed', warning.mark);
}

function problemOf(error: unknown): YamlProblem {
  if (error instanceof UnsupportedYaml) {
    return { kind: 'unsupported', message: error.message, line: error.line };
  }
  if (error instanceof YAMLException) {
    // The type promises a mark, but js-yaml has none when the whole text is at fault.
    const mark: { readonly line: number } | undefined = error.mark;
    return { kind: 'invalid', message: error.reason, line: mark === undefined ? null : mark.line + 1 };
  }
  throw error;
}

const NULL = /^(?:~|[Nn]ull|NULL)$/;
const BOOLEAN = /^(?:[Tt]rue|TRUE|[Ff]alse|FALSE)$/;
const OCTAL = /^0o[0-7]+$/;
const HEX = /^0x[0-9a-fA-F]+$/;
const INTEGER = /^[-+]?[0-9]+$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const NOT_FINITE = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
/** All of the above in one. */
const TYPED = new RegExp(
  [NULL, BOOLEAN, FLOAT, HEX, OCTAL, NOT_FINITE].map(({ source }) => source).join('|'),
);

// One type for all core scalars: js-yaml asks each implicit type in turn, and most scalars are none of them.
// js-yaml's own core schema also reads `0b1` and `-0x1`, which YAML 1.2 does not know.
const CORE_SCHEMA: Schema = FAILSAFE_SCHEMA.extend({
  implicit: [
    new Type('tag:yaml.org,2002:core', { kind: 'scalar', resolve: isTyped, construct: constructTyped }),
  ],
});

function isTyped(text: unknown): boolean {
  return text === null || (typeof text === 'string' && TYPED.test(text));
}

function readPlainScalar(text: string): Json | undefined {
  if (!isTyped(text)) return text;
  // A number beyond all bounds is refused with the whole text.
  return FLOAT.test(text) && !Number.isFinite(toNumber(text)) ? undefined : constructTyped(text);
}

function constructTyped(text: string | null): Json {
  if (text === null || NULL.test(text)) return null;
  if (BOOLEAN.test(text)) return text.startsWith('t') || text.startsWith('T');
  const number = toNumber(text);
  if (!Number.isFinite(number)) throw new UnsupportedYaml(`the number ${text} is not finite`, null);
  return number;
}

function toNumber(text: string): number {
  if (OCTAL.test(text)) return Number.parseInt(text.slice(2), 8);
  if (HEX.test(text)) return Number.parseInt(text.slice(2), 16);
  if (INTEGER.test(text)) return Number.parseInt(text, 10);
  return NOT_FINITE.test(text) ? Number.NaN : Number.parseFloat(text);
}
