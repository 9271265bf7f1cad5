/** What an adversary does on the simulated Tron chain: public moves of somebody who has TRX. */
import { Clock, Effect, Result } from "effect"
import type { Scope } from "effect"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { accountOfTron } from "../../../src/domain/families/tron/TronAddresses.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { families } from "../../../src/domain/families/index.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { Indexing } from "../../../src/services/deposits/index/Indexing.ts"
import type { Dice } from "../Dice.ts"
import {
  accounts as ledgerAccounts,
  ADVERSARY,
  chainIds,
  keyOf,
  native,
  slugs,
  tron,
  tronOdd,
  tronUsdt
} from "../Terms.ts"
import { askUntilQuoted, decodeRequest, gasOf, makeWallet, memoOf, orderIdOf, sendUntilFinal } from "../Users.ts"
import type { Asked, Sent, UsersOfRun } from "../Users.ts"
import { keptOf } from "./Contracts.ts"
import { accounts, contract, depository, spelled, tokenIn } from "./Terms.ts"
import type { TronKey } from "./Terms.ts"
import type { TronChain } from "./TronChain.ts"
import { orderOf } from "./TronQuote.ts"
import { depositOf, sendUntilSettled, signOn, tokenTransferOf, USUAL_LIFE_MS } from "./TronWallet.ts"

/** Each with what it does. */
export const tronStrategyMeanings = {
  "short-life": "pays from Tron by a transaction that expires soon, so that a reorg takes it back for good",
  "spends-twice": "pays two quotes from Tron, each with more than half of what it has",
  "names-early": "pays from Tron, and names the payment for indexing before a block has it",
  "new-account": "is paid on Tron at an account that does not exist",
  "to-contract": "is paid on Tron at a contract that takes no TRX",
  frozen: "is paid USDT on Tron at an account that the token freezes meanwhile",
  "by-transfer": "pays a token on Tron by its transfer, with the order's id behind it",
  "late-trx": "pays from Tron when the price has long expired"
} as const

export type TronStrategy = keyof typeof tronStrategyMeanings
const isTronStrategy = (name: string): name is TronStrategy => Object.hasOwn(tronStrategyMeanings, name)
export const tronStrategyNames: ReadonlyArray<TronStrategy> = Object.keys(tronStrategyMeanings).filter(isTronStrategy)

/** How many of them an adversary combines at most. */
const COMBINED = 2

/** The strategies of a run: of those that are switched on, some that its seed draws. */
export const drawTronStrategies = (on: ReadonlySet<string>, dice: Dice): ReadonlyArray<TronStrategy> => {
  const [first, ...rest] = [...on].filter(isTronStrategy)
  if (first === undefined) return []
  const many = Math.min(rest.length + 1, dice.between(1, COMBINED))
  return [...new Set(Array.from({ length: many }, () => dice.pick([first, ...rest])))]
}

interface World extends UsersOfRun {
  readonly tron: TronChain
  /** Everybody's quotes and payments. The adversary's are added. */
  readonly asked: Array<Asked>
  readonly sent: Array<Sent>
}

/** How long it tries to pay on a ledger. */
const PATIENCE_MS = 600_000
const SHORT_LIFE_MS = 21_000
/** More than half of what an account has, sun. */
const MOST_OF_ALL = 600_000_000

const itself = (): TronKey => {
  const key = accounts[ADVERSARY]
  if (key === undefined) throw new Error("the adversary has no account on tron")
  return key
}

/** Nobody has paid this account yet. */
const unheardOf = (dice: Dice): string => spelled(`0x${keyOf(dice.between(60, 99)).slice(2, 42)}`)

/** Plays one strategy, to its end. */
export const tronAdversaryOf = ({ asked, chains, dice, sent, tell, tron: chain, use }: World) => {
  const key = itself()
  const sign = makeWallet()
  let signed = 1_000
  const next = (): number => {
    signed += 1
    return signed
  }

  const ask = Effect.fnUntraced(function*(
    origin: "tron" | (typeof slugs)[number],
    amount: number,
    to?: string,
    currency: string = tron
  ) {
    const destination = origin === "tron" ? dice.pick(slugs) : "tron"
    const [currencyIn, currencyOut] = origin === "tron" ? [currency, native] : [native, currency]
    const ledger = ledgerAccounts[ADVERSARY] ?? ""
    const [user, own] = origin === "tron" ? [key.address, ledger] : [ledger, key.address]
    const recipient = to ?? own
    const request = decodeRequest({
      user,
      recipient,
      originChainId: chainIds[origin],
      destinationChainId: chainIds[destination],
      originCurrency: currencyIn,
      destinationCurrency: currencyOut,
      amount: `${amount}`,
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
      orderId: origin === "tron" ? orderOf(quote) : orderIdOf(quote),
      requestId: RequestId.make(quote.steps[0]?.requestId ?? ""),
      at: yield* Clock.currentTimeMillis,
      isSponsored: false,
      cap: undefined,
      appBps: 0n
    }
    asked.push(made)
    tell(`the adversary is quoted ${made.amountIn} on ${origin}: ${made.orderId.slice(0, 10)}`)
    return { made, memo: origin === "tron" ? made.orderId : memoOf(quote) }
  })

  const amountOf = () => dice.between(1_000_000, 40_000_000)

  /** Sends a deposit until it is settled, in the background. */
  const deposit = Effect.fnUntraced(function*({ amountIn, orderId }: Asked, lifeMs: number = USUAL_LIFE_MS) {
    const made = signOn(chain, key, depositOf(key, amountIn, orderId), next(), lifeMs)
    tell(`the adversary sends ${amountIn} on tron for ${orderId.slice(0, 10)} by ${made.id.slice(0, 10)}`)
    sent.push({ by: ADVERSARY, origin: "tron", currency: tron, amount: amountIn, memo: orderId })
    yield* Effect.forkScoped(sendUntilSettled(chain, made))
    return made
  })

  /** The id counts only when the whole amount arrives. */
  const transfers = Effect.fnUntraced(function*(currency: string) {
    const quoted = yield* ask("tron", amountOf(), undefined, currency)
    const token = tokenIn(currency)
    if (quoted === undefined || token === undefined) return
    const { amountIn, orderId } = quoted.made
    const kept = keptOf(token, key.evm, amountIn)
    tell(`the adversary transfers ${amountIn} of a token on tron for ${orderId.slice(0, 10)}`)
    sent.push({ by: ADVERSARY, origin: "tron", currency, amount: amountIn - kept, memo: kept === 0n ? orderId : "" })
    const act = tokenTransferOf(key, token, contract, amountIn, orderId)
    yield* Effect.forkScoped(sendUntilSettled(chain, signOn(chain, key, act, next())))
  })

  const index = (id: string) => {
    const named = parseTransactionId(families["tron-vm"], id)
    return Result.isFailure(named)
      ? Effect.void
      : Effect.asVoid(
        use(Effect.flatMap(Indexing, (indexing) => indexing.look(ChainId.make(chainIds.tron), named.success)))
      )
  }

  /** Is paid on Tron, at whatever address. */
  const isPaidAt = Effect.fnUntraced(function*(to: string, currency: string = tron) {
    const from = dice.pick(slugs)
    const quoted = yield* ask(from, amountOf(), to, currency)
    if (quoted === undefined) return
    const { made: { amountIn, currencyIn, orderId }, memo } = quoted
    const signed = sign(ADVERSARY, chains[from], { currency: currencyIn, amount: amountIn, memo })
    sent.push({ by: ADVERSARY, origin: from, currency: currencyIn, amount: amountIn, memo: orderId })
    tell(`the adversary sends ${amountIn} on ${from} for ${orderId.slice(0, 10)}`)
    if (currency === tronUsdt) chain.freeze(Result.getOrThrow(accountOfTron(to)))
    // Another of its moves may have taken the sequence on this ledger: then this payment never comes.
    yield* Effect.raceFirst(sendUntilFinal(chains[from], signed), Effect.sleep(PATIENCE_MS))
  })

  const play = Effect.fnUntraced(function*(strategy: TronStrategy) {
    if (strategy === "new-account") return yield* isPaidAt(unheardOf(dice))
    if (strategy === "to-contract") return yield* isPaidAt(depository)
    if (strategy === "frozen") return yield* isPaidAt(unheardOf(dice), tronUsdt)
    if (strategy === "by-transfer") return yield* transfers(dice.pick([tronUsdt, tronOdd]))
    const quoted = yield* ask("tron", strategy === "spends-twice" ? MOST_OF_ALL : amountOf())
    if (quoted === undefined) return
    switch (strategy) {
      case "short-life":
        return void (yield* deposit(quoted.made, SHORT_LIFE_MS))
      case "spends-twice": {
        const other = yield* ask("tron", MOST_OF_ALL)
        yield* deposit(quoted.made)
        return other === undefined ? undefined : void (yield* deposit(other.made))
      }
      case "names-early":
        return yield* index((yield* deposit(quoted.made)).id)
      case "late-trx":
        yield* Effect.sleep(dice.between(28, 90) * 1_000)
        return void (yield* deposit(quoted.made))
    }
  })

  return {
    /** Ends when the last move is made. */
    play: (strategy: TronStrategy): Effect.Effect<void, never, Scope.Scope> =>
      Effect.andThen(Effect.sleep(dice.between(0, 60_000)), Effect.asVoid(play(strategy)))
  }
}
