/** Every fault of a value that does not decode, in one sentence for its sender (WIRE-7). */
import * as SchemaIssue from "effect/SchemaIssue"

/** The most faults that are named, and the most characters of one. */
const MOST = 10
const LONGEST = 300

/** How a sender of JSON calls what a schema expects. */
const plainNames: ReadonlyMap<string, string> = new Map([
  ["string", "a text"],
  ["number", "a number"],
  ["an integer", "a whole number"],
  ["boolean", "true or false"],
  ["array", "a list"],
  ["object", "an object"]
])

/** Alternatives that a schema lists: `"a" | "b" | "c"` becomes `"a", "b" or "c"`. */
const plainWords = (message: string): string => {
  const expected = /^Expected (.+)$/su.exec(message)?.[1]
  if (expected === undefined) return message
  const names = expected.split(" | ").map((each) => plainNames.get(each) ?? each)
  const last = names.at(-1) ?? expected
  return `must be ${names.length === 1 ? last : `${names.slice(0, -1).join(", ")} or ${last}`}`
}

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    if (issue._tag === "MissingKey") return "is missing"
    return issue._tag === "UnexpectedKey" ? "is not known here" : SchemaIssue.defaultLeafHook(issue)
  }
})

/** All faults of a body that does not decode, in plain words (ERROR-1). */
export interface Faults {
  /** Path of the first field at fault, with dots. Empty when it is the whole. */
  readonly field: string
  /** `field: what is wrong`, one fault after the other. */
  readonly message: string
}

/** `whole`: how the value itself is called. A field is named once, with its first fault. */
export const describeFaults = (issue: SchemaIssue.Issue, whole: string): Faults => {
  const faults = new Map<string, string>()
  for (const { message, path = [] } of formatIssue(issue).issues) {
    const field = path.map(String).join(".")
    if (!faults.has(field)) faults.set(field, plainWords(message).slice(0, LONGEST))
  }
  const named = [...faults].map(([field, message]) => `${field === "" ? whole : field}: ${message}`)
  const [field = ""] = faults.keys()
  const more = named.length - MOST
  return {
    field,
    message: `${named.slice(0, MOST).join("; ") || `${whole}: not valid`}${more > 0 ? `; and ${more} more` : ""}`
  }
}
