/** The two streams of a command: results on stdout, everything else on stderr. */
import { systemCodeOf } from '../../lib/errors.ts';
import { hasHiddenCharacters } from '../../lib/text.ts';

export interface TextStream {
  write(text: string | Uint8Array, done?: (error?: Error | null) => void): boolean;
  on(event: 'error', listener: (error: Error) => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface OutputOptions {
  /** Node makes a stream when it is first asked for, so stderr is asked for when there is something to say. */
  readonly streams: { readonly stdout: TextStream; readonly stderr: TextStream };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly noColor: boolean;
  readonly quiet: boolean;
}

export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green';

export interface Output {
  /** Whether a person reads stdout: tables then, tab-separated lines otherwise. */
  readonly terminal: boolean;
  /** Columns of that terminal. */
  readonly width: number;
  /** Results. */
  lines(lines: readonly string[]): void;
  /** Results that were made ready before. */
  bytes(bytes: Uint8Array): void;
  /** One document; pretty for a person. */
  json(value: unknown): void;
  /** For the person beside the results; left out with `--quiet`. */
  note(text: string): void;
  error(text: string): void;
  paint(style: Style, text: string): string;
  /** The reader of stdout has left. */
  onceClosed(listener: () => void): void;
  /** Resolves when everything is out: how it went. */
  flush(): Promise<{ readonly closed: boolean; readonly failure: Error | null }>;
}

const DEFAULT_WIDTH = 80;
const SGR: Readonly<Record<Style, number>> = { bold: 1, dim: 2, red: 31, yellow: 33, green: 32 };

export function createOutput(options: OutputOptions): Output {
  const { env } = options;
  const { stdout } = options.streams;
  const mayColour = !options.noColor && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const terminal = stdout.isTTY === true;
  const sink = watch(stdout);
  let known: TextStream | undefined;
  const stderr = (): TextStream => {
    if (known !== undefined) return known;
    known = options.streams.stderr;
    // When stderr is gone there is nobody left to tell.
    known.on('error', () => undefined);
    return known;
  };

  return {
    terminal,
    width: stdout.columns !== undefined && stdout.columns > 0 ? stdout.columns : DEFAULT_WIDTH,
    lines: (lines) => {
      if (lines.length > 0) sink.write(`${lines.join('\n')}\n`);
    },
    bytes: sink.write,
    json: (value) => sink.write(`${jsonText(value, { pretty: terminal })}\n`),
    note: (text) => {
      if (!options.quiet) stderr().write(`${text}\n`);
    },
    error: (text) => {
      const label = mayColour && stderr().isTTY === true ? colour('red', 'error:') : 'error:';
      stderr().write(`${label} ${text}\n`);
    },
    paint: (style, text) => (mayColour && terminal ? colour(style, text) : text),
    onceClosed: sink.onceClosed,
    flush: sink.flush,
  };
}

/** JSON in which no character can steer a terminal or hide from a reader. */
export function jsonText(value: unknown, options: { readonly pretty: boolean }): string {
  const text = JSON.stringify(value, null, options.pretty ? 2 : 0);
  if (!hasHiddenCharacters(text)) return text;
  let safe = '';
  for (const character of text) safe += hasHiddenCharacters(character) ? jsonEscape(character) : character;
  return safe;
}

function jsonEscape(character: string): string {
  let escaped = '';
  for (let index = 0; index < character.length; index++) {
    escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}

function colour(style: Style, text: string): string {
  return `\u001b[${SGR[style]}m${text}\u001b[0m`;
}

interface Sink {
  write(text: string | Uint8Array): void;
  onceClosed(listener: () => void): void;
  flush(): Promise<{ readonly closed: boolean; readonly failure: Error | null }>;
}

/** A reader that leaves early (`| head`) is no failure; a full disk is one. */
function watch(stream: TextStream): Sink {
  let closed = false;
  let failure: Error | null = null;
  const listeners: (() => void)[] = [];
  stream.on('error', (error) => {
    if (systemCodeOf(error) === 'EPIPE') closed = true;
    else failure ??= error;
    for (const listener of listeners.splice(0)) listener();
  });
  return {
    write: (text) => {
      if (!closed && failure === null) stream.write(text);
    },
    onceClosed: (listener) => {
      listeners.push(listener);
    },
    flush: () =>
      new Promise((resolve) => {
        const settle = () => setImmediate(() => resolve({ closed, failure }));
        // The callback also runs when the write fails; the error event comes in the same turn or before it.
        if (closed || failure !== null) settle();
        else stream.write('', settle);
      }),
  };
}
