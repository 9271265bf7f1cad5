/** The states of solana-vm withdrawals, and transactions that executed them, shown by a node. */
import { Effect, Layer, Redacted, Result } from "effect"
import { observedEndpoints } from "../../../../../adapters/quorum/Endpoints.ts"
import { layer as observerLayer, SolanaQuorums } from "../../../../../adapters/solana/observe/Observer.ts"
import { layer as withdrawalsLayer } from "../../../../../adapters/solana/observe/Withdrawals.ts"
import type { Chain } from "../../../../../src/domain/chain/Chain.ts"
import { hexToBytes } from "../../../../../src/domain/encoding/Hex.ts"
import { programs, usedRequestOf } from "../../../../../src/domain/families/solana/evidence/Programs.ts"
import type { WithdrawalEvidence } from "../../../../../src/domain/evidence/withdrawal/WithdrawalEvidence.ts"
import type { WithdrawalFamilyUnderTest } from "./NegativeWithdrawals.ts"
import { CONFIRMED, FINALIZED, solanaNode } from "./SolanaWire.ts"
import type { Shown, WireTransaction } from "./SolanaWire.ts"

const discriminator = async (name: string) =>
  [...new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(name)))].slice(0, 8)
const executeTransfer = await discriminator("global:execute_transfer")
const usedRequest = await discriminator("account:UsedRequest")

const shownOn = ({ depository }: Chain, evidence: WithdrawalEvidence, claimed: string | undefined): Shown => {
  const used = usedRequestOf(depository, evidence.withdrawalId) ?? programs.system
  const { state } = evidence
  const executed: ReadonlyArray<string> = state._tag === "Executed" ? state.transactionIds : []
  const ids = [...new Set([...executed, ...(claimed === undefined ? [] : [claimed])])]
  return {
    transactions: ids.map((id, at): WireTransaction => ({
      id,
      slot: 1_000 + at,
      time: 1_700_000_000,
      failed: false,
      // A claimed transaction that did not execute it passed something else to the depository.
      instructions: [{
        program: depository,
        accounts: [used],
        data: Uint8Array.of(
          ...executeTransfer,
          ...(executed.includes(id) ? hexToBytes(evidence.withdrawal) : new Uint8Array(121))
        )
      }],
      lamports: new Map(),
      tokens: []
    })),
    ...(state._tag === "Unused" ? { times: { [FINALIZED]: state.finalTime, [CONFIRMED]: state.headTime } } : {}),
    accounts: state._tag === "Executed"
      ? new Map([[used, { owner: depository, data: Uint8Array.of(...usedRequest, 1) }]])
      : new Map()
  }
}

export const solanaWithdrawalFacts: WithdrawalFamilyUnderTest = {
  family: "solana-vm",
  /**
   * Evidence that is read by its id never belongs to another withdrawal or cluster, and a request is either used or
   * not.
   */
  cannotShow: ["evidence of another withdrawal", "evidence of another chain", "spent otherwise"],
  open: (all) =>
    Effect.gen(function*() {
      let shown: { readonly evidence: WithdrawalEvidence; readonly claimed: string | undefined } | undefined
      const chains = all.filter(({ family }) => family.name === "solana-vm")
      const urlOf = yield* solanaNode(chains, (chain) =>
        shown === undefined ? { transactions: [] } : shownOn(chain, shown.evidence, shown.claimed))
      const quorums = Layer.succeed(SolanaQuorums, {
        of: new Map(
          chains.map((chain) => [chain.id, Result.getOrThrow(observedEndpoints([Redacted.make(urlOf(chain))]))])
        )
      })
      return {
        show: (evidence: WithdrawalEvidence, claimed: string | undefined) => {
          shown = { evidence, claimed }
        },
        observers: Layer.mergeAll(observerLayer, withdrawalsLayer).pipe(Layer.provide(quorums))
      }
    })
}
