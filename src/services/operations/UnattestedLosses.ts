/**
 * Shows what was given back without an oracle's signature, from the store: a refund that was signed for is among it,
 * whatever became of the process that did.
 */
import * as Effect from "effect/Effect"
import { Chains } from "../../../ports/chain/Chains.ts"
import { UnattestedRefunds } from "../../../ports/store/ledger/UnattestedRefunds.ts"
import { findChain } from "../../domain/chain/Chain.ts"
import { noteUnattested } from "./Meters.ts"

export const showUnattested = Effect.gen(function*() {
  const chains = yield* Chains
  const unattested = yield* UnattestedRefunds
  for (const { chainId, usdMicros } of yield* unattested.totals) {
    yield* noteUnattested(findChain(chains.all, chainId)?.slug ?? `${chainId}`, usdMicros)
  }
})
