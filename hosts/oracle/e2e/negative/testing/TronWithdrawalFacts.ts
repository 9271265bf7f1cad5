/** The states of tron-vm withdrawals, and transactions that executed them, shown by a node. */
import { Effect, Layer, Result } from "effect"
import { layer as observerLayer, TronQuorums } from "../../../../../adapters/tron/observe/Observer.ts"
import { layer as withdrawalsLayer } from "../../../../../adapters/tron/observe/Withdrawals.ts"
import type { WithdrawalWorld } from "../../../../../property-tests/EvidenceWithdrawals.ts"
import { accountOfTron } from "../../../../../src/domain/families/tron/TronAddresses.ts"
import { TransactionId } from "../../../../../src/domain/chain/TransactionId.ts"
import type { WithdrawalEvidence } from "../../../../../src/domain/evidence/withdrawal/WithdrawalEvidence.ts"
import { writtenCall } from "../../../../../src/domain/families/tron/evidence/testing/WrittenTransaction.ts"
import { executeSelector, executing } from "./EthereumWithdrawalFacts.ts"
import type { WithdrawalFamilyUnderTest } from "./NegativeWithdrawals.ts"
import { suiteChains } from "./NegativeFamily.ts"
import { SOLID, tronNode } from "./TronWire.ts"
import type { Shown, ShownTransaction } from "./TronWire.ts"
import { chainsOf, noWithdrawal, observedAt, showing } from "./Observed.ts"
import type { ShownWithdrawal } from "./Observed.ts"

const HEAD = 4_019

const depositoryOf = (chain: string): string =>
  `41${Result.getOrThrow(accountOfTron(suiteChains.find(({ slug }) => slug === chain)?.depository ?? "")).slice(2)}`

const sent = (chain: string, input: string): ShownTransaction => ({
  ...writtenCall(`41${"50".repeat(20)}`, depositoryOf(chain), input),
  succeeded: true,
  height: 3_000,
  time: 1_700_000_000,
  logs: []
})

const execution = ({ chain, withdrawal }: WithdrawalEvidence): ShownTransaction =>
  sent(chain, executing(withdrawal).slice(2))

/** Passes something else to the depository. */
const unrelated = ({ chain }: WithdrawalEvidence): ShownTransaction =>
  sent(chain, `${executeSelector.slice(2)}${"00".repeat(128)}`)

const shownOf = (shown: ShownWithdrawal | undefined): Shown => {
  if (shown === undefined) return { transactions: [] }
  const { evidence } = shown
  const { state } = evidence
  return {
    transactions: [unrelated(evidence), ...(state._tag === "Executed" ? [execution(evidence)] : [])],
    times: state._tag === "Unused" ? { [SOLID]: state.finalTime, [HEAD]: state.headTime } : {},
    isUsed: (id) => state._tag === "Executed" && id === evidence.withdrawalId.slice(2)
  }
}

const realize = (world: WithdrawalWorld): WithdrawalWorld => {
  const { claim, evidence } = world
  const executed: ReadonlyArray<string> = evidence.state._tag === "Executed" ? evidence.state.transactionIds : []
  const claimed = claim.transactionId
  const { id } = executed.includes(claimed ?? "") ? execution(evidence) : unrelated(evidence)
  return {
    ...world,
    claim: { ...claim, transactionId: claimed === undefined ? undefined : id },
    evidence: evidence.state._tag === "Executed"
      ? { ...evidence, state: { ...evidence.state, transactionIds: [TransactionId.make(id)] } }
      : evidence
  }
}

export const tronWithdrawalFacts: WithdrawalFamilyUnderTest = {
  family: "tron-vm",
  realize,
  /**
   * Evidence that is read from a contract by its id never belongs to another withdrawal or chain, and a request is
   * either used or not.
   */
  cannotShow: ["evidence of another withdrawal", "evidence of another chain", "spent otherwise"],
  open: (all) =>
    showing(
      noWithdrawal,
      Effect.fnUntraced(function*(shown) {
        const chains = chainsOf(all, "tron-vm")
        const { urlOf } = yield* tronNode(chains, () => shownOf(shown()))
        const quorums = { of: observedAt(chains, urlOf) }
        return Layer.mergeAll(observerLayer, withdrawalsLayer).pipe(Layer.provide(Layer.succeed(TronQuorums, quorums)))
      })
    )
}
