/** JSON values in JSON-RPC's form. */
export const hex = (value: bigint | number): string => `0x${value.toString(16)}`

/** The members of an object. None for anything else. */
export const pick = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {}
