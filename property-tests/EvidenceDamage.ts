/**
 * Changes one leaf of a value, wherever it is. No comparison may overlook the change, and no judge may fail on it. Byte
 * strings stay byte strings, as their type requires. Everything else may become invalid: ids, addresses, times that are
 * not whole seconds. Tags stay, because unions are closed.
 */

const leavesOf = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? Object.entries(value).reduce((sum: number, [name, member]) => name === "_tag" ? sum : sum + leavesOf(member), 0)
    : 1

/** Canonical hex that is not an EVM account. The text of accounts is checked by their codec. */
const isBytes = (text: string): boolean => text.length !== 42 && /^0x(?:[0-9a-f]{2})*$/.test(text)

/** Bytes of the same length (one byte instead of none), with the last digit changed, or all zero. */
const otherBytes = (text: string, how: number): string => {
  if (text === "0x") return "0x01"
  return how % 2 === 0 ? text.slice(0, -1) + (text.endsWith("0") ? "1" : "0") : `0x${"0".repeat(text.length - 2)}`
}

/** Another value of the leaf's type, chosen by `how`. */
const another = (leaf: unknown, how: number): unknown => {
  switch (typeof leaf) {
    case "bigint":
      return [leaf + 1n, -1n - leaf, 1n << 300n][how % 3]
    case "number":
      return [leaf + 1, -1 - leaf, leaf + 0.5, Number.NaN, Number.POSITIVE_INFINITY][how % 5]
    case "string":
      if (isBytes(leaf)) return otherBytes(leaf, how)
      return [`${leaf}0`, "", ` ${leaf}`, "0x"][how % 4]
    default:
      return leaf
  }
}

/** A copy with another value in the leaf at `index` (which wraps around). */
export const withAnotherLeaf = <A>(value: A, index: number, how: number = 0): A => {
  let left = index % Math.max(1, leavesOf(value))
  const copy = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(copy)
    if (typeof each === "object" && each !== null) {
      return Object.fromEntries(
        Object.entries(each).map(([name, member]) => [name, name === "_tag" ? member : copy(member)])
      )
    }
    return left-- === 0 ? another(each, how) : each
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the copy lies about its type on purpose
  return copy(value) as A
}
