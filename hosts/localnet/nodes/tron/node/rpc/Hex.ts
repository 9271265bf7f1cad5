/** JSON values as JSON-RPC has them. */
export const hex = (value: bigint | number): string => `0x${value.toString(16)}`

/** The members of an object; none of anything else. */
export const pick = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {}
