/** JSON with integers of any size: a node writes 64-bit numbers in full, and clients read them as bigints. */

/** A bigint becomes a number with all its digits. Undefined members are left out. */
export const toJson = (value: unknown): string => {
  if (typeof value === "bigint") return value.toString()
  if (Array.isArray(value)) return `[${value.map((each: unknown) => toJson(each ?? null)).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${toJson(member)}`).join(",")}}`
}
