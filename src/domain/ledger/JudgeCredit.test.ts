/**
 * What credits an app balance and what is only listed (BALANCE-2), with the calldata of BALANCE-1 written out by hand.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { Address } from "../chain/Address.ts"
import { ethereumAddresses } from "../families/ethereum/EthereumAddresses.ts"
import { ChainId } from "../chain/ChainId.ts"
import { TransactionId } from "../chain/TransactionId.ts"
import { decodeCreditCalldata, encodeCreditCalldata, mentionsCredit } from "./CreditCalldata.ts"
import { type CreditEvidence, type CreditTerms, judgeCredit } from "./JudgeCredit.ts"

const address = (text: string): Address => Result.getOrThrow(ethereumAddresses.parse(text))
const solver = address("0x1111111111111111111111111111111111111111")
const token = address("0x2222222222222222222222222222222222222222")
const wallet = address("0x33333333333333333333333333333333333333aa")
const sender = address("0x4444444444444444444444444444444444444444")

const transfer = `0xa9059cbb000000000000000000000000${solver.slice(2)}${"f4240".padStart(64, "0")}`
const marked = (account: string) => `012345abcdef${account}012345abcdef`
const data = transfer + marked(wallet.slice(2))

const terms: CreditTerms = { chainId: ChainId.make(8453), token, solver }
const log = { index: 7, emitter: token, to: solver, amount: 999_000n }
const evidence: CreditEvidence = {
  chainId: terms.chainId,
  transactionId: TransactionId.make(`0x${"ab".repeat(32)}`),
  finality: "final",
  succeeded: true,
  sender,
  to: token,
  data,
  transfers: [{ index: 6, emitter: token, to: wallet, amount: 5n }, log]
}
const verdict = (change: Partial<CreditEvidence>) => judgeCredit(terms, { ...evidence, ...change })
const reason = (change: Partial<CreditEvidence>) => {
  const found = verdict(change)
  return found._tag === "NotCredited" ? found.reason : found._tag
}

describe("the call data", () => {
  it("is transfer, prefix, account, suffix", () => {
    assert.strictEqual(data.length, 202)
    const call = { solver, amount: 1_000_000n, credited: { _tag: "Wallet", wallet } } as const
    assert.strictEqual(Result.getOrThrow(encodeCreditCalldata(call)), data)
    assert.deepStrictEqual(Result.getOrThrow(decodeCreditCalldata(data.toUpperCase().replace("0X", "0x"))), call)
    assert.deepStrictEqual(Result.getOrThrow(decodeCreditCalldata(transfer + marked("0".repeat(40)))).credited, {
      _tag: "Sender"
    })
    assert.strictEqual(
      Result.getOrThrow(encodeCreditCalldata({ ...call, credited: { _tag: "Sender" } })),
      transfer + marked("0".repeat(40))
    )
  })

  it("is refused otherwise, and says why", () => {
    const refusal = (text: string) =>
      Result.match(decodeCreditCalldata(text), { onFailure: (error) => error.reason, onSuccess: () => "accepted" })
    assert.strictEqual(refusal(`${data}00`), "wrong-length")
    assert.strictEqual(refusal(data.slice(0, -2)), "wrong-length")
    assert.strictEqual(refusal(data.slice(2)), "wrong-length")
    assert.strictEqual(refusal(data.replace("a9059cbb", "23b872dd")), "not-a-transfer")
    assert.strictEqual(refusal(data.replace("a9059cbb0", "a9059cbb1")), "not-a-transfer")
    assert.strictEqual(refusal(transfer + marked(wallet.slice(2)).replace("012345abcdef", "012345abcdee")), "no-marker")
    assert.strictEqual(refusal(`${data.slice(0, -1)}e`), "no-marker")
  })

  it("cannot be made of amounts beyond 256 bits or accounts of another family", () => {
    const refusal = (call: Parameters<typeof encodeCreditCalldata>[0]) =>
      Result.match(encodeCreditCalldata(call), { onFailure: (error) => error.reason, onSuccess: () => "made" })
    const credited = { _tag: "Sender" } as const
    assert.strictEqual(refusal({ solver, amount: 2n ** 256n, credited }), "amount-out-of-range")
    assert.strictEqual(refusal({ solver, amount: -1n, credited }), "amount-out-of-range")
    assert.strictEqual(refusal({ solver, amount: 2n ** 256n - 1n, credited }), "made")
    const stranger = "bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8" as Address
    assert.strictEqual(refusal({ solver: stranger, amount: 1n, credited }), "not-an-account")
    assert.strictEqual(
      refusal({ solver, amount: 1n, credited: { _tag: "Wallet", wallet: stranger } }),
      "not-an-account"
    )
  })
})

describe("a credit", () => {
  it("has the log's amount, for the named wallet, identified by its place", () => {
    const key = { chainId: evidence.chainId, transactionId: evidence.transactionId, logIndex: 7 }
    assert.deepStrictEqual(verdict({}), { _tag: "Credit", key, wallet, amount: 999_000n })
  })

  it("goes to the sender when the account is twenty zero bytes", () => {
    const found = verdict({ data: transfer + marked("0".repeat(40)) })
    assert.strictEqual(found._tag === "Credit" ? found.wallet : undefined, sender)
  })

  it("waits for finality, and only then", () => {
    assert.strictEqual(reason({ finality: "not-final" }), "Wait")
    assert.strictEqual(reason({ finality: "not-final", succeeded: false }), "reverted")
  })
})

describe("not credited, but listed", () => {
  it("reverted, on another chain, to another contract, to another receiver", () => {
    assert.strictEqual(reason({ succeeded: false }), "reverted")
    assert.strictEqual(reason({ chainId: ChainId.make(1) }), "wrong-chain")
    assert.strictEqual(reason({ to: sender }), "not-a-call-to-the-token")
    assert.strictEqual(reason({ to: undefined }), "not-a-call-to-the-token")
    assert.strictEqual(reason({ data: data.replace(solver.slice(2), sender.slice(2)) }), "another-receiver")
  })

  it("the marker in any other place", () => {
    assert.strictEqual(reason({ data: `${data}00` }), "not-a-credit-call")
    assert.strictEqual(reason({ data: `${transfer}00${marked(wallet.slice(2))}` }), "not-a-credit-call")
  })

  it("none, two or a foreign log to the solver, or one of zero", () => {
    assert.strictEqual(reason({ transfers: [] }), "not-one-transfer")
    assert.strictEqual(reason({ transfers: [log, { ...log, index: 8 }] }), "not-one-transfer")
    assert.strictEqual(reason({ transfers: [{ ...log, emitter: sender }] }), "not-one-transfer")
    assert.strictEqual(reason({ transfers: [{ ...log, emitter: sender }, log] }), "not-one-transfer")
    assert.strictEqual(reason({ transfers: [{ ...log, amount: 0n }] }), "nothing-transferred")
  })
})

it("a transaction without the marker is not a credit", () => {
  assert.strictEqual(reason({ data: transfer }), "Unrelated")
  assert.strictEqual(reason({ data: "0x" }), "Unrelated")
  assert.isTrue(mentionsCredit(`0x012345abcdef${data.slice(2)}`))
  assert.isTrue(mentionsCredit(data.toUpperCase().replace("0X", "0x")))
  assert.isFalse(mentionsCredit(`0x0${data.slice(2)}`), "not at a whole byte")
  assert.isFalse(mentionsCredit(`0x012345abcdef${"00".repeat(19)}012345abcdef`), "too short an account")
})
