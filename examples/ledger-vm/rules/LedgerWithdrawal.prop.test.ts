import { assert, describe, it } from "@effect/vitest"
import { Hex, hexFromBytes } from "causeway-kit"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import type { Transfer } from "../ledger/Transfer.ts"
import { accountOf, digestOf } from "../ledger/Transfer.ts"
import { depository, keyOf, listed } from "../testing/Fixture.ts"
import { decodeLedgerWithdrawal, encodeLedgerWithdrawal, ledgerWithdrawals } from "./LedgerWithdrawal.ts"

const accounts = [depository, accountOf(keyOf(2)), accountOf(keyOf(3))]
const units = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n })

const transfers: fc.Arbitrary<Transfer> = fc.record({
  ledger: fc.stringMatching(/^[0-9a-f]{64}$/),
  sender: fc.constantFrom(...accounts),
  sequence: units,
  recipient: fc.constantFrom(...accounts),
  currency: fc.constantFrom(...listed.map(({ address }) => address)),
  amount: units,
  fee: units,
  memo: fc.stringMatching(/^[ -~]{0,128}$/)
})

const asRecord = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)))

const context = { network: "mainnet", depository, decimals: () => undefined } as const

describe("withdrawals of a ledger", () => {
  it("have one encoding, which says what is paid, from whom and under which id", () => {
    fc.assert(
      fc.property(transfers, (transfer) => {
        const encoded = encodeLedgerWithdrawal(transfer)
        assert.deepStrictEqual(Result.getOrThrow(decodeLedgerWithdrawal(encoded)), transfer)
        const read = Result.getOrThrow(ledgerWithdrawals.read(encoded))
        assert.strictEqual(read.id, digestOf(transfer))
        assert.strictEqual(read.isOf(depository), transfer.sender === depository)
        const { amount, currency, recipient } = transfer
        assert.deepStrictEqual(
          Result.getOrUndefined(read.payout(context)),
          amount === 0n ? undefined : { amount, currency, recipient }
        )
      }),
      { numRuns: inputs(200, 5_000) }
    )
  })

  it("are refused in any other spelling, and never throw", () => {
    const bytesOf = (text: string) => hexFromBytes(new TextEncoder().encode(text))
    fc.assert(
      fc.property(transfers, fc.uint8Array({ maxLength: 64 }), (transfer, noise) => {
        const text = new TextDecoder().decode(Buffer.from(encodeLedgerWithdrawal(transfer).slice(2), "hex"))
        for (
          const other of [` ${text}`, text.replace("{", "{\"also\":1,"), text.replace(/"amount":"/, "\"amount\":\"0")]
        ) {
          assert.isTrue(Result.isFailure(decodeLedgerWithdrawal(bytesOf(other))), other)
        }
        const told = asRecord(text)
        const turned = JSON.stringify(Object.fromEntries(Object.entries(told).toReversed()))
        assert.isTrue(Result.isFailure(decodeLedgerWithdrawal(bytesOf(turned))), turned)
        assert.isTrue(Result.isFailure(decodeLedgerWithdrawal(hexFromBytes(noise))))
      }),
      { numRuns: inputs(200, 5_000) }
    )
    assert.isTrue(Result.isFailure(decodeLedgerWithdrawal(Hex.make("0x"))))
  })
})
