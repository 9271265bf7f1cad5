/** What an adversary does with deposit addresses on Bitcoin, its own and others'. They are played with their flow. */
import { Effect } from "effect"
import type { Scope } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { ownAddressOn } from "../adversaries/OwnAddress.ts"
import type { Dice } from "../Dice.ts"
import { unitsWorth } from "../Routes.ts"
import { ADVERSARY, bitcoin } from "../Terms.ts"
import type { Asked, Sent, UsersOfRun } from "../Users.ts"
import type { BitcoinChain } from "./BitcoinChain.ts"
import { makeCoinWallet, sendUntilSettled } from "./CoinWallet.ts"
import { outputsTo } from "./PayCoinAddress.ts"
import { accounts, LEAST_OUTPUT } from "./Terms.ts"

/** Each with what it does. */
export const coinAddressStrategyMeanings = {
  "coin-address-dust": "pays tiny outputs to its own and to others' deposit addresses on Bitcoin, hundreds at a time",
  "coin-address-reindexed":
    "pays its deposit address on Bitcoin, and has it reindexed again and again while it is swept",
  "coin-address-double-spend": "pays its deposit address on Bitcoin, has it reindexed, and spends the coins to itself"
} as const

export type CoinAddressStrategy = keyof typeof coinAddressStrategyMeanings
const isCoinAddressStrategy = (name: string): name is CoinAddressStrategy =>
  Object.hasOwn(coinAddressStrategyMeanings, name)
export const coinAddressStrategyNames: ReadonlyArray<CoinAddressStrategy> = Object.keys(coinAddressStrategyMeanings)
  .filter(isCoinAddressStrategy)

/** The strategy of a run: of those that are switched on, one that its seed draws. */
export const drawCoinAddressStrategy = (on: ReadonlySet<string>, dice: Dice): ReadonlyArray<CoinAddressStrategy> => {
  const [first, ...rest] = [...on].filter(isCoinAddressStrategy)
  return first === undefined ? [] : [dice.pick([first, ...rest])]
}

interface World extends UsersOfRun {
  readonly bitcoin: BitcoinChain
  /** Everybody's quotes and payments. The adversary's are added. */
  readonly asked: Array<Asked>
  readonly sent: Array<Sent>
}

/** Transactions of so many outputs. A sweep takes a hundred. A watcher keeps five hundred until it lists an address again. */
const DUST = { transactions: 2, outputs: 90 } as const
const REINDEXED = { rounds: 6, times: 20 } as const

/** Plays one strategy, to its end. */
export const coinAddressAdversaryOf = ({ asked, bitcoin: chain, dice, sent, tell, use }: World) => {
  const key = accounts[ADVERSARY]
  if (key === undefined) throw new Error("the adversary has no coins")
  const wallet = makeCoinWallet(chain)
  const { ask, reindexOften, withOthers } = ownAddressOn("bitcoin", key.address, { asked, dice, tell, use })

  /** Sends until that is settled, in the background. */
  const pay = Effect.fnUntraced(
    function*(address: Address, amounts: ReadonlyArray<bigint>, isWanted: () => boolean = () => true) {
      const outputs = outputsTo(address, amounts)
      const signed = wallet.sign({ by: key, outputs })
      if (signed === undefined) {
        tell("the adversary has too few coins")
        return undefined
      }
      const amount = outputs.reduce((sum, each) => sum + each.amount, 0n)
      tell(`the adversary sends ${amount} on bitcoin to ${address} by ${signed.id.slice(0, 10)}`)
      sent.push({ by: ADVERSARY, origin: "bitcoin", currency: bitcoin, amount, memo: "", address })
      yield* Effect.forkScoped(sendUntilSettled(chain, signed, isWanted))
      return signed
    }
  )

  const dust = Effect.fnUntraced(function*(own: Address) {
    for (const address of [own, dice.pick(withOthers(own))]) {
      for (let nth = 0; nth < DUST.transactions; nth += 1) {
        yield* pay(
          address,
          Array.from({ length: DUST.outputs }, () => LEAST_OUTPUT + BigInt(dice.between(0, 300)))
        )
        yield* Effect.sleep(dice.between(0, 30) * 1_000)
      }
    }
  })

  const play = Effect.fnUntraced(function*(strategy: CoinAddressStrategy) {
    const quote = yield* ask(bitcoin, (worth) => unitsWorth(worth, bitcoin))
    if (quote === undefined) return
    const { address, amountIn } = quote
    switch (strategy) {
      case "coin-address-dust":
        yield* pay(address, [amountIn])
        return yield* dust(address)
      case "coin-address-reindexed":
        yield* pay(address, [amountIn])
        for (let round = 0; round < REINDEXED.rounds; round += 1) {
          yield* Effect.sleep(dice.between(20, 61) * 1_000)
          yield* reindexOften(address, REINDEXED.times)
        }
        return yield* pay(address, [amountIn / 2n])
      case "coin-address-double-spend": {
        let isWanted = true
        const signed = yield* pay(address, [amountIn], () => isWanted)
        if (signed === undefined) return
        yield* Effect.sleep(dice.between(1, 60) * 1_000)
        yield* reindexOften(address, 2)
        isWanted = false
        tell("the adversary spends the same coins to itself")
        return yield* sendUntilSettled(chain, wallet.takeBack(key, signed))
      }
    }
  })

  return {
    /** Ends when the last move is made. */
    play: (strategy: CoinAddressStrategy): Effect.Effect<void, never, Scope.Scope> =>
      Effect.andThen(Effect.sleep(dice.between(0, 60_000)), Effect.asVoid(play(strategy)))
  }
}
