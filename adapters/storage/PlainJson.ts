/**
 * JSON of values whose schema encodes each bigint as its decimal string and everything else as it is. Several times as
 * fast as the schema's encoder. Whoever uses it for a schema compares the two in a property.
 */
const plain = (value: unknown): unknown => {
  if (typeof value === "bigint") return value.toString()
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(plain)
  const encoded: Record<string, unknown> = {}
  const fields: ReadonlyArray<[string, unknown]> = Object.entries(value)
  for (const [name, field] of fields) encoded[name] = plain(field)
  return encoded
}

export const plainJson = (value: object): string => JSON.stringify(plain(value))
