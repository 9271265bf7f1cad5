/**
 * The facts of a world as transactions of tron-vm, shown by a node. Their ids are computed from their bytes, and the
 * world is rewritten with those ids.
 */
import { Effect, Layer, Result } from "effect"
import { layer as observerLayer, TronQuorums } from "../../../../../adapters/tron/observe/Observer.ts"
import { slug } from "../../../../../property-tests/EvidenceChains.ts"
import { CurrencyAddress } from "../../../../../src/domain/chain/Address.ts"
import type { Address } from "../../../../../src/domain/chain/Address.ts"
import { accountOfTron } from "../../../../../src/domain/families/tron/TronAddresses.ts"
import { TransactionId } from "../../../../../src/domain/chain/TransactionId.ts"
import type { Observation, TransactionEvidence } from "../../../../../src/domain/evidence/TransactionEvidence.ts"
import { writtenCall } from "../../../../../src/domain/families/tron/evidence/testing/WrittenTransaction.ts"
import { logsOf } from "./EthereumFacts.ts"
import type { FamilyUnderTest } from "./NegativeFamily.ts"
import { retold } from "./RealIds.ts"
import { SOLID, tronNode } from "./TronWire.ts"
import type { ShownTransaction } from "./TronWire.ts"
import { chainsOf, noObservations, observedAt, showing, transactionsOn } from "./Observed.ts"

const accountOf = (address: string): Address => Result.getOrThrow(accountOfTron(address))
const currencyOf = (address: string): CurrencyAddress => CurrencyAddress.make(accountOf(address))

/** The same evidence as contracts log it. */
const asLogged = (evidence: TransactionEvidence): TransactionEvidence => ({
  ...evidence,
  deposits: evidence.deposits.map((each) => ({
    ...each,
    depository: accountOf(each.depository),
    depositor: accountOf(each.depositor),
    currency: currencyOf(each.currency)
  })),
  payments: evidence.payments.map((each) => ({
    ...each,
    recipient: accountOf(each.recipient),
    currency: currencyOf(each.currency),
    through: each.through._tag === "Router" ? { ...each.through, router: accountOf(each.through.router) } : each.through
  })),
  routerCalls: evidence.routerCalls.map((each) => ({ ...each, router: accountOf(each.router) }))
})

const made = new Map<string, ShownTransaction>()

const written = (evidence: TransactionEvidence) => {
  const input = evidence.orderIds.length === 0 ? "" : `feedf00d${evidence.orderIds.map((id) => id.slice(2)).join("")}`
  return writtenCall(`41${"50".repeat(20)}`, `41${"60".repeat(20)}`, input, {
    salt: Number.parseInt(evidence.transactionId.slice(-8), 16)
  })
}

const realized = (seen: Observation): Observation => {
  if (seen._tag !== "Transaction" || !seen.chain.startsWith(slug("tron-vm"))) return seen
  const { id, rawHex } = written(seen)
  const number = Number.parseInt(seen.transactionId.slice(-8), 16)
  // A transaction that is not final is above the solidified block, in a block of its own.
  const height = seen.finality._tag === "Final" ? 1_000 + number % 1_000 : SOLID + 1 + number % 15
  made.set(id, {
    id,
    rawHex,
    height,
    time: seen.block.time,
    succeeded: seen.outcome === "succeeded",
    logs: logsOf(asLogged(seen))
  })
  return { ...seen, transactionId: TransactionId.make(id) }
}

/** Evidence of tron-vm at the wire. */
export const tronFacts: FamilyUnderTest = {
  family: "tron-vm",
  realize: (world) => retold(world, realized),
  // A node that does not know a transaction of its own chain cannot say which other chain has it.
  shownAs: { "wrong-chain": "not-found", unread: "not-found", "several-order-ids": "wrong-order-id" },
  open: (all) =>
    showing(
      noObservations,
      Effect.fnUntraced(function*(shown) {
        const chains = chainsOf(all, "tron-vm")
        const { urlOf } = yield* tronNode(chains, (chain) => ({
          transactions: transactionsOn(chain, shown()).flatMap(({ transactionId }) => made.get(transactionId) ?? [])
        }))
        return observerLayer.pipe(Layer.provide(Layer.succeed(TronQuorums, { of: observedAt(chains, urlOf) })))
      })
    )
}
