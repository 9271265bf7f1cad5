/** The gate of a stored submission, as far as this configuration knows it. */
import * as Effect from "effect/Effect"
import { Chains } from "../../../ports/chain/Chains.ts"
import { SettlingHub } from "../../../ports/hub/SettlingHub.ts"
import type { Gate } from "../../../ports/hub/SettlingHub.ts"
import type { Submission } from "../../../ports/store/orders/Settlements.ts"
import { findChain } from "../../domain/chain/Chain.ts"

/**
 * Finds the gate of a submission, with its chain: of a configured hub, or of a served chain. Undefined when neither is
 * configured. A submission without a gate of its own uses that of the hub on its chain.
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
