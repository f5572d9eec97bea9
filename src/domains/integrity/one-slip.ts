/** Whether two names are one slip of a finger apart: a letter more, less, other, or swapped with its neighbour. Pure. */
export function isOneSlip(a: string, b: string): boolean {
  // A plural is a word of its own, and so is the next number.
  if (a === b || Math.abs(a.length - b.length) > 1 || `${a}s` === b || `${b}s` === a) return false;
  let from = 0;
  while (from < a.length && a[from] === b[from]) from++;
  const restA = a.slice(from);
  const restB = b.slice(from);
  if (a.length > b.length) return restA.slice(1) === restB;
  if (a.length < b.length) return restA === restB.slice(1);
  if (isDigit(restA[0]) && isDigit(restB[0])) return false;
  if (restA.slice(1) === restB.slice(1)) return true;
  return restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}
