/** What stands where data would: while it loads, when there is none, when it cannot be had. */
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';

import { type ApiFailure, keepToken } from '../api/client.ts';
import { type Loaded, lookAgain } from '../api/use-data.ts';

export function Await<T>({
  data,
  children,
}: {
  readonly data: Loaded<T>;
  readonly children: (value: T) => ComponentChildren;
}): JSX.Element {
  if (data.state === 'loading') return <p class="quiet">Loading …</p>;
  if (data.state === 'failed') return <Failure failure={data.failure} />;
  return <>{children(data.value)}</>;
}

export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Failure({ failure }: { readonly failure: ApiFailure }): JSX.Element {
  const { status, code, detail } = failure.problem;
  if (status === 401) return <TokenForm />;
  return (
    <div class="empty" role="alert">
      <h2>{detail}</h2>
      <p>
        <code>{code}</code>
      </p>
      <button type="button" onClick={lookAgain}>
        Try again
      </button>
    </div>
  );
}

function TokenForm(): JSX.Element {
  const [token, setToken] = useState('');
  return (
    <form
      class="empty"
      onSubmit={(event) => {
        event.preventDefault();
        keepToken(token.trim());
        location.reload();
      }}
    >
      <h2>This server wants its token</h2>
      <p>It is the one that was set as COLIBRI_HTTP_TOKEN. It is kept for this tab only.</p>
      <label>
        Token <input type="password" value={token} onInput={(event) => setToken(event.currentTarget.value)} />
      </label>
      <button type="submit">Use it</button>
    </form>
  );
}
