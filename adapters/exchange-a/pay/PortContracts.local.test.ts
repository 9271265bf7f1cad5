/** The contracts of `Treasury`, `Gas` and `SentTransactions` on a simulated exchange A. Its time passes by command. */
import { describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Contract } from "../../../property-tests/family/FamilyFixture.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import { FamilyFixture } from "../../../property-tests/family/FamilyFixture.ts"
import { gasContract, sentTransactionsContract, treasuryContract } from "../../../property-tests/family/Payments.ts"
import { contractsOn } from "../../../property-tests/family/Traits.ts"
import { newAccount, startPayingExchangeA } from "../testing/PayingExchangeA.ts"

const SECOND = 1_000
const HALF_AN_HOUR = 1_800 * SECOND

const layerAll = Layer.unwrap(Effect.map(startPayingExchangeA(1), ({ balance, book, chain, ports, token }) => {
  const none = Effect.die(new Error("no contract of a payment asks for it"))
  const fixture = FamilyFixture.of({
    chain,
    token,
    user: newAccount(),
    stranger: newAccount(),
    refusing: undefined,
    balance,
    deposit: () => none,
    carryOut: () => none,
    mine: Effect.sync(() => book.pass(HALF_AN_HOUR)),
    finalise: Effect.void,
    takeBack: none
  })
  // What is submitted is executed at once. So it is submitted in another second than what was read before.
  const later = Layer.effect(
    Treasury,
    Effect.map(Treasury, (treasury) => ({
      ...treasury,
      broadcast: (...asked: Parameters<Treasury["Service"]["broadcast"]>) =>
        Effect.suspend(() => {
          book.pass(SECOND)
          return treasury.broadcast(...asked)
        })
    }))
  )
  return Layer.mergeAll(
    Layer.succeed(FamilyFixture, fixture),
    Layer.mock(DepositWatcher, {}),
    Layer.provideMerge(later, ports)
  )
}))

type Ports = Layer.Success<typeof layerAll>

const lacks = {
  sequences: "a nonce is a time, of which many are never used",
  coins: "a payment takes from a balance",
  refusal: "every account can hold a token",
  reorgs: "everything that the exchange shows is final"
}

const holds = (port: string, contracts: ReadonlyArray<Contract<Ports>>) =>
  describe(`${port} of exchange A`, () => {
    for (const { check, name } of contractsOn(lacks, contracts)) {
      it.live(name, () => Effect.provide(check, Layer.fresh(layerAll)))
    }
  })

holds("Treasury", treasuryContract)
holds("Gas", gasContract)
holds("SentTransactions", sentTransactionsContract)
