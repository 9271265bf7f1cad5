/** A movement as it is stored: what decodes, what does not, and that nothing is lost in between. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ethereumAddresses } from "../families/ethereum/EthereumAddresses.ts"
import { ChainId } from "../chain/ChainId.ts"
import { LedgerId, Transaction, transaction, TransactionKind } from "./Transaction.ts"

const currency = { chainId: ChainId.make(8453), address: ethereumAddresses.nativeCurrency }
const wallet = Result.getOrThrow(ethereumAddresses.parse(`0x${"a".repeat(40)}`))
const made = (kind: TransactionKind) =>
  transaction(LedgerId.make("id"), kind, [
    { account: { _tag: "External" }, currency, units: -(10n ** 30n) },
    { account: { _tag: "Wallet", wallet }, currency, units: 10n ** 30n }
  ])

const decode = Schema.decodeUnknownResult(Transaction)
const encode = Schema.encodeSync(Transaction)
const stored = encode(made("credit"))
const isRefused = (changes: object) => Result.isFailure(decode({ ...stored, ...changes }))

describe("a stored movement", () => {
  it("of every kind is read as it was stored", () => {
    const kinds = [
      "credit",
      "hold",
      "capture",
      "release",
      "receivable",
      "settle",
      "accrue",
      "claim",
      "withdraw",
      "paid",
      "returned",
      "reopened"
    ] as const
    assert.deepStrictEqual(TransactionKind.literals, kinds)
    for (const kind of kinds) assert.deepStrictEqual(decode(encode(made(kind))), Result.succeed(made(kind)))
  })

  it("keeps units as decimal text, and every part of account and currency", () => {
    const [first] = stored.postings
    assert.deepStrictEqual(first, {
      account: { _tag: "External" },
      currency: { chainId: 8453, address: currency.address },
      units: `-${10n ** 30n}`
    })
  })

  it("is refused when a part is missing or invalid", () => {
    const [first] = stored.postings
    for (
      const changes of [
        { id: "" },
        { id: "x".repeat(257) },
        { id: 1 },
        { kind: "gift" },
        { kind: "" },
        { kind: undefined },
        { postings: undefined },
        { postings: [{ ...first, account: { _tag: "Nobody" } }] },
        { postings: [{ ...first, units: 1 }] },
        { postings: [{ ...first, units: "1.5" }] },
        { postings: [{ ...first, currency: { chainId: 8453 } }] },
        { postings: [{ ...first, currency: { address: currency.address } }] },
        { postings: [{}] }
      ]
    ) assert.isTrue(isRefused(changes), JSON.stringify(changes))
  })
})
