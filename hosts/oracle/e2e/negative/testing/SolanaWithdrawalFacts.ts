/** The states of solana-vm withdrawals, and transactions that executed them, shown by a node. */
import { Effect, Layer } from "effect"
import { layer as observerLayer, SolanaQuorums } from "../../../../../adapters/solana/observe/Observer.ts"
import { layer as withdrawalsLayer } from "../../../../../adapters/solana/observe/Withdrawals.ts"
import type { Chain } from "../../../../../src/domain/chain/Chain.ts"
import { hexToBytes } from "../../../../../src/domain/encoding/Hex.ts"
import { programs, usedRequestOf } from "../../../../../src/domain/families/solana/evidence/Programs.ts"
import type { WithdrawalFamilyUnderTest } from "./NegativeWithdrawals.ts"
import { CONFIRMED, FINALIZED, solanaNode } from "./SolanaWire.ts"
import type { Shown, WireTransaction } from "./SolanaWire.ts"
import { chainsOf, noWithdrawal, observedAt, showing } from "./Observed.ts"
import type { ShownWithdrawal } from "./Observed.ts"

const discriminator = async (name: string) =>
  [...new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(name)))].slice(0, 8)
const executeTransfer = await discriminator("global:execute_transfer")
const usedRequest = await discriminator("account:UsedRequest")

const shownOn = ({ depository }: Chain, shown: ShownWithdrawal | undefined): Shown => {
  if (shown === undefined) return { transactions: [] }
  const { claimed, evidence } = shown
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
    showing(
      noWithdrawal,
      Effect.fnUntraced(function*(shown) {
        const chains = chainsOf(all, "solana-vm")
        const urlOf = yield* solanaNode(chains, (chain) => shownOn(chain, shown()))
        const quorums = { of: observedAt(chains, urlOf) }
        return Layer.mergeAll(observerLayer, withdrawalsLayer).pipe(
          Layer.provide(Layer.succeed(SolanaQuorums, quorums))
        )
      })
    )
}
