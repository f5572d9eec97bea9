/** Something to wait for that a test opens by hand. */
export interface Latch {
  readonly promise: Promise<void>;
  open(): void;
  fail(reason: unknown): void;
}

export function latch(): Latch {
  let open: () => void = () => undefined;
  let fail: (reason: unknown) => void = () => undefined;
  const promise = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { promise, open, fail };
}
