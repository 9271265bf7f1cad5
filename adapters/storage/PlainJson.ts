/**
 * JSON of values whose schema encodes each bigint as its decimal string and everything else as it is. Several times as
 * fast as the schema's encoder. Whoever uses it for a schema compares the two in a property.
 */
const plain = (value: unknown): unknown => {
  if (typeof value === "bigint") return value.toString()
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== "object" || value === null) return value
  const fields: ReadonlyArray<[string, unknown]> = Object.entries(value)
  return Object.fromEntries(fields.map(([name, field]) => [name, plain(field)]))
}

export const plainJson = (value: object): string => JSON.stringify(plain(value))
