/** Asks once for all who want to know within one turn of the event loop. */
export function oncePerTurn<Value>(ask: (key: string) => Value): (key?: string) => Value {
  let asked = new Map<string, { readonly answer: Value }>();
  return (key = '') => {
    const known = asked.get(key);
    if (known !== undefined) return known.answer;
    if (asked.size === 0) setImmediate(() => (asked = new Map()));
    const answer = ask(key);
    asked.set(key, { answer });
    return answer;
  };
}
