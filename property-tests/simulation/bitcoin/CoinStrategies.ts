/**
 * What an adversary does on the simulated Bitcoin chain: public moves of somebody who has coins, and whose transactions
 * nodes and miners treat like any others.
 */
import { Clock, Effect, Result } from "effect"
import type { Scope } from "effect"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { BtcOutput } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { sameBytes } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import { families } from "../../../src/domain/families/index.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { Indexing } from "../../../src/services/deposits/index/Indexing.ts"
import type { Dice } from "../Dice.ts"
import { unitsWorth } from "../Routes.ts"
import { accounts as ledgerAccounts, ADVERSARY, bitcoin, chainIds, native, slugs } from "../Terms.ts"
import { askUntilQuoted, decodeRequest, gasOf, makeWallet, memoOf, sendUntilFinal } from "../Users.ts"
import type { Asked, Sent, UsersOfRun } from "../Users.ts"
import type { BitcoinChain } from "./BitcoinChain.ts"
import { askedToSign } from "./BitcoinQuote.ts"
import { spentBy } from "./CoinChain.ts"
import type { Waiting } from "./CoinChain.ts"
import { signedBy } from "./CoinTransaction.ts"
import type { CoinTransaction } from "./CoinTransaction.ts"
import { makeCoinWallet, noteOf, sendUntilSettled } from "./CoinWallet.ts"
import { accounts, depository, LEAST_OUTPUT, solver } from "./Terms.ts"
import type { CoinKey } from "./Terms.ts"

/** Each with what it does. */
export const coinStrategyMeanings = {
  "double-spend": "pays from Bitcoin, and spends the same coins to itself whenever a node takes that",
  "double-spend-indexed": "the same, once it has named its payment for indexing",
  "two-orders": "pays for two of its quotes in one transaction, which names both",
  "several-outputs": "pays one quote by several outputs of one transaction",
  "note-of-another": "pays under the order of somebody else",
  "tiny-deposits": "pays one quote by a transaction of many tiny outputs, and by many tiny transactions",
  "spends-payments": "spends what the solver pays it before a block has it, in a chain of transactions that pay little",
  "dusts-solver": "sends tiny coins to the solver's own account",
  "late-coins": "pays from Bitcoin when the price has long expired"
} as const

export type CoinStrategy = keyof typeof coinStrategyMeanings
const isCoinStrategy = (name: string): name is CoinStrategy => Object.hasOwn(coinStrategyMeanings, name)
export const coinStrategyNames: ReadonlyArray<CoinStrategy> = Object.keys(coinStrategyMeanings).filter(isCoinStrategy)

/** How many of them an adversary combines at most. */
const COMBINED = 2

/** The strategies of a run: of those that are switched on, some that its seed draws. */
export const drawCoinStrategies = (on: ReadonlySet<string>, dice: Dice): ReadonlyArray<CoinStrategy> => {
  const [first, ...rest] = [...on].filter(isCoinStrategy)
  if (first === undefined) return []
  const many = Math.min(rest.length + 1, dice.between(1, COMBINED))
  return [...new Set(Array.from({ length: many }, () => dice.pick([first, ...rest])))]
}

interface World extends UsersOfRun {
  readonly bitcoin: BitcoinChain
  /** Everybody's quotes and payments. The adversary's are added. */
  readonly asked: Array<Asked>
  readonly sent: Array<Sent>
}

/** How long it waits for a payment of the solver, and how often it looks. */
const PATIENCE_MS = 300_000
const LOOKS_EVERY_MS = 1_000
const DESCENDANTS = 20
/** Outputs of the first of them: a replacement of their parent has to pay for all of that, too. */
const OUTPUTS = 60
/** Satoshi for a transaction of one input at the least rate that nodes relay: for itself, and for each output. */
const RELAYED = { own: 85n, output: 32n } as const

const itself = (): CoinKey => {
  const key = accounts[ADVERSARY]
  if (key === undefined) throw new Error("the adversary has no coins")
  return key
}

const into = (amount: bigint): BtcOutput => ({ script: depository.script, amount })

/** Plays one strategy, to its end. */
export const coinAdversaryOf = ({ asked, bitcoin: chain, chains, dice, sent, tell, use }: World) => {
  const key = itself()
  const wallet = makeCoinWallet(chain)
  const sign = makeWallet()

  const ask = Effect.fnUntraced(function*(origin: "bitcoin" | (typeof slugs)[number], amount: number) {
    const destination = origin === "bitcoin" ? dice.pick(slugs) : "bitcoin"
    const [currencyIn, currencyOut] = origin === "bitcoin" ? [bitcoin, native] : [native, bitcoin]
    const ledger = ledgerAccounts[ADVERSARY] ?? ""
    const [user, recipient] = origin === "bitcoin" ? [key.address, ledger] : [ledger, key.address]
    const request = decodeRequest({
      user,
      recipient,
      originChainId: chainIds[origin],
      destinationChainId: chainIds[destination],
      originCurrency: currencyIn,
      destinationCurrency: currencyOut,
      amount: `${unitsWorth(amount, currencyIn)}`,
      tradeType: "EXACT_INPUT"
    })
    const quote = yield* askUntilQuoted(use, request, dice)
    if (quote === undefined) {
      tell("the adversary gets no quote")
      return undefined
    }
    const made: Asked = {
      user: ADVERSARY,
      manner: "exact",
      origin,
      destination,
      recipient,
      currencyIn,
      currencyOut,
      amountIn: BigInt(quote.details.currencyIn.amount),
      amountOut: BigInt(quote.details.currencyOut.amount),
      gas: gasOf(quote),
      orderId: origin === "bitcoin" ? askedToSign(quote).orderId : memoOf(quote),
      requestId: RequestId.make(quote.steps[0]?.requestId ?? ""),
      at: yield* Clock.currentTimeMillis,
      isSponsored: false,
      cap: undefined,
      appBps: 0n
    }
    asked.push(made)
    tell(`the adversary is quoted ${made.amountIn} on ${origin}: ${made.orderId.slice(0, 10)}`)
    return made
  })

  const amountOf = () => dice.between(1_000_000, 40_000_000)

  /** Sends a deposit until it is settled, in the background. */
  const deposit = Effect.fnUntraced(
    function*(outputs: ReadonlyArray<BtcOutput>, memo: string, isWanted: () => boolean = () => true) {
      const signed = wallet.sign({ by: key, outputs })
      if (signed === undefined) {
        tell("the adversary has too few coins")
        return undefined
      }
      const amount = outputs.reduce(
        (sum, each) => sameBytes(each.script, depository.script) ? sum + each.amount : sum,
        0n
      )
      tell(`the adversary sends ${amount} on bitcoin for ${memo.slice(0, 10)} by ${signed.id.slice(0, 10)}`)
      sent.push({ by: ADVERSARY, origin: "bitcoin", currency: bitcoin, amount, memo })
      yield* Effect.forkScoped(sendUntilSettled(chain, signed, isWanted))
      return signed
    }
  )

  const index = (transaction: CoinTransaction) => {
    const id = parseTransactionId(families["bitcoin-vm"], transaction.id)
    return Result.isFailure(id)
      ? Effect.void
      : Effect.asVoid(
        use(Effect.flatMap(Indexing, (indexing) => indexing.look(ChainId.make(chainIds.bitcoin), id.success)))
      )
  }

  const doubleSpend = Effect.fnUntraced(function*(isIndexed: boolean) {
    const quote = yield* ask("bitcoin", amountOf())
    if (quote === undefined) return
    let isWanted = true
    const { amountIn, orderId } = quote
    const signed = yield* deposit([into(amountIn), noteOf(orderId)], orderId, () => isWanted)
    if (signed === undefined) return
    yield* Effect.sleep(dice.between(1, 40) * 1_000)
    if (isIndexed) yield* index(signed)
    isWanted = false
    tell("the adversary spends the same coins to itself")
    yield* sendUntilSettled(chain, wallet.takeBack(key, signed))
  })

  /** Spends an output to itself, in a chain of transactions at the least rate that nodes relay. */
  const spendOn = ({ id, outputs }: Waiting, at: number) => {
    let coin = { transactionId: id, index: at, amount: outputs[at]?.amount ?? 0n }
    for (let nth = 0; nth < DESCENDANTS; nth += 1) {
      const many = nth === 0 ? OUTPUTS : 1
      const amount = coin.amount - RELAYED.own - RELAYED.output * BigInt(many) - LEAST_OUTPUT * BigInt(many - 1)
      if (amount < LEAST_OUTPUT) return
      const smallest = Array.from({ length: many - 1 }, () => ({ script: key.script, amount: LEAST_OUTPUT }))
      const next = signedBy(key, [coin], [{ script: key.script, amount }, ...smallest])
      if (Result.isFailure(chain.send(next.bytes))) return
      coin = { transactionId: next.id, index: 0, amount }
    }
  }

  const spendPayments = Effect.fnUntraced(function*() {
    const from = dice.pick(slugs)
    const quote = yield* ask(from, amountOf())
    if (quote === undefined) return
    const { amountIn, currencyIn, orderId } = quote
    const signed = sign(ADVERSARY, chains[from], { currency: currencyIn, amount: amountIn, memo: orderId })
    sent.push({ by: ADVERSARY, origin: from, currency: currencyIn, amount: amountIn, memo: orderId })
    tell(`the adversary sends ${amountIn} on ${from} for ${orderId.slice(0, 10)}`)
    yield* Effect.forkScoped(sendUntilFinal(chains[from], signed))
    const until = (yield* Clock.currentTimeMillis) + PATIENCE_MS
    while ((yield* Clock.currentTimeMillis) < until) {
      const state = chain.state()
      const { pool } = state
      for (const paying of pool) {
        const at = paying.outputs.findIndex(({ script }) => sameBytes(script, key.script))
        const isSpent = pool.some(({ inputs }) => inputs.some(({ transactionId }) => transactionId === paying.id))
        const isOfSolver = spentBy(state, paying)?.some(({ script }) => sameBytes(script, solver.script)) ?? false
        if (at >= 0 && isOfSolver && !isSpent) {
          tell("the adversary spends a payment of the solver that waits")
          spendOn(paying, at)
        }
      }
      yield* Effect.sleep(LOOKS_EVERY_MS)
    }
  })

  const play = Effect.fnUntraced(function*(strategy: CoinStrategy) {
    switch (strategy) {
      case "double-spend":
        return yield* doubleSpend(false)
      case "double-spend-indexed":
        return yield* doubleSpend(true)
      case "spends-payments":
        return yield* spendPayments()
      case "dusts-solver": {
        const outputs = Array.from({ length: 40 }, () => ({ script: solver.script, amount: LEAST_OUTPUT }))
        const signed = wallet.sign({ by: key, outputs })
        return signed === undefined ? undefined : yield* sendUntilSettled(chain, signed)
      }
      default:
    }
    const quote = yield* ask("bitcoin", amountOf())
    if (quote === undefined) return
    const { amountIn, orderId } = quote
    const note = noteOf(orderId)
    switch (strategy) {
      case "two-orders": {
        const other = yield* ask("bitcoin", amountOf())
        const outputs = [into(amountIn), note, into(other?.amountIn ?? LEAST_OUTPUT), noteOf(other?.orderId ?? "")]
        return yield* deposit(outputs, orderId)
      }
      case "several-outputs":
        return yield* deposit(
          [into(amountIn / 3n), note, into(amountIn / 3n), into(amountIn - 2n * (amountIn / 3n))],
          orderId
        )
      case "note-of-another": {
        const borrowed = asked.find(({ origin, user }) => origin === "bitcoin" && user !== ADVERSARY)?.orderId
        return yield* deposit([into(amountIn), noteOf(borrowed ?? orderId)], borrowed ?? orderId)
      }
      case "tiny-deposits": {
        yield* deposit([note, ...Array.from({ length: 30 }, () => into(LEAST_OUTPUT))], orderId)
        for (let nth = 0; nth < 4; nth += 1) yield* deposit([into(LEAST_OUTPUT), note], orderId)
        return
      }
      case "late-coins":
        yield* Effect.sleep(dice.between(28, 90) * 1_000)
        return yield* deposit([into(amountIn), note], orderId)
    }
  })

  return {
    /** Ends when the last move is made. */
    play: (strategy: CoinStrategy): Effect.Effect<void, never, Scope.Scope> =>
      Effect.andThen(Effect.sleep(dice.between(0, 60_000)), Effect.asVoid(play(strategy)))
  }
}
