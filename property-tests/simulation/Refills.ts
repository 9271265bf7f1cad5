/**
 * The operator who does what the alarm `treasury-empty` says: some minutes after it, it sends money to the solver's
 * account, as anybody sends money on a chain. The books learn of it by reading the account's balance, as always.
 */
import { Effect } from "effect"
import { signTransfer } from "../../examples/ledger-vm/ledger/Transfer.ts"
import { accountOn } from "../../examples/ledger-vm/ledger/Ledger.ts"
import { alarmsOf } from "./Alarms.ts"
import type { BitcoinChain } from "./bitcoin/BitcoinChain.ts"
import { makeCoinWallet, sendUntilSettled } from "./bitcoin/CoinWallet.ts"
import { funder as bitcoinFunder, REFILL as BITCOIN_REFILL, solver as bitcoinSolver } from "./bitcoin/Terms.ts"
import type { SimulatedChain } from "./Chain.ts"
import type { Dice } from "./Dice.ts"
import { currencies, funder, funderKey, genesisOf, MOST_FEE, slugs, solver, SOLVER_HOLDS } from "./Terms.ts"
import type { Slug } from "./Terms.ts"
import { tokens } from "./tron/Contracts.ts"
import { funder as tronFunder, REFILL as TRON_REFILL, solver as tronSolver } from "./tron/Terms.ts"
import type { TronChain } from "./tron/TronChain.ts"
import { payUntilSettled, signOn, tokenTransferOf, transferOf } from "./tron/TronWallet.ts"
import { sendUntilFinal } from "./Users.ts"

const LOOKS_EVERY_MS = 10_000
/** Of ten minutes on, the deposit of a fill that waits is refunded instead. A refund waits without limit. */
const ANSWERS_WITHIN_MS = [30_000, 900_000] as const

interface Refilling {
  readonly chains: Readonly<Record<Slug, SimulatedChain>>
  readonly bitcoin: BitcoinChain | undefined
  readonly tron: TronChain | undefined
  readonly dice: Dice
  readonly tell: (event: string) => void
}

/** Refills for ever. */
export const refillsOf = ({ bitcoin, chains, dice, tell, tron }: Refilling): Effect.Effect<never> => {
  const refill = (slug: Slug) =>
    Effect.forEach(currencies, (currency) => {
      const chain = chains[slug]
      const signed = signTransfer({
        ledger: genesisOf(slug),
        sender: funder,
        sequence: accountOn(chain.state(), funder).sequence,
        recipient: solver,
        currency,
        amount: SOLVER_HOLDS,
        fee: MOST_FEE,
        memo: "more"
      }, funderKey)
      tell(`an operator sends ${SOLVER_HOLDS} to the solver on ${slug}`)
      return sendUntilFinal(chain, signed)
    }, { discard: true })

  const coins = bitcoin === undefined ? undefined : makeCoinWallet(bitcoin)
  const refillBitcoin = Effect.suspend(() => {
    const outputs = [{ script: bitcoinSolver.script, amount: BITCOIN_REFILL }]
    const signed = coins?.sign({ by: bitcoinFunder, outputs })
    if (bitcoin === undefined || signed === undefined) return Effect.void
    tell(`an operator sends ${BITCOIN_REFILL} to the solver on bitcoin`)
    return sendUntilSettled(bitcoin, signed)
  })

  let refilled = 0
  const refillTron = Effect.suspend(() => {
    if (tron === undefined) return Effect.void
    tell(`an operator sends ${TRON_REFILL} of each currency to the solver on tron`)
    const acts = [
      transferOf(tronFunder, tronSolver.evm, TRON_REFILL),
      ...tokens.map((token) => tokenTransferOf(tronFunder, token, tronSolver.evm, TRON_REFILL))
    ]
    return Effect.forEach(
      acts,
      (act) => payUntilSettled(tron, () => signOn(tron, tronFunder, act, refilled += 1)),
      { concurrency: "unbounded", discard: true }
    )
  })

  const turn = (answered: number): Effect.Effect<never> =>
    Effect.gen(function*() {
      yield* Effect.sleep(LOOKS_EVERY_MS)
      const raised = yield* alarmsOf("treasury-empty")
      if (raised === answered) return yield* turn(answered)
      yield* Effect.sleep(dice.between(...ANSWERS_WITHIN_MS))
      yield* Effect.all([...slugs.map(refill), refillBitcoin, refillTron], { concurrency: "unbounded", discard: true })
      return yield* turn(raised)
    })
  return turn(0)
}
