/** Where a submission of the store went, as far as this configuration knows it. */
import * as Effect from "effect/Effect"
import { Chains } from "../../../ports/chain/Chains.ts"
import { SettlingHub } from "../../../ports/hub/SettlingHub.ts"
import type { Gate } from "../../../ports/hub/SettlingHub.ts"
import type { Submission } from "../../../ports/store/orders/Settlements.ts"
import { findChain } from "../../domain/chain/Chain.ts"

/**
 * Finds the gate of what was submitted, with its chain: a hub's that is configured, or one that is served. Undefined
 * where neither is. What has no gate of its own goes to that of the hub on its chain.
 */
export const gates = Effect.gen(function*() {
  const { all } = yield* Chains
  const { followed, hub } = yield* SettlingHub
  const known: ReadonlyArray<Gate> = [...(hub === undefined ? [] : [hub]), ...followed]
  return ({ chainId, gate }: Pick<Submission, "chainId" | "gate">): Gate | undefined => {
    const same = known.find((each) => each.chain.id === chainId)
    const chain = same?.chain ?? findChain(all, chainId)
    const to = gate ?? same?.gate
    const form = known.find((each) => each.chain.id === chainId && each.gate === to)?.form
    return chain === undefined || to === undefined
      ? undefined
      : { chain, gate: to, ...(form === undefined ? {} : { form }) }
  }
})
