/** The pinned values of the settlement protocol. */
import { families } from "../families/index.ts"
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ChainId, ChainSlug } from "../chain/ChainId.ts"
import { Hex, Hex32 } from "../encoding/Hex.ts"
import { parseTransactionId } from "../chain/TransactionId.ts"
import { VmFamily } from "../chain/VmFamily.ts"
import { asAddress } from "../families/AddressCodec.ts"
import { OrderId } from "../order/Order.ts"
import { alias } from "./Alias.ts"
import type { ChainRef } from "./ChainRef.ts"
import { hubChainId } from "./HubChainId.ts"
import { hubTokenId } from "./HubTokenId.ts"
import {
  depositsKey,
  executedWithdrawalKey,
  expiredWithdrawalKey,
  initiationKey,
  settlementKey
} from "./IdempotencyKey.ts"
import { orderAddress } from "./OrderAddress.ts"
import { id, onchainId } from "./ProtocolId.ts"
import vectors from "./vectors/settlement.json" with { type: "json" }
import { decodeWithdrawal, encodeWithdrawal, payoutOf, type Withdrawal, withdrawalId } from "../families/Withdrawals.ts"

const chain = (slug: string, vm: string): ChainRef => ({
  slug: ChainSlug.make(slug),
  family: families[Schema.decodeUnknownSync(VmFamily)(vm)],
  network: "mainnet"
})
const hash = (digit: string) => Hex32.make(`0x${digit.repeat(64)}`)

const hexEmpty = Hex.make("0x")

describe("pinned", () => {
  it("ids", () => {
    for (const { id: expected, values } of vectors.id) assert.strictEqual(id(...values), expected)
  })

  it("ids ignore upper and lower case, even where the family's ids are base58", () => {
    assert.strictEqual(id("solana", "5VERv8NM"), id("solana", "5verv8nm"))
    assert.strictEqual(id("ABC:É"), `0x${createHash("sha256").update("abc:é", "utf8").digest("hex")}`)
  })

  it("aliases", () => {
    for (const { address, alias: expected, chain: slug, vm } of vectors.alias) {
      assert.strictEqual(Result.getOrThrow(alias(chain(slug, vm), address)), expected.toLowerCase())
    }
  })

  it("hub token ids, whatever the spelling of the currency", () => {
    for (const { chain: slug, currency, tokenId, vm } of vectors.hubTokenId) {
      for (const text of [currency, currency.toLowerCase()]) {
        assert.strictEqual(Result.getOrThrow(hubTokenId(chain(slug, vm), text)), BigInt(tokenId))
      }
    }
  })

  it("order addresses", () => {
    for (const { address, chain: slug, depositId, depositor, timestamp, vm } of vectors.orderAddress) {
      const made = orderAddress(
        chain(slug, vm),
        depositor,
        BigInt(timestamp),
        Schema.decodeUnknownSync(Hex32)(depositId)
      )
      assert.strictEqual(Result.getOrThrow(made), address.toLowerCase())
    }
  })

  it("the withdrawal id of one native call", () => {
    const withdrawal: Withdrawal = {
      family: "ethereum-vm",
      request: {
        calls: [{
          to: asAddress("0x9876543210987654321098765432109876543210"),
          data: hexEmpty,
          value: 10n ** 18n,
          allowFailure: false
        }],
        nonce: 1n,
        expiration: 1735680000n
      }
    }
    assert.strictEqual(Result.getOrThrow(withdrawalId(withdrawal)), vectors.withdrawalId[0]?.id)
    const encoded = Result.getOrThrow(encodeWithdrawal(withdrawal))
    assert.deepStrictEqual(Result.getOrThrow(decodeWithdrawal("ethereum-vm", encoded)), withdrawal)
    assert.deepStrictEqual(
      Result.getOrThrow(payoutOf(withdrawal, { network: "mainnet", depository: "", decimals: () => 0 })),
      {
        currency: vectors.hubTokenId[0]?.currency,
        recipient: "0x9876543210987654321098765432109876543210",
        amount: 10n ** 18n
      }
    )
  })
})

describe("keys", () => {
  const transaction = Result.getOrThrow(parseTransactionId(families["ethereum-vm"], vectors.id[0]?.values[1] ?? ""))
  const order = OrderId.make(hash("e"))

  it("of deposits are the chain and the canonical transaction", () => {
    assert.strictEqual(depositsKey(ChainSlug.make("ethereum"), transaction), vectors.id[0]?.id)
    assert.strictEqual(onchainId(ChainSlug.make("ethereum"), transaction, 3), id("ethereum", transaction, "3"))
    assert.notStrictEqual(
      onchainId(ChainSlug.make("ethereum"), transaction, 0),
      depositsKey(ChainSlug.make("ethereum"), transaction)
    )
  })

  it("of a withdrawal distinguish executed from expired", () => {
    assert.strictEqual(executedWithdrawalKey(hash("a")), id(hash("a"), ""))
    assert.strictEqual(executedWithdrawalKey(hash("a")), id(hash("a"), undefined))
    assert.strictEqual(expiredWithdrawalKey(hash("a")), id(hash("a"), "", "2"))
  })

  it("of a settlement do not depend on the order of its deposits", () => {
    const sorted = settlementKey([hash("1"), hash("9"), hash("f")], order)
    assert.strictEqual(settlementKey([hash("f"), hash("1"), hash("9")], order), sorted)
    assert.strictEqual(sorted, id(id(hash("1"), hash("9"), hash("f")), order))
    assert.notStrictEqual(settlementKey([hash("1"), hash("9")], order), sorted)
  })

  it("of an initiation contain the token as a decimal", () => {
    const account = asAddress("0x00000000000000000000000000000000000000aa")
    assert.strictEqual(initiationKey("hub", 255n, account), id("hub", "255", account))
  })
})

describe("hub chain ids", () => {
  it("are the numeric id on EVM and Tron, and the hash of the slug elsewhere", () => {
    assert.strictEqual(hubChainId(families["ethereum-vm"], ChainSlug.make("base"), ChainId.make(8453)), 8453n)
    assert.strictEqual(hubChainId(families["tron-vm"], ChainSlug.make("tron"), ChainId.make(728126428)), 728126428n)
    assert.strictEqual(
      hubChainId(families["solana-vm"], ChainSlug.make("solana"), ChainId.make(792703809)),
      0x6eef29ebb03aa2144a1a6b6212ce74f504a34db799b8161a21140017e80d3d8an
    )
  })
})
