/** Descriptions for members whose schema says nothing, by their names, in a document of OpenAPI. */

/** A part of a document: any value of JSON. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** An object of JSON. */
export type Members = { readonly [key: string]: Json }

export const isMembers = (value: Json | undefined): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const membersOf = (value: Json | undefined): Members => isMembers(value) ? value : {}

const isList = (value: Json | undefined): value is ReadonlyArray<Json> => Array.isArray(value)

export const listOf = (value: Json | undefined): ReadonlyArray<Json> => isList(value) ? value : []

export const mapped = (members: Members, change: (member: Json, name: string) => Json): Members =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member, name)]))

/** True for a schema that says what it is, itself or by the component that it refers to. */
const isDescribed = (schema: Members): boolean =>
  "description" in schema || "$ref" in schema ||
  listOf(schema["allOf"]).some((each) => isMembers(each) && isDescribed(each))

/**
 * Adds a description to every property of the schemas within that has none: that of its name after its nearest owner
 * and a dot, or of its name alone. An owner is a component, or a property that the property belongs to.
 */
export const describedBy = (descriptions: Readonly<Record<string, string>>) => {
  const property = (owners: ReadonlyArray<string>) => (value: Json, name: string): Json => {
    const whole = walk([name, ...owners])(value)
    if (!isMembers(whole) || isDescribed(whole)) return whole
    const names = [...owners.map((owner) => `${owner}.${name}`), name]
    const description = names.flatMap((each) => descriptions[each] ?? [])[0]
    return description === undefined ? whole : { ...whole, description }
  }
  const walk = (owners: ReadonlyArray<string>) => (value: Json): Json => {
    if (isList(value)) return value.map(walk(owners))
    if (!isMembers(value)) return value
    return mapped(
      value,
      (member, name) =>
        name === "properties" && isMembers(member) ? mapped(member, property(owners)) : walk(owners)(member)
    )
  }
  /** `owner`: the component that the schemas belong to. */
  return (owner: string): (value: Json) => Json => walk([owner])
}
