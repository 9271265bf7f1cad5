import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { ApiKeys } from "../../../ports/store/clients/ApiKeys.ts"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { SponsoredRequests } from "../../../ports/store/ledger/SponsoredRequests.ts"
import { SponsorHolds } from "../../../ports/store/ledger/SponsorHolds.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { ApiKeyId, apiKeyHash } from "../../../src/domain/api-key/ApiKey.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { MicroUsdc } from "../../../src/domain/ledger/MicroUsdc.ts"
import { credit } from "../../../src/domain/ledger/Movements.ts"
import { LedgerId } from "../../../src/domain/ledger/Transaction.ts"
import type { LedgerCurrency } from "../../../src/domain/ledger/Transaction.ts"
import { UsdPrice } from "../../../src/domain/money/Usd.ts"
import type { Agreement } from "../../../src/domain/sponsorship/Agreement.ts"
import { describeStores } from "../testing/stores.ts"
import { transferOf } from "../testing/Transfers.ts"

const currency: LedgerCurrency = {
  chainId: ChainId.make(616102),
  address: CurrencyAddress.make("0x00000000000000000000000000000000000000c1")
}
const [wallet, other] = [Address.make(`0x${"a1".repeat(20)}`), Address.make(`0x${"b2".repeat(20)}`)]
const priced = {
  currency: { ...currency, symbol: "D", name: "D", decimals: 6, isNative: false },
  price: UsdPrice(10n ** 36n)
}
const costs = { totals: { execution: 7n, swap: 0n, service: 2n, app: 0n, rent: 0n }, originGas: 0n, fillGas: 3n }

const agreementOf = (of: Address): Agreement => ({
  wallet: of,
  selection: { _tag: "Defaulted", components: ["execution", "swap", "service", "app"] },
  kind: "direct",
  feeCurrency: priced,
  fillNative: priced,
  costs
})

describeStores(({ test }) => {
  test(
    "finds what a wallet paid for in a span, newest first, and nothing that was not captured",
    Effect.gen(function*() {
      const [keys, ledger, holds] = [yield* ApiKeys, yield* Ledger, yield* SponsorHolds]
      const [transfers, sponsored] = [yield* Transfers, yield* SponsoredRequests]
      const give = Effect.fnUntraced(function*(n: number, of: Address, at: number, captured: bigint | undefined) {
        const plain = transferOf(n, {})
        yield* transfers.add({ ...plain, terms: { ...plain.terms, sponsorship: agreementOf(of) } })
        const units = MicroUsdc(10n)
        const key = ApiKeyId.make(of)
        const recipient = other
        yield* holds.hold({ request: plain.id, claimant: "a@0", key, wallet: of, recipient, currency, units }, at)
        if (captured === undefined) return
        yield* holds.settle({
          request: plain.id,
          currency,
          wallet: of,
          charge: { payer: "sponsor", costs },
          gasPaid: 5n,
          rentPaid: 1n,
          captured: MicroUsdc(captured),
          owed: []
        }, at + 1)
      })
      for (const  of of[wallet, other]) {
        yield* keys.add({ id: ApiKeyId.make(of), label: "", wallet: of }, apiKeyHash(of), 1)
        const paidIn = credit({ id: LedgerId.make(`credit:${of}`), currency, wallet: of, units: 1_000n })
        yield* ledger.post(Result.getOrThrow(paidIn), 1)
      }
      yield* give(1, wallet, 100, 8n)
      yield* give(2, wallet, 200, 9n)
      yield* give(3, wallet, 300, 0n)
      yield* give(4, wallet, 150, undefined)
      yield* give(5, other, 150, 4n)
      yield* give(6, wallet, 400, 7n)
      const found = (from: number, to: number, limit: number) =>
        Effect.map(sponsored.paidBy(wallet, from, to, limit), (all) => all.map(({ captured }) => captured))
      assert.deepStrictEqual(yield* found(0, 1_000, 9), [7n, 9n, 8n])
      assert.deepStrictEqual(yield* found(100, 400, 9), [9n, 8n])
      assert.deepStrictEqual(yield* found(101, 401, 9), [7n, 9n])
      assert.deepStrictEqual(yield* found(0, 1_000, 2), [7n, 9n])
      const [first] = yield* sponsored.paidBy(wallet, 100, 101, 1)
      const { terms: { destinationChainId, originChainId } } = transferOf(1, {})
      assert.deepStrictEqual(first, {
        key: ApiKeyId.make(wallet),
        heldAt: 100,
        originChainId,
        destinationChainId,
        agreement: agreementOf(wallet),
        charge: { payer: "sponsor", costs },
        gasPaid: 5n,
        rentPaid: 1n,
        captured: MicroUsdc(8n)
      })
    })
  )
})
