/**
 * The transactions that the solver's account has sent on a Solana chain, from the chain's own index of signatures.
 *
 * The chain does not count an account's transactions, so time bounds the past: a transaction names a block that existed
 * when it was signed, and can be executed in the 150 blocks after it.
 */
import { addressCodec, families } from "../../../src/domain/families/index.ts"
import { address, isSignature } from "@solana/kit"
import type { Signature } from "@solana/kit"
import { Effect, Layer, Result, Schema } from "effect"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import type { SentPayment, SentTransaction } from "../../../ports/chain/SentTransactions.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { orderIdsOf } from "../../../src/domain/families/solana/evidence/Payments.ts"
import { isTokenProgram, programs } from "../../../src/domain/families/solana/evidence/Programs.ts"
import type { SvmInstruction, SvmTransaction } from "../../../src/domain/families/solana/evidence/SvmTransaction.ts"
import { limitsOf } from "../../../src/domain/swap/SwapTail.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { RawTransaction } from "../decode/NodeAnswers.ts"
import { decodeTransaction } from "../decode/WireTransaction.ts"
import { lastBlockBefore as blockBefore } from "../../endpoints/sent/LastBlockBefore.ts"
import { readPosition, sentBetween } from "../../endpoints/sent/SentRead.ts"
import { timeAt } from "./History.ts"
import { blockAt } from "../pay/Landing.ts"
import { NodeIsBehind, SolanaRpc } from "../rpc/SolanaRpc.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"
import { SolverAccount } from "../pay/SolverAccount.ts"
import { makeNewerVersions, NEWEST_VERSION } from "../rpc/TransactionVersion.ts"

/** The number of blocks in which a transaction can be executed, and one more. */
const LIFETIME = 151n

/**
 * Blocks after the last that could hold a payment, until all indexes list what the account has sent: thirteen seconds. A final
 * block alone is too new for that (SOLANA-29).
 */
const SETTLED = 64n

/** The most signatures in one request. */
const PAGE = 1_000

const decodeRaw = Schema.decodeUnknownSync(RawTransaction)

const u64At = (data: Uint8Array, at: number): bigint =>
  new DataView(data.buffer, data.byteOffset).getBigUint64(at, true)

/** A transfer by this account itself: lamports through the System program (2), or tokens with their decimals (12). */
const transferOf = (
  chain: Chain,
  { tokensAfter }: SvmTransaction,
  account: string,
  { accounts, data, isTopLevel, program }: SvmInstruction
): Omit<SentPayment, "orderId"> | undefined => {
  if (!isTopLevel) return undefined
  const [first, second, third, fourth] = accounts
  if (program === programs.system && data.length === 12 && data[0] === 2 && first === account && second !== undefined) {
    return { recipient: second, currency: chain.native.address, amount: u64At(data, 4) }
  }
  if (!isTokenProgram(program) || data.length !== 10 || data[0] !== 12 || fourth !== account) return undefined
  const held = tokensAfter.find((each) => each.account === third && each.mint === String(second))
  return held === undefined ? undefined : { recipient: held.owner, currency: held.mint, amount: u64At(data, 1) }
}

/**
 * A route that this account pays through: the call of a swap program, beside the opening of the recipient's account. The
 * amount is what the call takes, of wrapped SOL if the account has none of its token accounts in the call.
 */
const routeOf = (
  chain: Chain,
  { instructions, tokensBefore }: SvmTransaction,
  account: string
): Omit<SentPayment, "orderId"> | undefined => {
  const top = instructions.filter(({ isTopLevel }) => isTopLevel)
  const [call, ...calls] = top.filter(({ program }) =>
    chain.swaps?.sources.some(({ router }) => router === program) === true
  )
  const [recipient, ...recipients] = top.flatMap(({ accounts: [, , owner], program }) =>
    program === programs.associatedToken && owner !== undefined && owner !== account ? [owner] : []
  )
  const limits = call === undefined ? undefined : limitsOf(call.data)
  if (call === undefined || limits === undefined || recipient === undefined || calls.length + recipients.length > 0) {
    return undefined
  }
  const paying = tokensBefore.find((held) => held.owner === account && call.accounts.includes(held.account))
  return {
    recipient,
    currency: paying === undefined || String(paying.mint) === chain.swaps?.wrapped ? chain.native.address : paying.mint,
    amount: limits.most,
    through: "calls"
  }
}

/** Undefined unless it has the form of this service's payments: one memo, and one transfer or one route. */
const paymentOf = (chain: Chain, transaction: SvmTransaction, account: string): SentPayment | undefined => {
  const [orderId, ...more] = orderIdsOf(transaction)
  const route = routeOf(chain, transaction, account)
  if (orderId !== undefined && more.length === 0 && route !== undefined) {
    return { orderId: OrderId.make(orderId), ...route }
  }
  const [transfer, ...others] = transaction.instructions.flatMap((instruction) =>
    transferOf(chain, transaction, account, instruction) ?? []
  )
  return orderId === undefined || transfer === undefined || more.length + others.length > 0
    ? undefined
    : { orderId: OrderId.make(orderId), ...transfer }
}

/**
 * True for the sweep of a deposit address: another owner's deposit, for which the account pays only the fee and the
 * accounts that it opens.
 */
const isSweep = (chain: Chain, { instructions }: SvmTransaction, account: string): boolean => {
  const own = instructions.filter(({ isTopLevel, program }) =>
    isTopLevel && program !== programs.computeBudget && program !== programs.associatedToken
  )
  return own.length > 0 &&
    own.every(({ accounts: [, sender], program }) => program === chain.depository && sender !== account)
}

/** Undefined when no confirmed block of the node has it. */
const readOne = async (
  client: SolanaClient,
  chain: Chain,
  account: Address,
  signature: Signature
): Promise<SentTransaction | undefined> => {
  const shown = await client.getTransaction(signature, {
    commitment: "confirmed",
    encoding: "base64",
    maxSupportedTransactionVersion: NEWEST_VERSION
  }).send()
  if (shown === null) return undefined
  const { blockTime, meta, slot, transaction: wire } = shown
  if (meta === null) throw new NodeIsBehind()
  const raw = decodeRaw({
    slot: Number(slot),
    blockTime: blockTime === null ? null : Number(blockTime),
    transaction: wire,
    meta
  })
  const { id, transaction } = Result.getOrThrowWith(decodeTransaction(raw, chain.depository), () => new NodeIsBehind())
  if (id !== signature) throw new NodeIsBehind()
  return {
    account,
    transactionId: Result.getOrThrow(parseTransactionId(families["solana-vm"], signature)),
    // A slot is never below its block's height. So it expires no earlier than in truth, and never without its history.
    raw: `${wire[0]}.${slot + LIFETIME}.0`,
    sequence: undefined,
    block: await blockAt(client, slot),
    succeeded: meta.err === null,
    gasPaid: meta.fee,
    payment: paymentOf(chain, transaction, account),
    movesNothing: isSweep(chain, transaction, account)
  }
}

export const layer = Layer.effect(
  SentTransactions,
  Effect.gen(function*() {
    const rpc = yield* SolanaRpc
    const { signer } = yield* SolverAccount
    const account = Result.getOrThrow(addressCodec("solana-vm").parse(signer.address))
    const newer = makeNewerVersions()

    const position: SentTransactions["Service"]["position"] = (chain, _, by) =>
      readPosition(rpc, chain, by, async (client) => {
        const [height, finalHeight, newest, final] = await Promise.all([
          client.getSlot({ commitment: "confirmed" }).send(),
          client.getSlot({ commitment: "finalized" }).send(),
          client.getBlockHeight({ commitment: "processed" }).send(),
          client.getBlockHeight({ commitment: "finalized" }).send()
        ])
        const last = newest + LIFETIME
        const finalSequence = final > SETTLED ? final - SETTLED : 0n
        return { counted: false, height, finalHeight, sequence: last, pendingSequence: last, finalSequence }
      })

    const lastBlockBefore: SentTransactions["Service"]["lastBlockBefore"] = Effect.fnUntraced(function*(chain, time) {
      const { height } = yield* position(chain, account, "endpoint")
      return yield* blockBefore(
        height,
        time,
        (slot) => rpc.call(chain, "the time of a block", (client) => timeAt(client, slot))
      )
    })

    const find: SentTransactions["Service"]["find"] = (chain, id) =>
      rpc.call(
        chain,
        "a transaction of the account",
        async (client) => isSignature(id) ? readOne(client, chain, account, id) : undefined
      )

    /**
     * What it paid. Transactions that pay to the account name it too, and any that is not our payment answers no
     * deposit.
     */
    const paymentIn = async (
      client: SolanaClient,
      chain: Chain,
      signature: Signature
    ): Promise<SentTransaction | undefined> => {
      // Of a newer version it is a stranger's: this account signs none.
      const read = await newer.passOver(chain, signature, readOne(client, chain, account, signature), "newer")
      if (read === undefined) throw new NodeIsBehind()
      if (read === "newer") return undefined
      return read.payment === undefined ? undefined : read
    }

    const listOn = (chain: Chain, from: bigint, to: bigint) => async (client: SolanaClient) => {
      const first = await client.getFirstAvailableBlock().send()
      if (from > 0n && first > from) throw new NodeIsBehind()
      const found: Array<SentTransaction> = []
      let before: Signature | undefined
      while (true) {
        const page = await client.getSignaturesForAddress(address(account), {
          commitment: "confirmed",
          limit: PAGE,
          ...(before === undefined ? {} : { before })
        }).send()
        for (const { signature } of page.filter((each) => each.slot >= from && each.slot <= to)) {
          const sent = await paymentIn(client, chain, signature)
          if (sent !== undefined) found.push(sent)
        }
        const last = page.at(-1)
        if (last === undefined || page.length < PAGE || last.slot < from) return found.toReversed()
        before = last.signature
      }
    }

    const between: SentTransactions["Service"]["between"] = (chain, from, to, by) =>
      sentBetween(rpc, chain, by, {
        range: [from, to],
        list: listOn(chain, from, to),
        find: async (client, id) => isSignature(id) ? readOne(client, chain, account, id) : undefined
      }).pipe(Effect.ensuring(newer.tell(chain)))

    return SentTransactions.of({
      accountsOn: () => [account],
      position,
      lastBlockBefore,
      find,
      between,
      useUp: () => Effect.void
    })
  })
)
