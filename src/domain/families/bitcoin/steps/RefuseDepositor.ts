/** Users for whom no PSBT can be made: one key does not spend their coins, or the key is not theirs. */
import * as Result from "effect/Result"
import type { FamilyRules } from "../../FamilyRules.ts"
import { scriptOfAddress } from "../BitcoinScript.ts"
import { keyScriptOf } from "../spending/KeyScript.ts"

export const refuseDepositor: NonNullable<FamilyRules["refuseDepositor"]> = (user, publicKey, network) => {
  const script = scriptOfAddress(user, network)
  if (Result.isFailure(script)) return { field: "user", why: script.failure.reason }
  const owner = keyScriptOf(script.success, publicKey)
  if (Result.isSuccess(owner)) return undefined
  const { _tag, kind } = owner.failure
  switch (_tag) {
    case "KeyNeeded":
      return { field: "additionalData.userPublicKey", why: `needed because user is a ${kind} address` }
    case "OtherKey":
      return {
        field: "additionalData.userPublicKey",
        why: kind === "P2SH"
          ? "user is not the P2SH-P2WPKH address of this key"
          : "user is not the P2TR address of this key"
      }
    case "NotOneKey":
      return { field: "user", why: `${kind} addresses need more than one key's signature: not supported` }
  }
}
