/** How much memory evidence holds, by its members: what bounds of kept evidence count by. */

/** What an object and its members cost beside the texts. */
const OBJECT_BYTES = 200

/** Never less than what the value holds: texts at a byte a character, which they have because they are flat. */
export const evidenceBytes = (value: unknown): number => {
  if (typeof value === "string") return 24 + value.length
  if (typeof value === "bigint") return 48
  if (value instanceof Uint8Array) return OBJECT_BYTES + value.length
  if (typeof value !== "object" || value === null) return 8
  return Object.values(value).reduce((sum: number, member) => sum + evidenceBytes(member), OBJECT_BYTES)
}
