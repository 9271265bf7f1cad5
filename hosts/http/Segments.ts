/**
 * Decides which spellings of a path are the same path. Decided once, so that limits, methods, idempotency, errors,
 * metrics and the router cannot disagree.
 *
 * The same: RFC 3986's equivalents (letters, digits and `-._~` in percent, dot segments), doubled and trailing slashes,
 * and upper case in the declared parts. Never a path of ours, whatever the router would do: a `;`, a `\`, a broken
 * percent code, a byte that is not printable ASCII, and a target without a leading slash. An encoded slash belongs to
 * its segment, so it is part of a parameter or of nothing.
 */
const printable = /^\/(?:[!-$&-:<-[\]-~]|%[\da-f]{2})*$/iu
const unreserved = /^[\w.~-]$/u

/** The canonical form of a percent code: decoded where the code is not needed, otherwise in upper case. */
const plain = (code: string): string => {
  const letter = String.fromCodePoint(Number.parseInt(code.slice(1), 16))
  return unreserved.test(letter) ? letter : code.toUpperCase()
}

/**
 * The segments of a path without its query, in canonical spelling except for upper case. Undefined when it is not a
 * path.
 */
export const segmentsOf = (path: string): ReadonlyArray<string> | undefined => {
  if (!printable.test(path)) return undefined
  const kept: Array<string> = []
  for (const segment of path.replace(/%[\da-f]{2}/giu, plain).split("/")) {
    if (segment === "..") kept.pop()
    else if (segment !== "" && segment !== ".") kept.push(segment)
  }
  return kept
}
