/** A sweep on Tron: as viem writes its call, as evidence reads its deposit, and as it is stored with what funds it. */
import { assert, describe, it } from "@effect/vitest"
import { hexToBytes } from "@noble/hashes/utils.js"
import { Result } from "effect"
import * as fc from "fast-check"
import { concat, encodeFunctionData, erc20Abi, parseAbi } from "viem"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { Address } from "../../../chain/Address.ts"
import { Hex, Hex32 } from "../../../encoding/Hex.ts"
import { asCurrency } from "../../AddressCodec.ts"
import { topics } from "../../ethereum/evidence/Events.ts"
import { tronFacts } from "../evidence/Evidence.ts"
import { readTronTransaction } from "../evidence/TronTransaction.ts"
import { timestampOf } from "../payment/Lifetime.ts"
import { readStored, writeStored } from "../payment/StoredPayment.ts"
import { tronOfAccount } from "../TronAddresses.ts"
import { lifetimeIn, transactionIdOf, writeRawData } from "../transaction/RawData.ts"
import type { RawData } from "../transaction/RawData.ts"
import { fundingBody, fundingTimestamp, isFunding } from "./Funding.ts"
import { sweepBody } from "./SweepBody.ts"

const abi = parseAbi(["function depositNative(address depositor, bytes32 id)"])

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((of): `0x${string}` =>
    `0x${Buffer.from(of).toString("hex")}`
  )
const account = hex(20).map((text) => Address.make(text))
/** No id begins with 16 zero bytes. */
const orderId = hex(32).filter((text) => !text.startsWith(`0x${"0".repeat(32)}`)).map((text) => Hex32.make(text))

const swept = fc.record({
  owner: account,
  depository: account,
  depositor: account,
  token: fc.option(account, { nil: undefined }),
  amount: fc.bigInt({ min: 1n, max: 2n ** 62n }),
  depositId: orderId
})

const word = (digits: string): string => digits.replace("0x", "").padStart(64, "0")
const inBase58 = (of: string) => Result.getOrThrow(tronOfAccount(of))
const runs = { numRuns: inputs(500, 50_000) }

const rest = { reference: { height: 70_000n, hash: "ab".repeat(32) }, expiration: 1_800_000_600_000, feeLimit: 0n }
const rawOf = (parts: Pick<RawData, "act" | "memo">, timestamp: number) =>
  writeRawData({ ...parts, ...rest, timestamp })

describe("the sweep of a Tron deposit address", () => {
  it("is the call that viem writes", () => {
    fc.assert(
      fc.property(swept, (of) => {
        const { act } = sweepBody(of)
        const input = of.token === undefined
          ? encodeFunctionData({
            abi,
            functionName: "depositNative",
            args: [of.depositor as `0x${string}`, of.depositId]
          })
          : concat([
            encodeFunctionData({
              abi: erc20Abi,
              functionName: "transfer",
              args: [of.depository as `0x${string}`, of.amount]
            }),
            of.depositId
          ])
        assert.deepStrictEqual(act, {
          _tag: "Trigger",
          owner: of.owner,
          contract: of.token ?? of.depository,
          value: of.token === undefined ? of.amount : 0n,
          input: Hex.make(input)
        })
      }),
      runs
    )
  })

  it("of a token is one deposit for its order, of the address itself", () => {
    fc.assert(
      fc.property(swept, account, (of, token) => {
        fc.pre(token !== of.depository && of.owner !== of.depository)
        const transaction = readTronTransaction(rawOf(sweepBody({ ...of, token }), 1)) ?? assert.fail("unread")
        const log = {
          address: token,
          topics: [topics.transfer, `0x${word(of.owner)}`, `0x${word(of.depository)}`] as const,
          data: Hex.make(`0x${word(of.amount.toString(16))}`),
          logIndex: 0
        }
        const depository = inBase58(of.depository)
        assert.deepStrictEqual(tronFacts(transaction, [log], { depository, router: undefined }).deposits, [{
          depository,
          index: 0,
          depositId: of.depositId,
          depositor: inBase58(of.owner),
          currency: asCurrency(inBase58(token)),
          amount: of.amount
        }])
      }),
      runs
    )
  })

  it("is stored with the transfer that funds it, and only that transfer reads as one", () => {
    fc.assert(
      fc.property(swept, account, fc.bigInt({ min: 0n, max: 2n ** 50n }), (of, solver, sequence) => {
        const reference = { time: 1_800_000_000 }
        const body = fundingBody(solver, of.owner, of.amount)
        const sweep = rawOf(sweepBody(of), timestampOf(reference, sequence))
        const funding = rawOf(body, fundingTimestamp(sequence))
        const signature = new Uint8Array(65).fill(7)
        const stored = readStored(
          writeStored({ rawData: sweep, signature }, 70_000n, { rawData: funding, signature })
        ) ?? assert.fail("unread")
        assert.strictEqual(stored.transaction.id, transactionIdOf(sweep))
        assert.strictEqual(stored.funding?.transaction.id, transactionIdOf(funding))
        assert.strictEqual(stored.expiration, rest.expiration)
        assert.isUndefined(readStored(writeStored({ rawData: sweep, signature }, 70_000n))?.funding)
        const reads = (rawData: Uint8Array) =>
          isFunding(readTronTransaction(rawData) ?? assert.fail("unread"), lifetimeIn(rawData) ?? assert.fail("unread"))
        assert.isTrue(reads(funding))
        assert.isFalse(reads(sweep))
        // As a wallet sends it, and with a memo.
        assert.isFalse(reads(rawOf(body, reference.time * 1_000)))
        assert.isFalse(reads(rawOf({ ...body, memo: hexToBytes("07") }, fundingTimestamp(sequence))))
      }),
      runs
    )
  })
})
