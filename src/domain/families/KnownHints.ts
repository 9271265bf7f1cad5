/**
 * Hints as a body has them: those of the six families in each family's own form, those of other families as they are.
 * Contents of a family that reads no hints are ignored, since a hint proves nothing.
 */
import * as Schema from "effect/Schema"
import type { Hints } from "./Hints.ts"
import { families } from "./index.ts"

const known = Object.fromEntries(
  Object.values(families).map(({ hint = Schema.Json, name }) => [name, Schema.optionalKey(hint)])
)

/** The names of families are not checked: only a host knows which it serves besides the six. */
export const KnownHints: Schema.Codec<Hints, Hints> = Schema.StructWithRest(
  Schema.Struct(known),
  [Schema.Record(Schema.String, Schema.Json)]
)
