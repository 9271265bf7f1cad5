/** Plays an adversary's plans in a simulated world, with an account of its own. */
import { Clock, Effect } from "effect"
import type { Scope } from "effect"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { Indexing } from "../../../src/services/deposits/index/Indexing.ts"
import { finalAccount } from "../../../examples/ledger-vm/ledger/Ledger.ts"
import type { SignedTransfer } from "../../../examples/ledger-vm/ledger/Transfer.ts"
import { transferId } from "../../../examples/ledger-vm/ledger/Transfer.ts"
import type { SimulatedChain } from "../Chain.ts"
import { reindex } from "../flows/addresses/PayAddress.ts"
import { sponsorKey } from "../flows/Sponsor.ts"
import { ACCOMPLICE, accounts, ADVERSARY, BLOCK_MS, chainIds, currencies, depository, slugs, solver } from "../Terms.ts"
import type { Slug } from "../Terms.ts"
import { addressOf, askUntilQuoted, decodeRequest, gasOf, makeWallet, orderIdOf, send } from "../Users.ts"
import type { Asked, Sent, UsersOfRun } from "../Users.ts"
import type { Move, Plan } from "./Moves.ts"

const NOBODYS_TRANSFER = "ab".repeat(32)

/** How long it tries to get a transfer into a block. */
const PATIENCE_MS = 600_000

/** A quote from a ledger. */
type LedgerQuote = Asked & { readonly origin: Slug }

const isFromLedger = (asked: Asked): asked is LedgerQuote => asked.origin !== "bitcoin" && asked.origin !== "tron"

interface World extends UsersOfRun {
  /** Everybody's quotes and payments. The adversary's are added. */
  readonly asked: Array<Asked>
  readonly sent: Array<Sent>
}

interface Last {
  quote: LedgerQuote | undefined
  payment: { readonly chain: SimulatedChain; readonly signed: SignedTransfer } | undefined
}

const otherOf = (slug: Slug): Slug => slug === slugs[0] ? slugs[1] : slugs[0]

const spelled = (memo: Extract<Move, { readonly do: "pay" }>["memo"], orderId: string): string => {
  if (memo === "order") return orderId
  return memo === "spaced" ? ` ${orderId}` : orderId.toUpperCase().replace("0X", "0x")
}

/** Sends until a final block has used its sequence, for this or for another transfer. */
const sendUntilUsed = (chain: SimulatedChain, signed: SignedTransfer, isWanted: () => boolean) =>
  Effect.gen(function*() {
    const until = (yield* Clock.currentTimeMillis) + PATIENCE_MS
    const { sender, sequence } = signed.transfer
    while (finalAccount(chain.state(), sender).sequence <= sequence && (yield* Clock.currentTimeMillis) < until) {
      if (isWanted()) send(chain, signed)
      yield* Effect.sleep(BLOCK_MS)
    }
  })

export const adversaryOf = ({ asked, chains, dice, sent, tell, use }: World) => {
  const sign = makeWallet()
  const takenBack = new Set<SignedTransfer>()
  const withheld = new Set<SignedTransfer>()

  const ask = Effect.fnUntraced(function*(move: Extract<Move, { readonly do: "ask" }>, last: Last) {
    const [currencyIn, currencyOut] = [currencies[move.currencies[0]], currencies[move.currencies[1]]]
    const recipient = { itself: accounts[ADVERSARY] ?? "", solver, depository }[move.recipient]
    const destination = otherOf(move.from)
    const request = decodeRequest({
      user: accounts[ADVERSARY],
      recipient,
      originChainId: chainIds[move.from],
      destinationChainId: chainIds[destination],
      originCurrency: currencyIn,
      destinationCurrency: currencyOut,
      amount: `${move.amount}`,
      tradeType: move.exact === "input" ? "EXACT_INPUT" : "EXACT_OUTPUT",
      ...(move.isSponsored ? { subsidizeFees: true } : {}),
      ...(move.address === undefined ? {} : {
        useDepositAddress: true,
        strict: move.address === "strict",
        refundTo: accounts[ADVERSARY],
        includeProtocolData: true
      })
    })
    const quote = yield* askUntilQuoted(use, request, dice, move.isSponsored ? sponsorKey : undefined)
    if (quote === undefined) return tell("the adversary gets no quote")
    const { details: { currencyIn: into, currencyOut: out }, steps: [step] } = quote
    last.quote = {
      user: ADVERSARY,
      manner: "exact",
      origin: move.from,
      destination,
      recipient,
      currencyIn,
      currencyOut,
      amountIn: BigInt(into.amount),
      amountOut: BigInt(out.amount),
      gas: gasOf(quote),
      orderId: orderIdOf(quote),
      requestId: RequestId.make(step?.requestId ?? ""),
      at: quote.askedAt,
      address: addressOf(quote),
      isSponsored: move.isSponsored,
      cap: undefined,
      appBps: 0n
    }
    asked.push(last.quote)
    tell(`the adversary is quoted ${into.amount} on ${move.from}: ${last.quote.orderId.slice(0, 10)}`)
  })

  const pay = Effect.fnUntraced(function*(move: Extract<Move, { readonly do: "pay" }>, last: Last) {
    const { quote } = last
    if (quote === undefined) return
    const origin = move.chain === "asked" ? quote.origin : otherOf(quote.origin)
    const isNative = (quote.currencyIn === currencies[0]) === (move.currency === "asked")
    const currency = isNative ? currencies[0] : currencies[1]
    const part = quote.amountIn * BigInt(move.percent) / 100n
    const amount = move.units === undefined ? part > 0n ? part : 1n : BigInt(move.units)
    const { address } = quote
    for (let nth = 1; nth <= move.times; nth += 1) {
      const memo = address === undefined ? spelled(move.memo, quote.orderId) : ""
      const by = move.by === "itself" ? ADVERSARY : ACCOMPLICE
      const signed = sign(by, chains[origin], { currency, amount, memo, recipient: address })
      if (by === ADVERSARY) last.payment = { chain: chains[origin], signed }
      tell(
        `the ${by === ADVERSARY ? "adversary" : "accomplice"} sends ${amount} on ${origin} for ${
          address ?? memo.slice(0, 10)
        }`
      )
      sent.push({ by, origin, currency, amount, memo, address })
      const isWanted = () => !takenBack.has(signed) && !withheld.has(signed)
      yield* Effect.forkScoped(sendUntilUsed(chains[origin], signed, isWanted))
    }
  })

  const takeBack = Effect.fnUntraced(function*({ payment }: Last) {
    if (payment === undefined) return
    takenBack.add(payment.signed)
    const { sequence } = payment.signed.transfer
    const back = sign(ADVERSARY, payment.chain, {
      currency: currencies[0],
      amount: 0n,
      memo: "mine",
      recipient: accounts[ADVERSARY],
      sequence
    })
    tell(`the adversary takes its payment on ${payment.chain.slug} back`)
    yield* Effect.forkScoped(sendUntilUsed(payment.chain, back, () => true))
  })

  const withhold = ({ payment }: Last) =>
    Effect.sync(() => {
      if (payment === undefined) return
      withheld.add(payment.signed)
      tell("the adversary sends its payment no more")
    })

  const resume = ({ payment }: Last) =>
    Effect.sync(() => {
      if (payment === undefined || !withheld.delete(payment.signed)) return
      tell("the adversary sends its payment again")
    })

  const index = Effect.fnUntraced(function*(move: Extract<Move, { readonly do: "index" }>, { payment }: Last) {
    if (payment === undefined) return
    const of = payment.chain.slug === slugs[0] ? slugs[0] : slugs[1]
    const chainId = ChainId.make(chainIds[move.chain === "asked" ? of : otherOf(of)])
    const id = move.of === "nothing" ? NOBODYS_TRANSFER : transferId(payment.signed.transfer)
    for (let nth = 1; nth <= move.times; nth += 1) {
      yield* use(Effect.flatMap(Indexing, (indexing) => indexing.look(chainId, id)))
    }
  })

  const reindexAll = Effect.fnUntraced(function*(move: Extract<Move, { readonly do: "reindex" }>, { quote }: Last) {
    if (quote?.address === undefined) return
    const at = { address: quote.address, origin: quote.origin, isSponsored: quote.isSponsored }
    const target = move.chain === "asked" ? quote.origin : otherOf(quote.origin)
    tell(`the adversary has ${at.address} reindexed ${move.times} times`)
    for (let nth = 1; nth <= move.times; nth += 1) yield* reindex(use, at, target)
  })

  const make = (move: Move, last: Last): Effect.Effect<void, never, Scope.Scope> => {
    switch (move.do) {
      case "ask":
        return ask(move, last)
      case "borrow":
        return Effect.sync(() => {
          last.quote = asked.filter(isFromLedger).findLast(({ address, user }) =>
            user !== ADVERSARY && (move.of === undefined || address !== undefined)
          ) ?? last.quote
        })
      case "pay":
        return pay(move, last)
      case "take-back":
        return takeBack(last)
      case "withhold":
        return withhold(last)
      case "resume":
        return resume(last)
      case "index":
        return index(move, last)
      case "reindex":
        return reindexAll(move, last)
      case "wait":
        return Effect.sleep(move.seconds * 1_000)
    }
  }

  /** Ends when the last move is made, and what was sent is in a final block or given up. */
  const play = (plan: Plan): Effect.Effect<void, never, Scope.Scope> =>
    Effect.gen(function*() {
      const last: Last = { quote: undefined, payment: undefined }
      for (const move of plan) yield* make(move, last)
      yield* Effect.sleep(BLOCK_MS * 10)
    })
  return { play }
}
