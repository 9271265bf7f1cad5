/** The contracts of `Treasury`, `Gas` and `SentTransactions` on a simulated exchange B. Its time passes by command. */
import { describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Contract } from "../../../property-tests/family/FamilyFixture.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import { FamilyFixture } from "../../../property-tests/family/FamilyFixture.ts"
import { gasContract, sentTransactionsContract, treasuryContract } from "../../../property-tests/family/Payments.ts"
import { contractsOn } from "../../../property-tests/family/Traits.ts"
import { asAddress } from "../../../src/domain/families/AddressCodec.ts"
import { startPayingExchangeB } from "../testing/PayingExchangeB.ts"

const SECOND = 1_000

const layerAll = Layer.unwrap(
  Effect.map(startPayingExchangeB(1), ({ balance, chain, exchange, newAccount, ports, token }) => {
    const none = Effect.die(new Error("no contract of a payment asks for it"))
    const fixture = FamilyFixture.of({
      chain,
      token,
      user: newAccount(),
      stranger: newAccount(),
      // No account has this index.
      refusing: asAddress("999999"),
      balance,
      deposit: () => none,
      carryOut: () => none,
      mine: Effect.sync(() => exchange.pass(SECOND)),
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
            exchange.pass(SECOND)
            return treasury.broadcast(...asked)
          })
      }))
    )
    return Layer.mergeAll(
      Layer.succeed(FamilyFixture, fixture),
      Layer.mock(DepositWatcher, {}),
      Layer.provideMerge(later, ports)
    )
  })
)

type Ports = Layer.Success<typeof layerAll>

const lacks = {
  expiry: "its time alone never ends a payment: one that expired ends when its nonce is used (Treasury.local)",
  coins: "a payment takes from a balance",
  reorgs: "everything that the exchange shows is final"
}

const holds = (port: string, contracts: ReadonlyArray<Contract<Ports>>) =>
  describe(`${port} of exchange B`, () => {
    for (const { check, name } of contractsOn(lacks, contracts)) {
      it.live(name, () => Effect.provide(check, Layer.fresh(layerAll)))
    }
  })

holds("Treasury", treasuryContract)
holds("Gas", gasContract)
holds("SentTransactions", sentTransactionsContract)
