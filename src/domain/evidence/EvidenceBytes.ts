/** An estimate of the memory that evidence takes. Bounds on stored evidence count by it. */

/** The memory of an object and its members, texts not included. */
const OBJECT_BYTES = 200

/** Never less than the actual size. A text counts one byte per character, which holds as these texts are flat. */
export const evidenceBytes = (value: unknown): number => {
  if (typeof value === "string") return 24 + value.length
  if (typeof value === "bigint") return 48
  if (value instanceof Uint8Array) return OBJECT_BYTES + value.length
  if (typeof value !== "object" || value === null) return 8
  let sum = OBJECT_BYTES
  for (const member of Object.values(value)) sum += evidenceBytes(member)
  return sum
}
