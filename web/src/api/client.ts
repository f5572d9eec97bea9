/** Asks the API. Failures are told as the API tells them: a problem with a code and a way out. */
import type { Problem } from './contract.ts';

const TOKEN_KEY = 'colibri.token';

export class ApiFailure extends Error {
  readonly problem: Pick<Problem, 'status' | 'code' | 'detail'>;

  constructor(problem: Pick<Problem, 'status' | 'code' | 'detail'>) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** Kept for the tab only. */
export function keepToken(token: string): void {
  sessionStorage.setItem(TOKEN_KEY, token);
}

export function headers(): Record<string, string> {
  const token = sessionStorage.getItem(TOKEN_KEY);
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return answerOf<T>(await send(path, { headers: headers(), ...(signal === undefined ? {} : { signal }) }));
}

export async function postJson<T>(path: string, body: unknown): Promise<T> {
  return answerOf<T>(
    await send(path, {
      method: 'POST',
      headers: { ...headers(), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    const detail = 'the server does not answer; start it again with `colibri up`';
    throw new ApiFailure({ status: 0, code: 'UNREACHABLE', detail });
  }
}

async function answerOf<T>(response: Response): Promise<T> {
  if (response.ok) return (await response.json()) as T;
  const problem = (await response.json().catch(() => null)) as Problem | null;
  const { status } = response;
  throw new ApiFailure(problem ?? { status, code: 'UNKNOWN', detail: `the server answered ${status}` });
}
