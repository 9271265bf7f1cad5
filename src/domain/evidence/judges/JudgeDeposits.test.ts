/** What a deposit mints, and to which account, against viem. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import {
  concatHex,
  encodeAbiParameters,
  encodePacked,
  keccak256,
  parseAbiParameters,
  sha256,
  stringToBytes
} from "viem"
import {
  account,
  chainOf,
  currency,
  respelled,
  slug,
  standInContext,
  transaction,
  unknownSlug,
  word
} from "../../../../property-tests/EvidenceChains.ts"
import type { ChainSlug } from "../../chain/ChainId.ts"
import { vmFamilies } from "../../chain/VmFamily.ts"
import { judgeDeposits } from "./JudgeDeposits.ts"
import type { DepositEvidence, TransactionEvidence } from "../TransactionEvidence.ts"

const family = "ethereum-vm"
const chain = chainOf(slug(family))!
const transactionId = transaction(family, 1)
const time = 1_750_000_000

const deposit: DepositEvidence = {
  depository: chain.depository,
  index: 4,
  depositId: word(9),
  depositor: account(family, 2),
  currency: currency(family, 1),
  amount: (1n << 53n) + 1n
}
const evidence = (...deposits: ReadonlyArray<DepositEvidence>): TransactionEvidence => ({
  _tag: "Transaction",
  chain: chain.slug,
  transactionId,
  outcome: "succeeded",
  block: { height: 1n, hash: "0xb1", time },
  finality: { _tag: "Final" },
  deposits,
  payments: [],
  orderIds: [],
  routerCalls: []
})
const judge = (...deposits: ReadonlyArray<DepositEvidence>) =>
  Result.getOrThrow(judgeDeposits(standInContext, { chainId: chain.slug, transactionId }, [evidence(...deposits)]))

const packed = (address: string) => encodePacked(["string", "bytes"], ["ethereum", address as `0x${string}`])
const last20 = (hash: string): `0x${string}` => `0x${hash.slice(-40)}`
const mint = (to: `0x${string}`, token: string, amount: bigint): string =>
  encodeAbiParameters(parseAbiParameters("uint8, address, uint256, uint256"), [
    0,
    to,
    BigInt(keccak256(packed(token))),
    amount
  ])
const orderAccount = last20(
  keccak256(concatHex([packed(deposit.depositor), encodePacked(["uint256", "bytes32"], [BigInt(time), word(9)])]))
)

describe("deposits", () => {
  it("of an order are minted to its account, others to the depositor's own, in order", () => {
    const { deposits, execution } = judge(deposit, { ...deposit, index: 7, depositId: word(0), amount: 5n })
    assert.deepStrictEqual<ReadonlyArray<string> | undefined>(execution?.actions, [
      mint(orderAccount, deposit.currency, deposit.amount),
      mint(last20(keccak256(packed(deposit.depositor))), deposit.currency, 5n)
    ])
    assert.strictEqual(execution?.idempotencyKey, sha256(stringToBytes(`ethereum:${transactionId}`)))
    assert.deepStrictEqual(deposits.map(({ message }) => message.onchainId as string), [
      sha256(stringToBytes(`ethereum:${transactionId}:4`)),
      sha256(stringToBytes(`ethereum:${transactionId}:7`))
    ])
    assert.deepStrictEqual(deposits.map(({ timestamp }) => timestamp), [time, time])
    assert.deepStrictEqual(deposits[0]?.metadata, {
      hubTokenId: BigInt(keccak256(packed(deposit.currency))),
      origin: { address: deposit.currency, chainId: chain.slug, family }
    })
  })

  it("of a foreign emitter do not count: no message and no execution", () => {
    assert.deepStrictEqual(judge({ ...deposit, depository: account(family, 3) }), {
      deposits: [],
      execution: undefined
    })
    assert.deepStrictEqual(judge(), { deposits: [], execution: undefined })
  })

  it("have one key and one message for every spelling of the transaction id, on every family", () => {
    for (const each of vmFamilies) {
      const home = chainOf(slug(each))!
      const id = transaction(each, 1)
      const seen: TransactionEvidence = {
        ...evidence({
          ...deposit,
          depository: home.depository,
          depositor: account(each, 2),
          currency: currency(each, 1)
        }),
        chain: home.slug,
        transactionId: id
      }
      const of = (text: string) =>
        Result.getOrThrow(judgeDeposits(standInContext, { chainId: home.slug, transactionId: text }, [seen]))
      assert.deepStrictEqual(of(respelled(each, id)), of(id))
      assert.strictEqual(of(id).execution?.actions.length, 1)
    }
  })

  it("on an unconfigured chain, or without a whole second, are refused", () => {
    const reason = (chainId: ChainSlug, seen: TransactionEvidence) => {
      const judged = judgeDeposits(standInContext, { chainId, transactionId }, [seen])
      return Result.isFailure(judged) ? judged.failure.reason : "accepted"
    }
    assert.strictEqual(reason(unknownSlug, evidence(deposit)), "unknown-chain")
    for (const time of [1.5, -1, Number.NaN, 2 ** 60]) {
      assert.strictEqual(
        reason(chain.slug, { ...evidence(deposit), block: { height: 1n, hash: "0xb1", time } }),
        "malformed"
      )
    }
  })

  it("that cannot be encoded are refused, not attested", () => {
    for (
      const wrong of [{ amount: 1n << 256n }, { amount: -1n }, { depositor: account("solana-vm", 1) }, {
        currency: currency("solana-vm", 1)
      }]
    ) {
      const judged = judgeDeposits(standInContext, { chainId: chain.slug, transactionId }, [
        evidence({ ...deposit, ...wrong })
      ])
      assert.isTrue(Result.isFailure(judged) && judged.failure.reason === "malformed")
    }
  })
})
