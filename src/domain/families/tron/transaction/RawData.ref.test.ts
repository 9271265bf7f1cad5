/** The bytes and ids of transactions against TronWeb's own encoding, and what reads them back. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { utils } from "tronweb"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { Address } from "../../../chain/Address.ts"
import { hexFromBytes } from "../../../encoding/Hex.ts"
import { hexDigits } from "../../../encoding/HexDigits.ts"
import { readTronTransaction } from "../evidence/TronTransaction.ts"
import { lifetimeIn, transactionIdOf, writeRawData } from "./RawData.ts"
import type { RawData } from "./RawData.ts"
import { readSigned, writeSigned } from "./SignedTransaction.ts"

const bytes = (minLength: number, maxLength = minLength) => fc.uint8Array({ minLength, maxLength })
const account = bytes(20).map((each) => Address.make(hexFromBytes(each)))
/** TronWeb takes numbers. */
const count = (min: number) => fc.integer({ min, max: Number.MAX_SAFE_INTEGER })

const act: fc.Arbitrary<RawData["act"]> = fc.oneof(
  fc.record({ _tag: fc.constant("Transfer" as const), owner: account, to: account, amount: count(1).map(BigInt) }),
  fc.record({
    _tag: fc.constant("Trigger" as const),
    owner: account,
    contract: account,
    value: count(0).map(BigInt),
    input: bytes(0, 400).map(hexFromBytes)
  })
)

const rawData: fc.Arbitrary<RawData> = fc.record({
  act,
  memo: bytes(0, 200),
  reference: fc.record({ height: fc.bigInt({ min: 1n, max: 2n ** 40n }), rest: bytes(24) }).map(({ height, rest }) => ({
    height,
    hash: `${height.toString(16).padStart(16, "0")}${hexDigits(rest)}`
  })),
  expiration: count(1),
  timestamp: count(1),
  feeLimit: count(0).map(BigInt)
})

const inHex = (of: Address): string => `41${of.slice(2)}`

const contractOf = (of: RawData["act"]) =>
  of._tag === "Transfer"
    ? {
      type: "TransferContract",
      value: { owner_address: inHex(of.owner), to_address: inHex(of.to), amount: Number(of.amount) }
    }
    : {
      type: "TriggerSmartContract",
      value: {
        owner_address: inHex(of.owner),
        contract_address: inHex(of.contract),
        data: of.input.slice(2),
        call_value: Number(of.value)
      }
    }

/** As TronWeb writes it. */
const referenceBytes = ({ act: acted, expiration, feeLimit, memo, reference, timestamp }: RawData) => {
  const { type, value } = contractOf(acted)
  const made: unknown = utils.transaction.txJsonToPb({
    raw_data: {
      contract: [{ type, parameter: { type_url: `type.googleapis.com/protocol.${type}`, value } }],
      ref_block_bytes: (reference.height & 0xffffn).toString(16).padStart(4, "0"),
      ref_block_hash: reference.hash.slice(16, 32),
      expiration,
      timestamp,
      ...(memo.length === 0 ? {} : { data: hexDigits(memo) }),
      ...(feeLimit === 0n ? {} : { fee_limit: Number(feeLimit) })
    }
  })
  return {
    id: utils.transaction.txPbToTxID(made).replace(/^0x/, ""),
    rawHex: utils.transaction.txPbToRawDataHex(made).toLowerCase()
  }
}

const runs = { numRuns: inputs(300, 20_000) }

describe("the raw data of a Tron transaction", () => {
  it("is TronWeb's to the byte, and so is the id", () => {
    fc.assert(
      fc.property(rawData, (made) => {
        const written = writeRawData(made)
        const reference = referenceBytes(made)
        assert.strictEqual(hexDigits(written), reference.rawHex)
        assert.strictEqual(transactionIdOf(written), reference.id)
      }),
      runs
    )
  })

  it("is read back: what it does, its memo, and how long it can be executed", () => {
    fc.assert(
      fc.property(rawData, bytes(65), (made, signature) => {
        const written = writeRawData(made)
        const read = readTronTransaction(written) ?? assert.fail("it is not read")
        assert.deepStrictEqual(read.act, made.act)
        assert.strictEqual(hexDigits(read.memo), hexDigits(made.memo))
        assert.deepStrictEqual(lifetimeIn(written), {
          expiration: made.expiration,
          referenceBits: Number(made.reference.height & 0xffffn),
          timestamp: made.timestamp
        })
        const signed = readSigned(writeSigned({ rawData: written, signature }))
        assert.deepStrictEqual([hexDigits(signed?.rawData ?? written), hexDigits(signed?.signature ?? written)], [
          hexDigits(written),
          hexDigits(signature)
        ])
      }),
      runs
    )
  })

  it("is not read from a transaction without a signature, or with two", () => {
    const rawBytes = Uint8Array.of(1, 2, 3)
    const signature = new Uint8Array(65).fill(7)
    const one = writeSigned({ rawData: rawBytes, signature })
    assert.isUndefined(readSigned(writeSigned({ rawData: rawBytes, signature: new Uint8Array(0) })))
    assert.isUndefined(readSigned(Uint8Array.of(...one, ...one.subarray(5))))
    assert.isUndefined(readSigned(one.subarray(0, one.length - 1)))
  })
})
