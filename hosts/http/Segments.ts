/**
 * How a path can be written, and which writings are the same path: decided once, so that limits, methods, idempotency,
 * errors, metrics and the router cannot each decide for themselves.
 *
 * The same: RFC 3986's equivalents (letters, digits and `-._~` in percent, dot segments), slashes that are doubled or
 * at the end, and upper case in what a route declares. No path of ours at all, whatever the router would make of it: a
 * `;`, a `\`, a broken percent, a byte that is no printable ASCII, and a target that does not begin with a slash. An
 * encoded slash belongs to its segment, so that it is one of a parameter or none.
 */
const printable = /^\/(?:[!-$&-:<-[\]-~]|%[\da-f]{2})*$/iu
const unreserved = /^[\w.~-]$/u

/** A percent code as it is written once: nothing where it need not be one, upper case elsewhere. */
const plain = (code: string): string => {
  const letter = String.fromCodePoint(Number.parseInt(code.slice(1), 16))
  return unreserved.test(letter) ? letter : code.toUpperCase()
}

/**
 * The segments of a path without its query, each in its one spelling but for upper case; undefined of what is no path.
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
