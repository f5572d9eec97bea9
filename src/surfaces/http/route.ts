/** What a route is: one table entry that the server, the OpenAPI document and docs/http.md all follow. */
import type { z } from 'zod';

import type { ApiServices } from './services.ts';

export type Method = 'get' | 'post';

/** A route whose input and answer have been checked against its own schemas; see `route`. */
export interface Route {
  readonly method: Method;
  /** With parameters in braces: `/v1/skills/{name}`. */
  readonly path: string;
  /** The name of the operation for generated clients. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly params: z.ZodObject | null;
  readonly query: z.ZodObject | null;
  readonly body: z.ZodObject | null;
  readonly answer: z.ZodType;
  readonly handle: (input: RouteInput, context: RouteContext) => unknown;
}

export interface RouteInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

export interface RouteContext {
  readonly services: ApiServices;
  readonly version: string;
}

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : null;

export interface RouteSpec<
  Params extends z.ZodObject | undefined,
  Query extends z.ZodObject | undefined,
  Body extends z.ZodObject | undefined,
  Answer extends z.ZodType,
> {
  readonly method: Method;
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly answer: Answer;
  readonly handle: (
    input: {
      readonly params: Output<Params>;
      readonly query: Output<Query>;
      readonly body: Output<Body>;
    },
    context: RouteContext,
  ) => Frozen<z.output<Answer>> | Promise<Frozen<z.output<Answer>>>;
}

/** Services answer with read-only values. */
type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T;

/** Ties the handler's types to the schemas, then forgets them, so that routes fit into one table. */
export function route<
  Answer extends z.ZodType,
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodObject | undefined = undefined,
>(spec: RouteSpec<Params, Query, Body, Answer>): Route {
  const { params = null, query = null, body = null, handle, ...rest } = spec;
  return {
    ...rest,
    params,
    query,
    body,
    // The dispatcher hands in what these very schemas have parsed.
    handle: (input, context) => handle(input as Parameters<typeof handle>[0], context),
  };
}
