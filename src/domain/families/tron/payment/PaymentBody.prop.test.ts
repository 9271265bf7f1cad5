/** What a payment's bytes pay: as the account's own books read it, and as oracles do. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { Address } from "../../../chain/Address.ts"
import { Hex, hexFromBytes, Hex32 } from "../../../encoding/Hex.ts"
import { asCurrency } from "../../AddressCodec.ts"
import { ethereumAddresses } from "../../ethereum/EthereumAddresses.ts"
import type { EvmLog } from "../../ethereum/evidence/EvmTransaction.ts"
import { topics } from "../../ethereum/evidence/Events.ts"
import { tronFacts } from "../evidence/Evidence.ts"
import { readTronTransaction } from "../evidence/TronTransaction.ts"
import { tronOfAccount } from "../TronAddresses.ts"
import { transactionIdOf, writeRawData } from "../transaction/RawData.ts"
import { hasDelivered } from "./Delivered.ts"
import { isPast, timestampOf } from "./Lifetime.ts"
import { paymentBody } from "./PaymentBody.ts"
import type { PlainTransfer } from "./PaymentBody.ts"
import { paidOrderIn } from "./SentPayment.ts"
import { readStored, referenceOf, writeStored } from "./StoredPayment.ts"

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const account = bytes(20).map((each) => Address.make(hexFromBytes(each)))
const amount = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n })
const orderId = bytes(32).map((each) => Hex32.make(hexFromBytes(each)))
const transfer: fc.Arbitrary<PlainTransfer> = fc.record({
  owner: account,
  recipient: account,
  token: fc.option(account, { nil: undefined }),
  amount,
  orderId
})

const time = fc.integer({ min: 1_500_000_000, max: 4_000_000_000 })
const runs = { numRuns: inputs(300, 20_000) }

const written = (
  of: PlainTransfer,
  isContract: boolean,
  { reference = 70_000n, seconds = 1_700_000_000, nth = 0n } = {}
) =>
  writeRawData({
    ...paymentBody(of, isContract),
    reference: { height: reference, hash: `${reference.toString(16).padStart(16, "0")}${"ab".repeat(24)}` },
    expiration: seconds * 1_000 + 600_000,
    timestamp: timestampOf({ time: seconds }, nth),
    feeLimit: 0n
  })

const read = (rawData: Uint8Array) => readTronTransaction(rawData) ?? assert.fail("it is not read")

const inBase58 = (of: Address): Address => Result.getOrThrow(tronOfAccount(of))

const word = (digits: string): string => digits.padStart(64, "0")

const moved = (token: Address, from: Address, to: Address, units: bigint): EvmLog => ({
  address: token,
  topics: [topics.transfer, `0x${word(from.slice(2))}`, `0x${word(to.slice(2))}`],
  data: Hex.make(`0x${word(units.toString(16))}`),
  logIndex: 0
})

describe("a payment on Tron", () => {
  it("pays what it was made for, by its bytes and by what oracles see, and names its order once", () => {
    fc.assert(
      fc.property(transfer, fc.boolean(), account, (of, isContract, other) => {
        fc.pre(of.owner !== other)
        const transaction = read(written(of, isContract))
        const currency = of.token === undefined ? ethereumAddresses.nativeCurrency : asCurrency(of.token)
        assert.deepStrictEqual(paidOrderIn(transaction), {
          orderId: of.orderId,
          recipient: of.recipient,
          currency,
          amount: of.amount
        })
        const logs = of.token === undefined ? [] : [moved(of.token, of.owner, of.recipient, of.amount)]
        const { orderIds, payments } = tronFacts(transaction, logs, { depository: inBase58(other), router: undefined })
        assert.deepStrictEqual(orderIds, [of.orderId])
        assert.deepStrictEqual(payments, [{
          recipient: inBase58(of.recipient),
          currency: asCurrency(inBase58(Address.make(currency))),
          amount: of.amount,
          through: { _tag: "Direct" }
        }])
        assert.isTrue(hasDelivered(transaction, logs))
      }),
      runs
    )
  })

  it("of a token has delivered only what the token's own logs moved from the payer to the recipient", () => {
    fc.assert(
      fc.property(transfer, account, account, (of, token, other) => {
        fc.pre(other !== of.recipient && other !== of.owner && other !== token && of.amount > 1n)
        const transaction = read(written({ ...of, token }, false))
        const whole = moved(token, of.owner, of.recipient, of.amount)
        assert.isTrue(hasDelivered(transaction, [whole]))
        for (
          const logs of [
            [],
            [moved(token, of.owner, of.recipient, of.amount - 1n)],
            [moved(other, of.owner, of.recipient, of.amount)],
            [moved(token, other, of.recipient, of.amount)],
            [moved(token, of.owner, other, of.amount)],
            [{ ...whole, topics: whole.topics.slice(0, 2) }]
          ]
        ) assert.isFalse(hasDelivered(transaction, logs))
      }),
      runs
    )
  })

  it("is never the same bytes as another one that names the same block", () => {
    fc.assert(
      fc.property(
        transfer,
        fc.boolean(),
        time,
        fc.bigInt({ min: 0n, max: 2n ** 40n }),
        fc.bigInt({ min: 1n, max: 59_999n }),
        (
          of,
          isContract,
          seconds,
          nth,
          later
        ) => {
          const [one, other] = [nth, nth + later].map((each) => written(of, isContract, { seconds, nth: each }))
          assert.notStrictEqual(transactionIdOf(one ?? Uint8Array.of()), transactionIdOf(other ?? Uint8Array.of()))
        }
      ),
      runs
    )
  })

  it("is kept with the height of the block that it names, which is also found from its place", () => {
    fc.assert(
      fc.property(
        transfer,
        fc.bigInt({ min: 1n, max: 2n ** 40n }),
        fc.bigInt({ min: 0n, max: 65_535n }),
        bytes(65),
        (of, reference, later, signature) => {
          const rawData = written(of, false, { reference })
          const stored = readStored(writeStored({ rawData, signature }, reference)) ?? assert.fail("it is not read")
          assert.strictEqual(stored.reference, reference)
          assert.strictEqual(stored.expiration, 1_700_000_600_000)
          assert.strictEqual(stored.transaction.id, transactionIdOf(rawData))
          assert.strictEqual(referenceOf(rawData, reference + later), reference)
        }
      ),
      runs
    )
    for (const text of ["", "00", "00.1", ".1", "0a02", "zz.1", "0a0102.-1"]) assert.isUndefined(readStored(text), text)
  })

  it("is past once a block has the time of its expiration, and not a second earlier", () => {
    fc.assert(
      fc.property(time, fc.integer({ min: 0, max: 999 }), (seconds, part) => {
        const expiration = seconds * 1_000 - part
        assert.isTrue(isPast({ time: seconds }, expiration))
        assert.isFalse(isPast({ time: seconds - 1 }, expiration))
      }),
      runs
    )
  })
})
