/** The decoders that are written by hand accept what the schemas accept, and make the same of it. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { checksummed } from "../../../src/domain/families/HexAccount.ts"
import { asAddress } from "../../../src/domain/families/AddressCodec.ts"
import { Quantity, RawReceipt } from "../../quorum/rpc/EvmReceipt.ts"
import { decodeBlock, decodeChainId, decodeReceipt, decodeTransaction } from "./DecodeByHand.ts"
import { RawBlock, RawTransaction } from "./NodeAnswers.ts"

const digits = (length: number, alphabet = "0123456789abcdef") =>
  fc.array(fc.constantFrom(...alphabet.split("")), { minLength: length, maxLength: length }).map((all) =>
    `0x${all.join("")}`
  )
const anyCase = "0123456789abcdefABCDEF"

const broken: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    undefined,
    "",
    "0x",
    "0X1",
    "0xg",
    "0x1",
    "0x123",
    1,
    0n,
    [],
    {},
    `0x${"f".repeat(65)}`
  ),
  digits(63),
  digits(41),
  fc.string(),
  fc.jsonValue()
)
const mostly = <A>(value: fc.Arbitrary<A>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 60, arbitrary: value }, { weight: 1, arbitrary: broken })

const hash = mostly(fc.oneof(digits(64), digits(64, anyCase)))
const lower = digits(40).map(asAddress)
const account = mostly(fc.oneof(lower, lower.map(checksummed), digits(40, anyCase), digits(40, "0123456789ABCDEF")))
const quantity = mostly(
  fc.oneof(
    digits(1, anyCase),
    digits(13),
    digits(14, anyCase),
    digits(64),
    digits(65),
    fc.constantFrom("0x1fffffffffffff", "0x20000000000000")
  )
)
const bytes = mostly(fc.oneof(digits(0), digits(8), digits(136, anyCase)))

const block = mostly(fc.record({ hash, number: quantity, timestamp: quantity }, { requiredKeys: [] }))
const blockOf = mostly(fc.record({ hash, number: quantity, timestamp: quantity, size: fc.nat() }))
const transaction = mostly(
  fc.record(
    { hash, from: account, to: fc.oneof(account, fc.constant(null)), input: bytes, value: quantity },
    { requiredKeys: ["hash", "from"] }
  )
)
const log = mostly(
  fc.record({
    address: account,
    topics: mostly(fc.array(hash, { maxLength: 4 })),
    data: bytes,
    logIndex: quantity,
    transactionHash: hash,
    removed: fc.boolean()
  })
)
const receipt = mostly(
  fc.record({
    transactionHash: hash,
    blockHash: hash,
    blockNumber: quantity,
    status: mostly(fc.constantFrom("0x0", "0x1")),
    logs: mostly(fc.array(log, { maxLength: 3 }))
  })
)

const bySchema = <A, I>(schema: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownExit(schema)
  return (value: unknown): A | undefined => {
    const decoded = decode(value)
    return decoded._tag === "Success" ? decoded.value : undefined
  }
}

const same = <A>(
  values: fc.Arbitrary<unknown>,
  byHand: (value: unknown) => A,
  schema: Schema.Codec<NonNullable<A> | null, unknown>
) => {
  const expected = bySchema(schema)
  let accepted = 0
  fc.assert(
    fc.property(values, (value) => {
      const decoded = byHand(value)
      assert.deepStrictEqual<unknown>(decoded, expected(value))
      if (decoded !== undefined) accepted += 1
    }),
    { numRuns: inputs(1_000, 50_000) }
  )
  assert.isAbove(accepted, 0, "nothing was accepted: the law says little")
}

describe("answers of an EVM node that are decoded by hand", () => {
  it("are blocks as the schema has them", () => {
    same(fc.oneof(block, blockOf), decodeBlock, RawBlock)
  })
  it("are transactions as the schema has them", () => {
    same(transaction, decodeTransaction, Schema.NullOr(RawTransaction))
  })
  it("are receipts as the schema has them", () => {
    same(receipt, decodeReceipt, Schema.NullOr(RawReceipt))
  })
  it("are numbers of chains as the schema has them", () => {
    same(quantity, decodeChainId, Quantity)
  })
})
