/**
 * The allocator of the local network. For the hub, it signs that a withdrawal was issued for one account there
 * (ORACLE-7). The caller has checked what that account holds.
 */
import { addressCodec } from "../../../../src/domain/families/index.ts"
import { Effect, Result } from "effect"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { issuanceHash } from "../../../../src/domain/hub/Issuance.ts"
import type { HubAccess } from "../demo/Settlement.ts"
import type { Draft } from "./WithdrawalChain.ts"

const { parse } = addressCodec("ethereum-vm")

/** Signs with this key. `withdrawalAddress` is the hub account that pays for it. */
export const issue = Effect.fn("Allocator.issue")(
  function*(key: Hex, hub: HubAccess, withdrawalAddress: string, { id }: Pick<Draft, "id">) {
    const raw = yield* Effect.orDie(Effect.fromResult(Result.gen(function*() {
      return yield* issuanceHash({
        hubChainId: BigInt(hub.chainId),
        oracleContract: yield* parse(hub.oracleAddress),
        withdrawalAddress,
        withdrawalId: id
      })
    })))
    return yield* Effect.promise(() => privateKeyToAccount(key).signMessage({ message: { raw } }))
  }
)
