/** The states of bitcoin-vm withdrawals, and transactions that spent their coins, shown by a node and an explorer. */
import { Psbt, Transaction } from "bitcoinjs-lib"
import { Effect, Layer, Redacted } from "effect"
import { BitcoinQuorums, layer as observerLayer } from "../../../../../adapters/bitcoin/observe/Observer.ts"
import { layer as withdrawalsLayer } from "../../../../../adapters/bitcoin/observe/Withdrawals.ts"
import type { WithdrawalWorld } from "../../../../../property-tests/EvidenceWithdrawals.ts"
import { hexToBytes } from "../../../../../src/domain/encoding/Hex.ts"
import { TransactionId } from "../../../../../src/domain/chain/TransactionId.ts"
import type { WithdrawalEvidence } from "../../../../../src/domain/evidence/withdrawal/WithdrawalEvidence.ts"
import { saying } from "./BitcoinFacts.ts"
import { bitcoinNode } from "./BitcoinWire.ts"
import type { Shown } from "./BitcoinWire.ts"
import type { WithdrawalFamilyUnderTest } from "./NegativeWithdrawals.ts"
import { chainsOf, noWithdrawal, observedAt, showing } from "./Observed.ts"
import type { ShownWithdrawal } from "./Observed.ts"

/** The transaction that executes the withdrawal; or, with another output, one that spends its coins differently. */
const spending = ({ withdrawal }: WithdrawalEvidence, otherwise: boolean): Transaction => {
  const psbt = Psbt.fromBuffer(hexToBytes(withdrawal))
  const transaction = new Transaction()
  transaction.version = 2
  for (const { hash, index, sequence } of psbt.txInputs) transaction.addInput(hash, index, sequence)
  for (const { script, value } of psbt.txOutputs) transaction.addOutput(script, value)
  if (otherwise) transaction.addOutput(saying("otherwise"), 0n)
  return transaction
}

/** A transaction unrelated to the withdrawal. */
const unrelated = (): Transaction => {
  const transaction = new Transaction()
  transaction.addInput(new Uint8Array(32).fill(3), 0)
  transaction.addOutput(saying("unrelated"), 0n)
  return transaction
}

const shownOf = (shown: ShownWithdrawal | undefined): Shown => {
  if (shown === undefined) return { transactions: [] }
  const { evidence } = shown
  const spender = evidence.state._tag === "Unused" ? [] : [spending(evidence, evidence.state._tag === "SpentOtherwise")]
  return {
    transactions: [unrelated(), ...spender].map((transaction) => ({
      transaction,
      spent: [],
      time: 1_700_000_000,
      confirmations: 100
    }))
  }
}

const realize = (world: WithdrawalWorld): WithdrawalWorld => {
  const { claim, evidence } = world
  const id = spending(evidence, false).getId()
  const executed: ReadonlyArray<string> = evidence.state._tag === "Executed" ? evidence.state.transactionIds : []
  const claimed = claim.transactionId
  return {
    ...world,
    claim: {
      ...claim,
      transactionId: claimed === undefined ? undefined : executed.includes(claimed) ? id : unrelated().getId()
    },
    evidence: evidence.state._tag === "Executed"
      ? { ...evidence, state: { ...evidence.state, transactionIds: [TransactionId.make(id)] } }
      : evidence
  }
}

export const bitcoinWithdrawalFacts: WithdrawalFamilyUnderTest = {
  family: "bitcoin-vm",
  realize,
  /** Evidence that is read by a withdrawal's coins never belongs to another withdrawal or chain. */
  cannotShow: ["evidence of another withdrawal", "evidence of another chain"],
  open: (all) =>
    showing(
      noWithdrawal,
      Effect.fnUntraced(function*(shown) {
        const chains = chainsOf(all, "bitcoin-vm")
        const { explorerUrl, urlOf } = yield* bitcoinNode(chains, () => shownOf(shown()))
        const quorums = {
          of: observedAt(chains, urlOf),
          explorer: { url: Redacted.make(explorerUrl), access: { _tag: "Open" } } as const
        }
        return Layer.mergeAll(observerLayer, withdrawalsLayer).pipe(
          Layer.provide(Layer.succeed(BitcoinQuorums, quorums))
        )
      })
    )
}
