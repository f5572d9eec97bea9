/** Makes something of an object once and keeps it as long as the object is kept. The object must not change. */
export function oncePerObject<Made>(make: (from: object) => Made): (from: object) => Made {
  const known = new WeakMap<object, { readonly made: Made }>();
  return (from) => {
    const found = known.get(from);
    if (found !== undefined) return found.made;
    const made = make(from);
    known.set(from, { made });
    return made;
  };
}
