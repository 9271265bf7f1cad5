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
import { Effect } from "effect"
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

/** A transaction that the node has. `block`: undefined while it waits in the mempool. */
export interface Placed {
  readonly transaction: BtcTransaction
  readonly bytes: Uint8Array
  readonly block: BlockRef | undefined
}

/** Undefined when the node has it neither in its chain nor in its mempool. */
export const placeOf = Effect.fnUntraced(
  function*(rpc: CoreRpc, id: string, deadline: number): Effect.fn.Return<Placed | undefined, ReadFault> {
    const [answer] = yield* rpc.answers([transactionCall(id, 1)], deadline)
    const raw = yield* rawOf(answer)
    if (raw === undefined) return undefined
    const transaction = yield* decodedAs(id, raw.hex)
    const bytes = bytesOfHex(raw.hex)
    if (raw.blockhash === undefined) return { transaction, bytes, block: undefined }
    const block = yield* readHeader(rpc, raw.blockhash, deadline)
    // The node remembers the transactions of blocks that its chain has left.
    return (yield* canonical(rpc, block, deadline)) ? { transaction, bytes, block } : undefined
  }
)

const isCoin = (one: BtcOutpoint, other: BtcOutpoint): boolean =>
  one.index === other.index && one.transactionId === other.transactionId

/** The final transaction that spends a coin, if the explorer names it and the node shows it. */
const finalSpenderOf = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    explorer: Explorer,
    coin: BtcOutpoint,
    finalHeight: bigint,
    deadline: number
  ): Effect.fn.Return<BtcTransaction | undefined, ReadFault> {
    const [answer] = yield* rpc.answers([coinCall(coin.transactionId, coin.index)], deadline)
    if ((yield* coinOf(answer)) !== null) return undefined
    const named = yield* Effect.orElseSucceed(explorer.spenderOf(coin, deadline), () => undefined)
    const spender = named === undefined ? undefined : yield* placeOf(rpc, named, deadline)
    return spender?.block !== undefined && spender.block.height <= finalHeight &&
        spender.transaction.inputs.some((input) => isCoin(input, coin))
      ? spender.transaction
      : undefined
  }
)

/**
 * `lost`: each coin that is gone went to another form of the transaction that wanted it, so nobody else has the key.
 */
type Dead = "taken" | "lost"

/** Whether every form of the payment is dead, by what is final at this node. Undefined when it may still come. */
const readDead = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    explorer: Explorer,
    variants: ReadonlyArray<StoredForm>,
    finalHeight: bigint,
    deadline: number
  ): Effect.fn.Return<Dead | undefined, ReadFault> {
    const forms = variants.map(({ form }) => form)
    const makers = variants.flatMap((variant) => variant.makers ?? [])
    const own = new Map([...variants.flatMap(({ ancestors }) => ancestors), ...forms].map((form) => [form.id, form]))
    const known = new Map<string, SpendingInputs>([...makers.map((maker) => [maker.id, maker] as const), ...own])
    const spenders = new Map<string, string>()
    const finals = new Set<string>()
    let dead: Dead = "lost"
    for (const form of known.values()) {
      const place = yield* placeOf(rpc, form.id, deadline)
      if (place?.block !== undefined && place.block.height <= finalHeight) {
        finals.add(form.id)
        continue
      }
      for (const coin of form.inputs) {
        const spender = yield* finalSpenderOf(rpc, explorer, coin, finalHeight, deadline)
        // A node may show one of the forms only now.
        if (spender === undefined || forms.some(({ id }) => id === spender.id)) continue
        spenders.set(coinName(coin), spender.id)
        const replaced = own.get(form.id)
        // Whoever took the coin of a maker in a block: that maker's own payment says so.
        if (replaced !== undefined && !isFormOf(spender, replaced)) dead = "taken"
      }
    }
    const isDead = isPaymentDead(forms, known, {
      isFinal: (id) => finals.has(id),
      spenderOf: (coin) => spenders.get(coinName(coin))
    })
    return isDead ? dead : undefined
  }
)

/** A variant of a payment, with its form. */
export interface DecodedVariant extends StoredForm {
  readonly transactionId: TransactionId
}

/** `variants`: oldest first. */
export const readOutcome = (
  chain: Chain,
  explorer: Explorer,
  variants: ReadonlyArray<DecodedVariant>
): BitcoinRead<PaymentOutcome> =>
  Effect.fnUntraced(function*(rpc, deadline): Effect.fn.Return<PaymentOutcome, ReadFault> {
    // The head first: what the node shows afterwards is at least as new.
    const { finalHeight } = yield* readHead(rpc, chain, deadline)
    let isWaiting = false
    for (const { form, transactionId } of variants) {
      const place = yield* placeOf(rpc, form.id, deadline)
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
