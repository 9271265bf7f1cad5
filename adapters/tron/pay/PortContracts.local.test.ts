/** The contracts of `Treasury`, `Gas` and `SentTransactions` on a local Tron chain. Blocks come by command. */
import { describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Contract } from "../../../property-tests/family/FamilyFixture.ts"
import { FamilyFixture } from "../../../property-tests/family/FamilyFixture.ts"
import { gasContract, sentTransactionsContract, treasuryContract } from "../../../property-tests/family/Payments.ts"
import { contractsOn } from "../../../property-tests/family/Traits.ts"
import { newAccount, startPayingTron } from "../testing/PayingTron.ts"

const layerAll = Layer.unwrap(Effect.map(startPayingTron(1), ({ balance, chain, ports, tron, usdc }) => {
  const none = Effect.die(new Error("no contract of a payment asks for it"))
  const fixture = FamilyFixture.of({
    chain,
    token: usdc,
    user: newAccount(),
    stranger: newAccount(),
    refusing: undefined,
    balance,
    deposit: () => none,
    carryOut: () => none,
    mine: tron.mine(),
    finalise: tron.solidify,
    takeBack: tron.takeBack(1)
  })
  return Layer.merge(Layer.succeed(FamilyFixture, fixture), ports)
}))

type Ports = Layer.Success<typeof layerAll>

const lacks = {
  sequences: "the chain counts no transactions of an account, payments expire",
  coins: "a payment takes from a balance",
  refusal: "every account can hold a token"
}

const holds = (port: string, contracts: ReadonlyArray<Contract<Ports>>) =>
  describe(`${port} of a Tron chain`, () => {
    for (const { check, name } of contractsOn(lacks, contracts)) {
      it.live(name, () => Effect.provide(check, Layer.fresh(layerAll)))
    }
  })

holds("Treasury", treasuryContract)
holds("Gas", gasContract)
holds("SentTransactions", sentTransactionsContract)
