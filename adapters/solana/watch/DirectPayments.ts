/**
 * Sends and swaps that users make themselves on a Solana chain. They are found by the reference in their steps, down to
 * a slot, and decoded as the oracle decodes them. Transactions without the reference are found on request.
 *
 * A transaction that was rolled back counts as gone only when its slot has another block, or none.
 */
import { address, isSignature } from "@solana/kit"
import type { Signature } from "@solana/kit"
import { Effect, Layer, Result, Schema } from "effect"
import type { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import { DirectPaymentWatcher } from "../../../ports/chain/DirectPaymentWatcher.ts"
import type { StandingPayment } from "../../../ports/chain/DirectPaymentWatcher.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { hexFromBytes } from "../../../src/domain/encoding/Hex.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { orderIdsOf, paymentsOf } from "../../../src/domain/families/solana/evidence/Payments.ts"
import { referenceOf, vaultOf } from "../../../src/domain/families/solana/evidence/Programs.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import type { UserPayment } from "../../../src/domain/transfer/payment/UserPayment.ts"
import { ByteBoundedCache } from "../../endpoints/ByteBoundedCache.ts"
import { directPaymentRead } from "../../endpoints/DirectPaymentRead.ts"
import { RawTransaction } from "../decode/NodeAnswers.ts"
import { decodeTransaction } from "../decode/WireTransaction.ts"
import { blockAt } from "../pay/Landing.ts"
import { NodeIsBehind, SolanaRpc } from "../rpc/SolanaRpc.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"
import { hashAt } from "./History.ts"
import { makeNewerVersions, NEWEST_VERSION } from "../rpc/TransactionVersion.ts"

const decodeRaw = Schema.decodeUnknownSync(RawTransaction)

/** Slots that every scan reads again: a node may know a block before its index does. */
const OVERLAP_SLOTS = 32n

/** Further than a slot can be confirmed without being final. */
const REWIND_SLOTS = 512n

const PAGE = 1_000

/** Undefined when the node knows no such confirmed transaction, or when it does not name exactly one order. */
const paymentIn = async (
  client: SolanaClient,
  chain: Chain,
  signature: Signature
): Promise<UserPayment | undefined> => {
  const shown = await client.getTransaction(signature, {
    commitment: "confirmed",
    encoding: "base64",
    maxSupportedTransactionVersion: NEWEST_VERSION
  }).send()
  const vault = vaultOf(chain.depository)
  if (shown === null || shown.meta === null || vault === undefined) return undefined
  const { blockTime, meta, slot, transaction: wire } = shown
  const raw = decodeRaw({
    slot: Number(slot),
    blockTime: blockTime === null ? null : Number(blockTime),
    transaction: wire,
    meta
  })
  const { id, transaction } = Result.getOrThrowWith(decodeTransaction(raw, chain.depository), () => new NodeIsBehind())
  if (id !== signature) throw new NodeIsBehind()
  const [named, ...more] = orderIdsOf(transaction)
  const payer = transaction.lamports[0]?.account
  if (named === undefined || more.length > 0 || payer === undefined) return undefined
  const succeeded = meta.err === null
  return {
    orderId: OrderId.make(named),
    transactionId: Result.getOrThrow(parseTransactionId(chain.family, signature)),
    block: await blockAt(client, slot),
    from: payer,
    calls: transaction.instructions.filter(({ isTopLevel }) => isTopLevel).map(({ accounts, data, program }) => ({
      program,
      accounts,
      data: hexFromBytes(data)
    })),
    succeeded,
    payments: succeeded ? paymentsOf(transaction, { program: chain.depository, vault }) : []
  }
}

/** Includes failed transactions. The newest first. */
const signaturesFrom = async (client: SolanaClient, chain: Chain, from: bigint): Promise<ReadonlyArray<Signature>> => {
  const reference = referenceOf(chain.depository)
  if (reference === undefined) return []
  const found: Array<Signature> = []
  let before: Signature | undefined
  while (true) {
    const page = await client.getSignaturesForAddress(address(reference), {
      commitment: "confirmed",
      limit: PAGE,
      ...(before === undefined ? {} : { before })
    }).send()
    found.push(...page.filter(({ slot }) => slot >= from).map(({ signature }) => signature))
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE || last.slot < from) return found.toReversed()
    before = last.signature
  }
}

const signatureOf = (id: TransactionId): Signature => {
  if (!isSignature(id)) throw new Error("a transaction of a Solana chain has no signature")
  return id
}

const look = async (client: SolanaClient, chain: Chain, id: TransactionId): Promise<StandingPayment | undefined> => {
  // Read first, so that a transaction that is found afterwards in a slot up to `final` is really final.
  const [final, newest] = await Promise.all([
    client.getSlot({ commitment: "finalized" }).send(),
    client.getSlot({ commitment: "confirmed" }).send()
  ])
  const payment = await paymentIn(client, chain, signatureOf(id))
  if (payment === undefined) return undefined
  const { height } = payment.block
  return { payment, confirmations: newest >= height ? Number(newest - height) + 1 : 1, final: height <= final }
}

const MAX_REMEMBERED_BYTES = 16 * 1024 * 1024

/** A cache of decoded payments: scans overlap, and a transaction in a block with that hash does not change. */
class Decoded {
  private readonly known = new ByteBoundedCache<UserPayment>(MAX_REMEMBERED_BYTES)
  readonly newer = makeNewerVersions()

  async paymentIn(client: SolanaClient, chain: Chain, signature: Signature): Promise<UserPayment | undefined> {
    const before = this.known.find(signature)
    if (before !== undefined) return before
    const payment = await this.newer.passOver(chain, signature, paymentIn(client, chain, signature), undefined)
    if (payment !== undefined) this.known.keep(signature, payment)
    return payment
  }

  forget(): void {
    this.known.forgetAll()
  }
}

export const layer = Layer.effect(
  DirectPaymentWatcher,
  Effect.gen(function*() {
    const rpc = yield* SolanaRpc
    const decoded = new Decoded()

    const scan = async (client: SolanaClient, chain: Chain, cursor: Cursor) => {
      const latest = await blockAt(client, await client.getSlot({ commitment: "confirmed" }).send())
      const known = await hashAt(client, cursor.height)
      const unchanged = known === cursor.hash
      if (latest.height <= cursor.height && (unchanged || known === undefined)) return { cursor, payments: [] }
      if (!unchanged) decoded.forget()
      const back = unchanged ? OVERLAP_SLOTS : REWIND_SLOTS
      const payments: Array<UserPayment> = []
      for (const signature of await signaturesFrom(client, chain, cursor.height > back ? cursor.height - back : 0n)) {
        const payment = await decoded.paymentIn(client, chain, signature)
        if (payment !== undefined) payments.push(payment)
      }
      return { cursor: { height: latest.height, hash: latest.hash }, payments }
    }

    return DirectPaymentWatcher.of({
      scan: (chain, from) =>
        rpc.call(chain, "scan for sends", (client) => scan(client, chain, from)).pipe(
          Effect.ensuring(decoded.newer.tell(chain))
        ),
      look: (chain, id) => rpc.call(chain, "a send", (client) => look(client, chain, id)),
      lookAgain: (chain, id, block, by) =>
        rpc.witnessed(
          chain,
          directPaymentRead(async (client: SolanaClient) => {
            const found = await look(client, chain, id)
            if (found !== undefined) return found
            const now = await hashAt(client, block.height)
            if (now === undefined || now === block.hash) throw new NodeIsBehind()
            return undefined
          }),
          by
        )
    })
  })
)
