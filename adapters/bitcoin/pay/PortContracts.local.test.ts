/** The contracts of `Treasury`, `Gas` and `SentTransactions` on a local Bitcoin chain. */
import { describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Contract } from "../../../property-tests/family/FamilyFixture.ts"
import { FamilyFixture } from "../../../property-tests/family/FamilyFixture.ts"
import { gasContract, sentTransactionsContract, treasuryContract } from "../../../property-tests/family/Payments.ts"
import { contractsOn } from "../../../property-tests/family/Traits.ts"
import { account, FINAL_AFTER } from "../testing/LocalBitcoin.ts"
import { startPayingBitcoin } from "../testing/PayingBitcoin.ts"

const layerAll = Layer.unwrap(Effect.map(startPayingBitcoin(4), (local) => {
  const { bitcoin, chain, mine, other, ports, reorg, user } = local
  const none = Effect.die(new Error("no contract of a payment asks for it"))
  const fixture = FamilyFixture.of({
    chain: bitcoin,
    // There is no other.
    token: bitcoin.native,
    user: account(user.address),
    stranger: account(other.address),
    refusing: undefined,
    balance: (of) => Effect.sync(() => chain.ledger.coinsOf(of).reduce((sum, { value }) => sum + value, 0n)),
    deposit: () => none,
    carryOut: () => none,
    mine: mine(),
    finalise: mine(FINAL_AFTER),
    takeBack: reorg(1, "dropped")
  })
  return Layer.merge(Layer.succeed(FamilyFixture, fixture), ports)
}))

type Ports = Layer.Success<typeof layerAll>

const lacks = {
  sequences: "the chain counts no transactions of an account, a payment claims coins",
  expiry: "a signed payment stays good until its coins are spent",
  refusal: "the chain has no tokens"
}

const holds = (port: string, contracts: ReadonlyArray<Contract<Ports>>) =>
  describe(`${port} of a Bitcoin chain`, () => {
    for (const { check, name } of contractsOn(lacks, contracts)) {
      it.live(name, () => Effect.provide(check, Layer.fresh(layerAll)))
    }
  })

holds("Treasury", treasuryContract)
holds("Gas", gasContract)
holds("SentTransactions", sentTransactionsContract)
