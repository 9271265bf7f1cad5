/** What this process gives the judges: its chains, and how it checks signatures. */
import * as Effect from "effect/Effect"
import { Chains } from "../../../ports/chain/Chains.ts"
import { Signatures } from "../../../ports/signing/Signatures.ts"
import { networkOfAddresses } from "../../domain/chain/AddressNetwork.ts"
import { findChainBySlug } from "../../domain/chain/Chain.ts"
import type { JudgeContext } from "../../domain/evidence/judges/JudgeContext.ts"

export const makeJudgeContext = Effect.gen(function*() {
  const { all } = yield* Chains
  const { isSignedBy } = yield* Signatures
  return {
    chainOf: (slug) => findChainBySlug(all, slug),
    network: networkOfAddresses(all),
    isSignedBy
  } satisfies JudgeContext
})
