/**
 * The keys of the further accounts that pay, and that no two keys of the service are the same (SAFE-6). SECURITY: a
 * problem names variables, never a value.
 */
import { Redacted, Result, Schema, SchemaGetter } from "effect"
import { Hex32FromString } from "../../../src/domain/encoding/Hex.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { accountOfKey } from "../../../src/domain/encoding/Signature.ts"
import { Problem } from "../../configuration/Variables.ts"
import type { Variable } from "../../configuration/Variables.ts"

type Key = Redacted.Redacted<Hex32>

/** 32 bytes that are a key of secp256k1. */
export const privateKey = (label: string) =>
  Schema.RedactedFromValue(Hex32FromString.check(Schema.makeFilter((key) => Result.isSuccess(accountOfKey(key)))), {
    label,
    disallowEncode: true
  })

const keyList = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{64}(?:;0x[0-9a-fA-F]{64})*$/)).pipe(
  Schema.decodeTo(Schema.Array(privateKey("paying-key")), {
    decode: SchemaGetter.transform((text: string) => text.split(";")),
    encode: SchemaGetter.forbidden(() => "a key is never written")
  })
)

export const furtherKeys: Variable<ReadonlyArray<Key>> = {
  name: "SOLVER_FURTHER_PRIVATE_KEYS",
  meaning:
    "the keys of further accounts that pay on EVM chains, so that a payment that is stuck holds up only those of its own account: 0x and 64 hex digits each, separated by semicolons, none of them a key of anything else, the same for every process of a store; SOLVER_PRIVATE_KEY alone pays when unset",
  schema: keyList
}

export const retiredKeys: Variable<ReadonlyArray<Key>> = {
  name: "SOLVER_RETIRED_PRIVATE_KEYS",
  meaning:
    "keys that were among SOLVER_FURTHER_PRIVATE_KEYS: their accounts pay nothing new, and what they have signed is watched, and replaced when it is stuck; in the same form",
  schema: keyList
}

/** The keys of one variable. */
export interface NamedKeys {
  readonly name: string
  readonly keys: ReadonlyArray<Key>
}

/**
 * The holder of one key must not hold another: money at deposit addresses is not the solver's, and two accounts with one
 * key would count one sequence twice.
 */
export const refuseSameKeys = (all: ReadonlyArray<NamedKeys>): Result.Result<undefined, Problem> => {
  const named = all.flatMap(({ keys, name }) => keys.map((key) => ({ name, key: Redacted.value(key) })))
  const same = named.flatMap(({ key, name }, index) => {
    const before = named.slice(0, index).find((other) => other.key === key)
    if (before === undefined) return []
    return [before.name === name ? `${name} has a key twice` : `${name} must not be ${before.name}`]
  })
  return same.length === 0
    ? Result.succeed(undefined)
    : Result.fail(new Problem({ message: [...new Set(same)].join("\n  - ") }))
}
