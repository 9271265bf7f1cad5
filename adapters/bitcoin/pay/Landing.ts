/**
 * Where a payment stands, as one node shows it: in a block, in its mempool, or dead (BITCOIN-9).
 *
 * SECURITY: a dead payment is signed again. Only final transactions prove it: the explorer names who spends a coin, and
 * the node must have that transaction in a final block, spending the coin by its own bytes. Without an explorer, or
 * with one that lies, nothing is proven and the payment waits.
 *
 * `Superseded` when somebody else took a coin: only who has the key can. `Expired` when it is dead without that,
 * because a block has another form of what made its coins.
 */
import { Effect, Result } from "effect"
import type { PaymentOutcome } from "../../../ports/chain/Treasury.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { BtcOutpoint, BtcTransaction } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { isPaymentDead } from "../../../src/domain/families/bitcoin/treasury/DeadPayment.ts"
import type { SpendingInputs } from "../../../src/domain/families/bitcoin/treasury/DeadPayment.ts"
import { coinName } from "../../../src/domain/families/bitcoin/treasury/FreeCoins.ts"
import { costOf, isFormOf } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import type { StoredForm } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { bytesOfHex, RawTransaction, TxOut } from "../decode/NodeAnswers.ts"
import type { Explorer } from "../observe/explorer/Explorer.ts"
import { canonical, decodedAs, readHeader } from "../observe/ReadPlace.ts"
import type { BitcoinRead } from "../rpc/BitcoinRpc.ts"
import { coinCall, resultOf, resultOrNone, transactionCall } from "../rpc/CoreRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"
import { readHead } from "../watch/Blocks.ts"

const rawOf = resultOrNone(RawTransaction)
const coinOf = resultOf(TxOut)

/** Calls of one request, and coins that the explorer is asked about at once. */
const AT_ONCE = 50
const HINTS_AT_ONCE = 8

/** Transactions of one request: strangers make some of them, of a megabyte each. */
const TRANSACTIONS_AT_ONCE = 16

const chunksOf = <A>(all: ReadonlyArray<A>, atOnce = AT_ONCE): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / atOnce) }, (_, at) => all.slice(at * atOnce, (at + 1) * atOnce))

const readBlock = Effect.fnUntraced(function*(rpc: CoreRpc, hash: string, deadline: number) {
  const block = yield* readHeader(rpc, hash, deadline)
  return { block, isCanonical: yield* canonical(rpc, block, deadline) }
})

/** Who says which transaction spends a coin. */
type Hints = Pick<Explorer, "spenderOf">

/** A transaction that the node has. `block`: undefined while it waits in the mempool. */
export interface Placed {
  readonly transaction: BtcTransaction
  readonly bytes: Uint8Array
  readonly block: BlockRef | undefined
}

/** Those of these transactions that the node has, in its chain or in its mempool. */
const placesOf = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    ids: ReadonlyArray<string>,
    deadline: number
  ): Effect.fn.Return<ReadonlyMap<string, Placed>, ReadFault> {
    const places = new Map<string, Placed>()
    const blocks = new Map<string, { readonly block: BlockRef; readonly isCanonical: boolean }>()
    for (const some of chunksOf([...new Set(ids)], TRANSACTIONS_AT_ONCE)) {
      const answers = yield* rpc.answers(some.map((id) => transactionCall(id, 1)), deadline)
      for (const [at, id] of some.entries()) {
        const raw = yield* rawOf(answers[at])
        if (raw === undefined) continue
        const transaction = yield* decodedAs(id, raw.hex)
        const bytes = bytesOfHex(raw.hex)
        if (raw.blockhash === undefined) {
          places.set(id, { transaction, bytes, block: undefined })
          continue
        }
        const read = blocks.get(raw.blockhash) ?? (yield* readBlock(rpc, raw.blockhash, deadline))
        blocks.set(raw.blockhash, read)
        // The node remembers the transactions of blocks that its chain has left.
        if (read.isCanonical) places.set(id, { transaction, bytes, block: read.block })
      }
    }
    return places
  }
)

/** Undefined when the node has it neither in its chain nor in its mempool. */
export const placeOf = (rpc: CoreRpc, id: string, deadline: number) =>
  Effect.map(placesOf(rpc, [id], deadline), (places) => places.get(id))

/** Those of these coins that the node's blocks do not have, or not any more. */
const readSpent = Effect.fnUntraced(
  function*(rpc: CoreRpc, coins: ReadonlyArray<BtcOutpoint>, deadline: number) {
    const spent: Array<BtcOutpoint> = []
    for (const some of chunksOf(coins)) {
      const answers = yield* rpc.answers(
        some.map(({ index, transactionId }) => coinCall(transactionId, index)),
        deadline
      )
      for (const [at, coin] of some.entries()) if ((yield* coinOf(answers[at])) === null) spent.push(coin)
    }
    return spent
  }
)

/**
 * `lost`: each coin that is gone went to another form of the transaction that wanted it, so nobody else has the key.
 */
type Dead = "taken" | "lost"

const isFinalAt = (finalHeight: bigint) => (place: Placed | undefined): place is Placed =>
  place?.block !== undefined && place.block.height <= finalHeight

/**
 * Which final transactions spend coins, by their own bytes: those that are known, and those that the explorer names and
 * the node shows. SECURITY: a payment has a hundred coins and dozens of forms. What is asked of each, one after the
 * other, would take longer than an endpoint may, and it would never end: so nodes are asked for many at once, the
 * explorer for each coin once, and for none that a transaction is known to spend.
 */
const readSpenders = Effect.fnUntraced(function*(
  rpc: CoreRpc,
  explorer: Hints,
  coins: ReadonlyArray<BtcOutpoint>,
  finals: ReadonlyArray<BtcTransaction>,
  finalHeight: bigint,
  deadline: number
) {
  const isFinal = isFinalAt(finalHeight)
  const spenders = new Map<string, BtcTransaction>()
  const note = (transaction: BtcTransaction) => {
    for (const input of transaction.inputs) spenders.set(coinName(input), transaction)
  }
  finals.forEach(note)
  const isOpen = (coin: BtcOutpoint): boolean => !spenders.has(coinName(coin))
  const looked = new Set<string>()
  for (let open = yield* readSpent(rpc, coins.filter(isOpen), deadline); open.length > 0; open = open.filter(isOpen)) {
    const asked = open.splice(0, HINTS_AT_ONCE)
    const hints = yield* Effect.forEach(asked, (coin) => Effect.result(explorer.spenderOf(coin, deadline)), {
      concurrency: "unbounded"
    })
    const ids = hints.flatMap((hint) =>
      Result.isFailure(hint) || hint.success === undefined || looked.has(hint.success) ? [] : [hint.success]
    )
    ids.forEach((id) => looked.add(id))
    for (const place of (yield* placesOf(rpc, ids, deadline)).values()) if (isFinal(place)) note(place.transaction)
    // Each further question would take as long. It is asked again with the next look.
    if (
      hints.some((hint) => Result.isFailure(hint) && (hint.failure === "timeout" || hint.failure === "unreachable"))
    ) {
      break
    }
  }
  return spenders
})

/** Whether every form of the payment is dead, by what is final at this node. Undefined when it may still come. */
const readDead = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    explorer: Hints,
    variants: ReadonlyArray<StoredForm>,
    finalHeight: bigint,
    deadline: number
  ): Effect.fn.Return<Dead | undefined, ReadFault> {
    const forms = variants.map(({ form }) => form)
    const makers = variants.flatMap((variant) => variant.makers ?? [])
    const own = new Map([...variants.flatMap(({ ancestors }) => ancestors), ...forms].map((form) => [form.id, form]))
    const known = new Map<string, SpendingInputs>([...makers.map((maker) => [maker.id, maker] as const), ...own])
    const finals = [...(yield* placesOf(rpc, [...known.keys()], deadline)).values()].filter(isFinalAt(finalHeight))
      .map(({ transaction }) => transaction)
    const isFinal = (id: string): boolean => finals.some((each) => each.id === id)
    const waiting = [...known.values()].filter(({ id }) => !isFinal(id))
    const coins = [...new Map(waiting.flatMap(({ inputs }) => inputs).map((coin) => [coinName(coin), coin])).values()]
    const spenders = yield* readSpenders(rpc, explorer, coins, finals, finalHeight, deadline)
    // A node may show one of the forms only now.
    const isForm = (id: string): boolean => forms.some((form) => form.id === id)
    const spenderOf = (coin: BtcOutpoint): BtcTransaction | undefined => {
      const spender = spenders.get(coinName(coin))
      return spender === undefined || isForm(spender.id) ? undefined : spender
    }
    // Whoever took the coin of a maker in a block: that maker's own payment says so.
    const isTaken = waiting.some(({ id, inputs }) => {
      const replaced = own.get(id)
      return replaced !== undefined && inputs.some((coin) => {
        const spender = spenderOf(coin)
        return spender !== undefined && !isFormOf(spender, replaced)
      })
    })
    const isDead = isPaymentDead(forms, known, { isFinal, spenderOf: (coin) => spenderOf(coin)?.id })
    return isDead ? isTaken ? "taken" : "lost" : undefined
  }
)

/** A variant of a payment, with its form. */
export interface DecodedVariant extends StoredForm {
  readonly transactionId: TransactionId
}

/** `variants`: oldest first. */
export const readOutcome = (
  chain: Chain,
  explorer: Hints,
  variants: ReadonlyArray<DecodedVariant>
): BitcoinRead<PaymentOutcome> =>
  Effect.fnUntraced(function*(rpc, deadline): Effect.fn.Return<PaymentOutcome, ReadFault> {
    // The head first: what the node shows afterwards is at least as new.
    const { finalHeight } = yield* readHead(rpc, chain, deadline)
    let isWaiting = false
    const places = yield* placesOf(rpc, variants.map(({ form }) => form.id), deadline)
    for (const { form, transactionId } of variants) {
      const place = places.get(form.id)
      isWaiting = place !== undefined
      if (place?.block === undefined) continue
      const { block } = place
      return {
        _tag: "Included",
        transactionId,
        block,
        succeeded: true,
        gasPaid: costOf(form),
        final: block.height <= finalHeight
      }
    }
    // A mempool holds nothing that a block makes impossible. Of the newest form, which is the last one read.
    if (isWaiting) return { _tag: "Pending" }
    switch (yield* readDead(rpc, explorer, variants, finalHeight, deadline)) {
      case "taken":
        return { _tag: "Superseded" }
      case "lost":
        return { _tag: "Expired" }
      case undefined:
        return { _tag: "Unseen" }
    }
  })
