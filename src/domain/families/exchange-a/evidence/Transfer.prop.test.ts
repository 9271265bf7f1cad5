import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { account } from "../../../../../property-tests/EvidenceChains.ts"
import { graceLeftAt, GRACE_SECONDS, KEPT_LATE_SECONDS } from "./MappedOrder.ts"
import { transferFacts } from "./Transfer.ts"

const [sender, recipient, depository] = [
  account("exchangea-vm", 1),
  account("exchangea-vm", 2),
  account("exchangea-vm", 50)
]
const tokenId = `0x${"7e".repeat(16)}`

/** As the exchange may write it, with any number of trailing zeros. */
const written = (amount: bigint, decimals: number, zeros: number): string => {
  const digits = amount.toString().padStart(decimals + 1, "0")
  const fraction = `${digits.slice(digits.length - decimals)}${"0".repeat(zeros)}`
  return decimals + zeros === 0 ? digits : `${digits.slice(0, digits.length - decimals)}.${fraction}`
}

const sendAsset = (amount: string, destination: string, dex: string) => ({
  sender,
  transfer: {
    _tag: "SendAsset",
    hyperliquidChain: "Mainnet",
    destination,
    sourceDex: "spot",
    destinationDex: dex,
    token: `TOK:${tokenId}`,
    amount,
    fromSubAccount: "",
    nonce: 7n
  } as const
})

describe("a transfer of exchange A", () => {
  it("is worth its decimal exactly, on any dex", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 1n << 100n }),
        fc.integer({ min: 0, max: 18 }),
        fc.nat(5),
        fc.constantFrom("spot", "xyz"),
        fc.boolean(),
        (amount, decimals, zeros, dex, into) => {
          const facts = transferFacts(
            sendAsset(written(amount, decimals, zeros), into ? depository : recipient, dex),
            depository,
            new Map([[tokenId, decimals]]),
            0
          )
          const [moved] = into ? facts.deposits : facts.payments
          assert.strictEqual(moved?.amount, amount)
          assert.strictEqual(moved?.currency, dex === "spot" ? tokenId : `${tokenId}78797a`)
          assert.lengthOf(into ? facts.payments : facts.deposits, 0)
          assert.deepStrictEqual(facts.mappedBy, { wallet: sender, nonce: 7n, graceLeft: 0 })
        }
      ),
      { numRuns: inputs(1_000, 100_000) }
    )
  })

  it("with a remainder below the smallest unit, without an amount, or with an unknown currency is refused, with the reason", () => {
    for (
      const [amount, dex] of [
        ["1.000001", "spot"],
        ["0", "spot"],
        ["0.0", "spot"],
        ["-1", "spot"],
        ["1e3", "spot"],
        ["", "spot"],
        [" 1", "spot"],
        ["1", ""],
        ["1", "a b"]
      ] as const
    ) {
      const facts = transferFacts(sendAsset(amount, depository, dex), depository, new Map([[tokenId, 5]]), 0)
      assert.lengthOf([...facts.deposits, ...facts.payments], 0, amount)
      assert.isString(facts.unattestable)
    }
  })

  it("by the depository itself is a withdrawal, never a payment or a deposit", () => {
    const { transfer } = sendAsset("1", recipient, "spot")
    for (const destination of [recipient, depository]) {
      const facts = transferFacts(
        { sender: depository, transfer: { ...transfer, destination } },
        depository,
        new Map([[tokenId, 5]]),
        0
      )
      assert.lengthOf([...facts.deposits, ...facts.payments], 0)
      assert.lengthOf(facts.withdrawals ?? [], 1)
    }
  })

  it("waits for its mapping for an hour of the exchange's time and ten minutes, to the second", () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: -GRACE_SECONDS, max: 2 * GRACE_SECONDS }), (time, later) => {
        assert.strictEqual(graceLeftAt(time, time + later) > 0, later <= GRACE_SECONDS + KEPT_LATE_SECONDS)
      }),
      { numRuns: inputs(1_000, 50_000) }
    )
  })
})
