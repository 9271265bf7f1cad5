/** Field and fault of a request that does not decode, on one line. */
import { SchemaIssue } from "effect"

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()

const MAX_MESSAGE = 300

export const describeIssue = (issue: SchemaIssue.Issue): { readonly field: string; readonly message: string } => {
  const [first] = formatIssue(issue).issues
  const field = (first?.path ?? []).map(String).join(".")
  return {
    field,
    message: `${field === "" ? "request" : field}: ${(first?.message ?? "not valid").slice(0, MAX_MESSAGE)}`
  }
}
