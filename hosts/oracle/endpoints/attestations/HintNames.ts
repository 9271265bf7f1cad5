/**
 * The families whose hints a body may have: the six, and those that the host serves besides. Another name is refused by
 * name, like any member that the oracle does not know.
 */
import { Effect } from "effect"
import { vmFamilies } from "../../../../src/domain/chain/VmFamily.ts"
import type { Hints } from "../../../../src/domain/families/Hints.ts"
import { Families } from "../../../families.ts"
import { BadRequest } from "../Errors.ts"

export const makeRequireHintNames = Effect.map(Families, (served) => {
  const known = new Set<string>([...vmFamilies, ...served.map(({ rules }) => rules.name)])
  return ({ hints = {} }: { readonly hints?: Hints }): Effect.Effect<void, BadRequest> => {
    const other = Object.keys(hints).find((name) => !known.has(name))
    return other === undefined
      ? Effect.void
      : Effect.fail(
        new BadRequest({ message: `hints.${other}: no family has this name; there are ${[...known].join(", ")}` })
      )
  }
})
