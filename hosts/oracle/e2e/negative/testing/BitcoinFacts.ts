/**
 * The facts of a world as transactions of bitcoin-vm, shown by a node. Their ids are computed from their bytes, and the
 * world is rewritten with those ids.
 */
import { Transaction } from "bitcoinjs-lib"
import { Effect, Layer, Result } from "effect"
import { BitcoinQuorums, layer as observerLayer } from "../../../../../adapters/bitcoin/observe/Observer.ts"
import { slug } from "../../../../../property-tests/EvidenceChains.ts"
import { scriptOfAddress } from "../../../../../src/domain/families/bitcoin/BitcoinScript.ts"
import { TransactionId } from "../../../../../src/domain/chain/TransactionId.ts"
import type { Observation, TransactionEvidence } from "../../../../../src/domain/evidence/TransactionEvidence.ts"
import { bitcoinNode } from "./BitcoinWire.ts"
import type { ShownTransaction } from "./BitcoinWire.ts"
import type { FamilyUnderTest } from "./NegativeFamily.ts"
import { retold } from "./RealIds.ts"
import { chainsOf, noObservations, observedAt, showing, transactionsOn } from "./Observed.ts"

export const scriptOf = (address: string): Uint8Array => Result.getOrThrow(scriptOfAddress(address, "mainnet"))

export const saying = (said: string): Uint8Array =>
  Uint8Array.of(0x6a, 0x4c, said.length, ...new TextEncoder().encode(said))

/** A script that pays no account. */
const nobody = Uint8Array.of(0x51)

/** A deposit's note is at its index; its payments may be anywhere. */
const outputsOf = (
  { deposits: [deposit], orderIds, payments }: TransactionEvidence
): ReadonlyArray<readonly [Uint8Array, bigint]> => {
  const placed: ReadonlyArray<readonly [Uint8Array, bigint]> = deposit === undefined ? [] : [
    ...Array.from(
      { length: deposit.index },
      (_, at) => at === 0 ? [scriptOf(deposit.depository), deposit.amount] as const : [nobody, 0n] as const
    ),
    [saying(deposit.depositId), 0n]
  ]
  return [
    ...placed,
    ...orderIds.map((id) => [saying(id), 0n] as const),
    ...payments.map(({ amount, recipient }) => [scriptOf(recipient), amount] as const),
    [nobody, 0n]
  ]
}

const payer = (evidence: TransactionEvidence): Uint8Array => {
  const [deposit] = evidence.deposits
  return deposit === undefined ? nobody : scriptOf(deposit.depositor)
}

/** Each transaction spends a coin of its own, named by the world's id for the transaction. */
const transactionOf = (evidence: TransactionEvidence, name: string): Transaction => {
  const transaction = new Transaction()
  transaction.addInput(Uint8Array.from(Buffer.from(name, "hex")), 1)
  for (const [script, amount] of outputsOf(evidence)) transaction.addOutput(script, amount)
  return transaction
}

/** What was made for each of a world's transactions and its state, by the id of the made transaction. */
const made = new Map<string, ShownTransaction>()

const confirmationsOf = ({ finality }: TransactionEvidence): number =>
  finality._tag === "Final" ? 100 : Math.min(finality.confirmations, 5)

const realized = (seen: Observation): Observation => {
  if (seen._tag !== "Transaction" || !seen.chain.startsWith(slug("bitcoin-vm"))) return seen
  const transaction = transactionOf(seen, seen.transactionId)
  const id = TransactionId.make(transaction.getId())
  made.set(id, { transaction, spent: [payer(seen)], time: seen.block.time, confirmations: confirmationsOf(seen) })
  return { ...seen, transactionId: id }
}

/** Evidence of bitcoin-vm at the wire. */
export const bitcoinFacts: FamilyUnderTest = {
  family: "bitcoin-vm",
  realize: (world) => retold(world, realized),
  // A node that does not know a transaction of its own chain cannot say which other chain has it.
  shownAs: { "wrong-chain": "not-found", unread: "not-found" },
  // A transaction in a block has succeeded, and is one deposit at most.
  cannotShow: [
    "the transaction reverted",
    "the deposit reverted",
    "the payment reverted",
    "two deposits in one place",
    "paid once for two refunds"
  ],
  open: (all) =>
    showing(
      noObservations,
      Effect.fnUntraced(function*(shown) {
        const chains = chainsOf(all, "bitcoin-vm")
        const { urlOf } = yield* bitcoinNode(chains, (chain) => ({
          transactions: transactionsOn(chain, shown()).flatMap(({ transactionId }) => made.get(transactionId) ?? [])
        }))
        return observerLayer.pipe(Layer.provide(Layer.succeed(BitcoinQuorums, { of: observedAt(chains, urlOf) })))
      })
    )
}
