/** What an adversary does with deposit addresses on Tron, its own and others'. They are played with their flow. */
import { Effect } from "effect"
import type { Scope } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { ownAddressOn } from "../adversaries/OwnAddress.ts"
import type { Dice } from "../Dice.ts"
import { ADVERSARY, tron, tronUsdt } from "../Terms.ts"
import type { Asked, Sent, UsersOfRun } from "../Users.ts"
import { toAddressOf, tronDust } from "./PayTronAddress.ts"
import { accounts } from "./Terms.ts"
import type { TronChain } from "./TronChain.ts"
import { sendUntilSettled, signOn, USUAL_LIFE_MS } from "./TronWallet.ts"

/** Each with what it does. */
export const tronAddressStrategyMeanings = {
  "tron-address-dust":
    "pays dust of both currencies to its own and to others' deposit addresses on Tron, again and again",
  "tron-address-leftovers":
    "pays USDT to its deposit address on Tron, adds TRX to what its sweeps have left there, and has both reindexed",
  "tron-address-taken-back":
    "pays its deposit address on Tron by a transaction that expires soon, and has it reindexed again and again"
} as const

export type TronAddressStrategy = keyof typeof tronAddressStrategyMeanings
const isTronAddressStrategy = (name: string): name is TronAddressStrategy =>
  Object.hasOwn(tronAddressStrategyMeanings, name)
export const tronAddressStrategyNames: ReadonlyArray<TronAddressStrategy> = Object.keys(tronAddressStrategyMeanings)
  .filter(isTronAddressStrategy)

/** The strategy of a run: of those that are switched on, one that its seed draws. */
export const drawTronAddressStrategy = (on: ReadonlySet<string>, dice: Dice): ReadonlyArray<TronAddressStrategy> => {
  const [first, ...rest] = [...on].filter(isTronAddressStrategy)
  return first === undefined ? [] : [dice.pick([first, ...rest])]
}

interface World extends UsersOfRun {
  readonly tron: TronChain
  /** Everybody's quotes and payments. The adversary's are added. */
  readonly asked: Array<Asked>
  readonly sent: Array<Sent>
}

const DUST = 30
const ROUNDS = 5
const REINDEXED_TIMES = 10
const SHORT_LIFE_MS = 21_000
/** Numbers that no other wallet of the adversary gives to a transaction. */
const FIRST_NUMBER = 100_000

/** Plays one strategy, to its end. */
export const tronAddressAdversaryOf = ({ asked, dice, sent, tell, tron: chain, use }: World) => {
  const key = accounts[ADVERSARY]
  if (key === undefined) throw new Error("the adversary has no account on tron")
  let signed = FIRST_NUMBER
  const { ask, reindexOften, withOthers } = ownAddressOn("tron", key.address, { asked, dice, tell, use })
  const next = (): number => {
    signed += 1
    return signed
  }

  /** Sends until that is settled, in the background. */
  const pay = Effect.fnUntraced(
    function*(address: Address, currency: string, amount: bigint, lifeMs: number = USUAL_LIFE_MS) {
      const made = signOn(chain, key, toAddressOf(key, address, currency, amount), next(), lifeMs)
      tell(`the adversary sends ${amount} of ${currency} on tron to ${address} by ${made.id.slice(0, 10)}`)
      sent.push({ by: ADVERSARY, origin: "tron", currency, amount, memo: "", address })
      yield* Effect.forkScoped(sendUntilSettled(chain, made))
    }
  )

  const dust = Effect.fnUntraced(function*(own: Address) {
    const all = withOthers(own)
    for (let nth = 0; nth < DUST; nth += 1) {
      yield* pay(dice.pick(all), dice.pick([tron, tronUsdt]), tronDust(dice))
      yield* Effect.sleep(dice.between(0, 8) * 1_000)
    }
    yield* reindexOften(own, 2)
  })

  /** What a sweep has left counts with the TRX that are added: whose are they? */
  const leftovers = Effect.fnUntraced(function*({ address, amountIn }: Asked & { readonly address: Address }) {
    for (let round = 0; round < ROUNDS; round += 1) {
      yield* pay(address, tronUsdt, amountIn / BigInt(dice.between(1, 8)))
      yield* Effect.sleep(dice.between(20, 70) * 1_000)
      yield* pay(address, tron, BigInt(dice.between(10_000, 60_000)))
      yield* Effect.sleep(dice.between(0, 50) * 1_000)
      yield* reindexOften(address, 2)
    }
  })

  const play = Effect.fnUntraced(function*(strategy: TronAddressStrategy) {
    const quote = yield* ask(strategy === "tron-address-leftovers" ? tronUsdt : dice.pick([tron, tronUsdt]), BigInt)
    if (quote === undefined) return
    const { address, amountIn, currencyIn } = quote
    switch (strategy) {
      case "tron-address-dust":
        yield* pay(address, currencyIn, amountIn)
        return yield* dust(address)
      case "tron-address-leftovers":
        return yield* leftovers(quote)
      case "tron-address-taken-back":
        yield* pay(address, currencyIn, amountIn, SHORT_LIFE_MS)
        for (let round = 0; round < ROUNDS; round += 1) {
          yield* Effect.sleep(dice.between(10, 61) * 1_000)
          yield* reindexOften(address, REINDEXED_TIMES)
        }
        return yield* pay(address, currencyIn, amountIn / 2n, SHORT_LIFE_MS)
    }
  })

  return {
    /** Ends when the last move is made. */
    play: (strategy: TronAddressStrategy): Effect.Effect<void, never, Scope.Scope> =>
      Effect.andThen(Effect.sleep(dice.between(0, 60_000)), Effect.asVoid(play(strategy)))
  }
}
