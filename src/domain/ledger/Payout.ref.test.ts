/** What wallets sign for payouts, against viem's EIP-712. */
import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { hashTypedData } from "viem"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { CurrencyAddress } from "../chain/Address.ts"
import { ethereumAddresses } from "../families/ethereum/EthereumAddresses.ts"
import { ChainId } from "../chain/ChainId.ts"
import { payoutId, payoutTypes } from "./Payout.ts"
import { settleDigest } from "./SettleAppFees.ts"

const account = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) =>
  Result.getOrThrow(ethereumAddresses.fromBytes(bytes))
)
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })

const fields = [
  { name: "wallet", type: "address" },
  { name: "recipient", type: "address" },
  { name: "currencyChainId", type: "uint256" },
  { name: "currency", type: "string" },
  { name: "amount", type: "uint256" },
  { name: "nonce", type: "uint256" },
  { name: "deadline", type: "uint256" }
] as const

const hex = (address: string): `0x${string}` => `0x${address.slice(2)}`

it("the id of a payout, and of what a sponsor pays, is the EIP-712 digest that its wallet signs", () => {
  const request = fc.record({
    kind: fc.constantFrom("claim" as const, "withdraw" as const),
    wallet: account,
    recipient: account,
    currency: fc.record({
      chainId: fc.integer({ min: 1, max: 2 ** 40 }).map((id) => ChainId.make(id)),
      address: fc.string({ minLength: 1, maxLength: 60 }).map((text) => CurrencyAddress.make(text))
    }),
    amount: uint256,
    nonce: uint256,
    deadline: fc.nat()
  })
  fc.assert(
    fc.property(request, account, fc.integer({ min: 1, max: 2 ** 40 }), (asked, solver, chain) => {
      const { amount, currency, deadline, kind, nonce, recipient, wallet } = asked
      const hashed = (primaryType: string) =>
        hashTypedData({
          domain: { name: "Causeway", version: "1", chainId: chain, verifyingContract: hex(solver) },
          types: { [primaryType]: [...fields] },
          primaryType,
          message: {
            wallet: hex(wallet),
            recipient: hex(recipient),
            currencyChainId: BigInt(currency.chainId),
            currency: currency.address,
            amount,
            nonce,
            deadline: BigInt(deadline)
          }
        })
      const domain = { chainId: ChainId.make(chain), solver }
      assert.strictEqual(Result.getOrThrow(payoutId(domain, asked)), hashed(payoutTypes[kind]))
      assert.strictEqual(Result.getOrThrow(settleDigest(domain, asked)), hashed("SettleAppFees"))
    }),
    { numRuns: inputs(300, 20_000) }
  )
})
