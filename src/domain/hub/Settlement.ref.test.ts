/** Hub ids, actions, executions and messages against viem, built from the spec's formulas. */
import { addressCodec, families } from "../families/index.ts"
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { encodeAbiParameters, encodePacked, hashStruct, hashTypedData, keccak256 } from "viem"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { asAddress } from "../families/AddressCodec.ts"
import { hex32FromDigest, hexFromBytes } from "../encoding/Hex.ts"
import { transactionIdToBytes } from "../chain/TransactionId.ts"
import { VmFamily } from "../chain/VmFamily.ts"
import * as Schema from "effect/Schema"
import { OrderId } from "../order/Order.ts"
import { account, chain, currency, familyOf, hash32, hex, order, uint256 } from "../order/testing/Orders.ts"
import { orderMessage, orderTypes } from "../order/testing/OrderTypes.ts"
import { type Action, decodeAction, encodeAction } from "./Action.ts"
import { alias } from "./Alias.ts"
import { executionDigest } from "./Execution.ts"
import { hubTokenId } from "./HubTokenId.ts"
import { issuanceHash } from "./Issuance.ts"
import { depositMessageId, withdrawalMessageId, type WithdrawalStatus } from "./Message.ts"
import { orderAddress } from "./OrderAddress.ts"
import { fillMessageId, refundMessageId } from "./SettlementMessage.ts"
import { withdrawalAddress } from "./withdrawal/WithdrawalAddress.ts"
import { balanceProof, initiationHash } from "./withdrawal/WithdrawalInitiation.ts"

const evm = account("ethereum-vm")
const onHub = (text: string) => asAddress(text) as `0x${string}`
const accountHex = (family: VmFamily, text: string) =>
  hexFromBytes(Result.getOrThrow(addressCodec(family).toBytes(text)))
const currencyHex = (family: VmFamily, text: string) =>
  hexFromBytes(Result.getOrThrow(addressCodec(family).currencyToBytes(text)))
const last20 = (hash: `0x${string}`) => `0x${hash.slice(-40)}`

/** A chain of any family, with two accounts and a currency. */
const place = chain.chain(({ family, slug }) =>
  fc.record({
    chain: fc.constant({ slug, family: families[family], network: "mainnet" as const }),
    account: account(family),
    other: account(family),
    currency: currency(family)
  })
)

/** All families here are in this repository. */
const known = Schema.decodeUnknownSync(VmFamily)

const transactionText = (family: VmFamily): fc.Arbitrary<string> =>
  family === "solana-vm"
    ? fc.constant("5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW")
    : hash32

describe("hub accounts and tokens", () => {
  it("are the spec's packed hashes", () => {
    fc.assert(
      fc.property(place, uint256, hash32, evm, (at, number, hash, owner) => {
        const { chain: { family: { name }, slug } } = at
        const family = known(name)
        const who = accountHex(family, at.account)
        const what = currencyHex(family, at.currency)
        assert.strictEqual(
          Result.getOrThrow(alias(at.chain, at.account)),
          last20(keccak256(encodePacked(["string", "bytes"], [slug, who])))
        )
        assert.strictEqual(
          Result.getOrThrow(hubTokenId(at.chain, at.currency)),
          BigInt(keccak256(encodePacked(["string", "bytes"], [slug, what])))
        )
        assert.strictEqual(
          Result.getOrThrow(orderAddress(at.chain, at.account, number, hash)),
          last20(keccak256(encodePacked(["string", "bytes", "uint256", "bytes32"], [slug, who, number, hash])))
        )
        const parts = {
          depository: at.other,
          currency: at.currency,
          recipient: at.account,
          ownerAlias: owner,
          nonce: hash
        }
        assert.strictEqual(
          Result.getOrThrow(withdrawalAddress(at.chain, parts)),
          last20(keccak256(encodePacked(
            ["string", "bytes", "bytes", "bytes", "address", "bytes32"],
            [slug, accountHex(family, at.other), what, who, onHub(owner), hash]
          )))
        )
      }),
      { numRuns: inputs(1_000, 50_000) }
    )
  })

  it("the allocator's and the owner's messages have the spec's hashes", () => {
    fc.assert(
      fc.property(uint256, evm, evm, hash32, (number, oracle, to, hash) => {
        assert.strictEqual(
          Result.getOrThrow(
            issuanceHash({ hubChainId: number, oracleContract: oracle, withdrawalAddress: to, withdrawalId: hash })
          ),
          keccak256(
            encodePacked(["uint256", "address", "address", "bytes32"], [number, onHub(oracle), onHub(to), hash])
          )
        )
        const proof = Result.getOrThrow(balanceProof(to, number, hash))
        assert.strictEqual(proof, encodePacked(["address", "uint256", "bytes32"], [onHub(to), number, hash]))
        assert.strictEqual(proof.length, 2 + 84 * 2)
      }),
      { numRuns: inputs(300, 10_000) }
    )
    const text = fc.string({ maxLength: 40 })
    const initiation = fc.record({
      settlementChainId: text,
      chainId: text,
      currency: text,
      amount: text,
      ownerChainId: text,
      owner: text,
      recipient: text,
      nonce: text
    })
    fc.assert(
      fc.property(initiation, (each) => {
        const sorted = Object.fromEntries(
          Object.entries({ ...each, operation: "withdrawal" }).toSorted(([a], [b]) => a < b ? -1 : 1)
        )
        const expected = createHash("sha256").update(JSON.stringify(sorted), "utf8").digest("hex")
        assert.strictEqual(initiationHash(each), `0x${expected}`)
      }),
      { numRuns: inputs(500, 20_000) }
    )
  })
})

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ _tag: fc.constant("Mint" as const), to: evm, tokenId: uint256, amount: uint256 }),
  fc.record({ _tag: fc.constant("Burn" as const), from: evm, tokenId: uint256, amount: uint256 }),
  fc.record({ _tag: fc.constant("Transfer" as const), from: evm, to: evm, tokenId: uint256, amount: uint256 })
).map((each) => ({ ...each }))

const viemAction = (each: Action): `0x${string}` => {
  const u8 = { type: "uint8" } as const
  const address = { type: "address" } as const
  const u256 = { type: "uint256" } as const
  switch (each._tag) {
    case "Mint":
      return encodeAbiParameters([u8, address, u256, u256], [0, onHub(each.to), each.tokenId, each.amount])
    case "Burn":
      return encodeAbiParameters([u8, address, u256, u256], [1, onHub(each.from), each.tokenId, each.amount])
    case "Transfer":
      return encodeAbiParameters([u8, address, address, u256, u256], [
        2,
        onHub(each.from),
        onHub(each.to),
        each.tokenId,
        each.amount
      ])
  }
}

describe("actions", () => {
  it("are encoded as viem does, and decode to themselves", () => {
    fc.assert(
      fc.property(action, (each) => {
        const encoded = Result.getOrThrow(encodeAction(each))
        assert.strictEqual(encoded, viemAction(each))
        assert.deepStrictEqual(Result.getOrThrow(decodeAction(encoded)), each)
      }),
      { numRuns: inputs(2_000, 100_000) }
    )
  })

  it("a damaged one is an error, or the one encoding of another action; never a throw", () => {
    const damaged = fc.tuple(action, fc.nat(), fc.integer({ min: 0, max: 255 }), fc.integer({ min: -33, max: 33 }))
      .map(([each, where, byte, length]) => {
        const whole = Uint8Array.from(Buffer.from(viemAction(each).slice(2), "hex"))
        const data = new Uint8Array(Math.max(0, whole.length + (byte % 4 === 0 ? length : 0)))
        data.set(whole.subarray(0, data.length))
        data[where % Math.max(1, data.length)] = byte
        return hexFromBytes(data)
      })
    fc.assert(
      fc.property(fc.oneof(damaged, hex), (encoded) => {
        const decoded = decodeAction(encoded)
        if (Result.isSuccess(decoded)) assert.strictEqual(Result.getOrThrow(encodeAction(decoded.success)), encoded)
      }),
      { numRuns: inputs(20_000, 1_000_000) }
    )
  })
})

describe("executions", () => {
  it("have viem's EIP-712 digest under any name and version", () => {
    const domain = fc.record({
      name: fc.string(),
      version: fc.string({ minLength: 1 }),
      chainId: fc.bigInt({ min: 1n, max: 1n << 53n }),
      verifyingContract: evm
    })
    fc.assert(
      fc.property(domain, hash32, fc.array(hex, { maxLength: 4 }), (on, idempotencyKey, actions) => {
        const expected = hashTypedData({
          domain: { ...on, verifyingContract: onHub(on.verifyingContract) },
          types: { Execution: [{ name: "idempotencyKey", type: "bytes32" }, { name: "actions", type: "bytes[]" }] },
          primaryType: "Execution",
          message: { idempotencyKey, actions }
        })
        assert.strictEqual(hexFromBytes(Result.getOrThrow(executionDigest(on, { idempotencyKey, actions }))), expected)
      }),
      { numRuns: inputs(500, 20_000) }
    )
  })
})

interface Struct {
  readonly primaryType: string
  readonly types: { readonly [name: string]: ReadonlyArray<{ readonly name: string; readonly type: string }> }
  readonly data: { readonly [name: string]: unknown }
}
const viemHash = (struct: Struct) => hashStruct(struct)

const bytesMember = (name: string) => ({ name, type: "bytes" })

describe("messages", () => {
  it("DepositoryDeposit and DepositoryWithdrawal have viem's hashStruct", () => {
    const cases = place.chain((at) =>
      fc.record({ at: fc.constant(at), transactionId: transactionText(known(at.chain.family.name)) })
    )
    fc.assert(
      fc.property(
        cases,
        hash32,
        hash32,
        uint256,
        hex,
        fc.constantFrom<WithdrawalStatus>(0, 1, 2),
        ({ at, transactionId }, first, second, amount, withdrawal, status) => {
          const { chain: { family: { name }, slug } } = at
          const family = known(name)
          const deposit = {
            transactionId,
            onchainId: first,
            depository: at.other,
            depositId: second,
            depositor: at.account,
            currency: at.currency,
            amount
          }
          const depository = accountHex(family, at.other)
          assert.strictEqual(
            Result.getOrThrow(depositMessageId(at.chain, deposit)),
            viemHash({
              primaryType: "DepositoryDeposit",
              types: {
                DepositoryDeposit: [{ name: "data", type: "Data" }, { name: "result", type: "Result" }],
                Data: [{ name: "chainId", type: "string" }, bytesMember("transactionId")],
                Result: [
                  { name: "onchainId", type: "bytes32" },
                  bytesMember("depository"),
                  { name: "depositId", type: "bytes32" },
                  bytesMember("depositor"),
                  bytesMember("currency"),
                  { name: "amount", type: "uint256" }
                ]
              },
              data: {
                data: {
                  chainId: slug,
                  transactionId: hexFromBytes(Result.getOrThrow(transactionIdToBytes(families[family], transactionId)))
                },
                result: {
                  onchainId: first,
                  depository,
                  depositId: second,
                  depositor: accountHex(family, at.account),
                  currency: currencyHex(family, at.currency),
                  amount
                }
              }
            })
          )
          assert.strictEqual(
            Result.getOrThrow(
              withdrawalMessageId(at.chain, { withdrawal, withdrawalId: first, depository: at.other, status })
            ),
            viemHash({
              primaryType: "DepositoryWithdrawal",
              types: {
                DepositoryWithdrawal: [{ name: "data", type: "Data" }, { name: "result", type: "Result" }],
                Data: [{ name: "chainId", type: "string" }, bytesMember("withdrawal")],
                Result: [{ name: "withdrawalId", type: "bytes32" }, bytesMember("depository"), {
                  name: "status",
                  type: "uint8"
                }]
              },
              data: { data: { chainId: slug, withdrawal }, result: { withdrawalId: first, depository, status } }
            })
          )
        }
      ),
      { numRuns: inputs(500, 20_000) }
    )
  })

  const entryTypes = {
    InputEntry: [bytesMember("transactionId"), { name: "onchainId", type: "bytes32" }, {
      name: "inputIndex",
      type: "uint32"
    }],
    Result: [
      { name: "orderId", type: "bytes32" },
      { name: "status", type: "uint8" },
      { name: "totalWeightedInputPaymentBpsDiff", type: "int256" }
    ]
  }
  const context = { familyOf, network: "mainnet" as const }
  const transactionOn = (slug: string) => transactionText(known(familyOf(slug)?.name ?? "ethereum-vm"))
  const idBytes = (slug: string, text: string) =>
    hexFromBytes(Result.getOrThrow(transactionIdToBytes(familyOf(slug) ?? families["ethereum-vm"], text)))

  const claims = order.chain((each) =>
    fc.record({
      order: fc.constant(each),
      orderSignature: hex,
      inputs: fc.tuple(...each.inputs.map((input, inputIndex) =>
        fc.record({
          transactionId: transactionOn(input.payment.chainId),
          onchainId: hash32,
          inputIndex: fc.constant(inputIndex)
        })
      )),
      fill: fc.record({ transactionId: transactionOn(each.output.chainId) }),
      refunds: fc.tuple(...each.inputs.flatMap((input, inputIndex) =>
        input.refunds.map((refund, refundIndex) =>
          fc.record({
            transactionId: transactionOn(refund.chainId),
            inputIndex: fc.constant(inputIndex),
            refundIndex: fc.constant(refundIndex)
          })
        )
      ))
    })
  )
  const result = fc.record({
    orderId: hash32.map((hash) => OrderId.make(hash)),
    status: fc.constantFrom(0, 1, 2, 255),
    totalWeightedInputPaymentBpsDiff: fc.oneof(
      fc.bigInt({ min: -(1n << 255n), max: (1n << 255n) - 1n }),
      fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n })
    )
  })

  it("SolverFill and SolverRefund have viem's hashStruct", () => {
    fc.assert(
      fc.property(claims, result, (claim, outcome) => {
        const shared = {
          order: orderMessage(claim.order),
          orderSignature: claim.orderSignature,
          inputs: claim.inputs.map((entry) => ({
            ...entry,
            transactionId: idBytes(claim.order.inputs[entry.inputIndex]?.payment.chainId ?? "", entry.transactionId)
          }))
        }
        assert.strictEqual(
          Result.getOrThrow(fillMessageId(context, claim, outcome)),
          viemHash({
            primaryType: "SolverFill",
            types: {
              ...orderTypes,
              ...entryTypes,
              SolverFill: [{ name: "data", type: "Data" }, { name: "result", type: "Result" }],
              Data: [
                { name: "order", type: "Order" },
                bytesMember("orderSignature"),
                { name: "inputs", type: "InputEntry[]" },
                { name: "fill", type: "FillEntry" }
              ],
              FillEntry: [bytesMember("transactionId")]
            },
            data: {
              data: {
                ...shared,
                fill: { transactionId: idBytes(claim.order.output.chainId, claim.fill.transactionId) }
              },
              result: outcome
            }
          })
        )
        assert.strictEqual(
          Result.getOrThrow(refundMessageId(context, claim, outcome)),
          viemHash({
            primaryType: "SolverRefund",
            types: {
              ...orderTypes,
              ...entryTypes,
              SolverRefund: [{ name: "data", type: "Data" }, { name: "result", type: "Result" }],
              Data: [
                { name: "order", type: "Order" },
                bytesMember("orderSignature"),
                { name: "inputs", type: "InputEntry[]" },
                { name: "refunds", type: "RefundEntry[]" }
              ],
              RefundEntry: [bytesMember("transactionId"), { name: "inputIndex", type: "uint32" }, {
                name: "refundIndex",
                type: "uint32"
              }]
            },
            data: {
              data: {
                ...shared,
                refunds: claim.refunds.map((entry) => ({
                  ...entry,
                  transactionId: idBytes(
                    claim.order.inputs[entry.inputIndex]?.refunds[entry.refundIndex]?.chainId ?? "",
                    entry.transactionId
                  )
                }))
              },
              result: outcome
            }
          })
        )
      }),
      { numRuns: inputs(200, 5_000) }
    )
  })

  it("an entry that points beyond the order, or a difference beyond int256, is an error", () => {
    const [claim] = fc.sample(claims, { numRuns: 1, seed: 1 })
    const [outcome] = fc.sample(result, { numRuns: 1, seed: 1 })
    if (claim === undefined || outcome === undefined) return assert.fail("no sample")
    const beyond = {
      transactionId: `0x${"0".repeat(64)}`,
      onchainId: hex32FromDigest(new Uint8Array(32)),
      inputIndex: claim.order.inputs.length
    }
    assert.isTrue(Result.isFailure(fillMessageId(context, { ...claim, inputs: [beyond] }, outcome)))
    assert.isTrue(
      Result.isFailure(refundMessageId(context, { ...claim, refunds: [{ ...beyond, refundIndex: 0 }] }, outcome))
    )
    for (const totalWeightedInputPaymentBpsDiff of [1n << 255n, -(1n << 255n) - 1n]) {
      assert.isTrue(Result.isFailure(fillMessageId(context, claim, { ...outcome, totalWeightedInputPaymentBpsDiff })))
    }
  })
})

it("numbers that are no uint256 are errors", () => {
  const base = {
    slug: fc.sample(chain, 1)[0]?.slug ?? assert.fail("none"),
    family: families["ethereum-vm"],
    network: "mainnet"
  } as const
  const zero = asAddress(`0x${"0".repeat(40)}`)
  for (const number of [-1n, 1n << 256n]) {
    assert.isTrue(Result.isFailure(orderAddress(base, zero, number, hex32FromDigest(new Uint8Array(32)))))
    assert.isTrue(Result.isFailure(encodeAction({ _tag: "Mint", to: zero, tokenId: number, amount: 1n })))
    assert.isTrue(Result.isFailure(encodeAction({ _tag: "Mint", to: zero, tokenId: 1n, amount: number })))
  }
})
