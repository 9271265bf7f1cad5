import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import {
  account,
  currency,
  slug,
  standInContext,
  standInSigner,
  word
} from "../../../../property-tests/EvidenceChains.ts"
import type { Hex } from "../../encoding/Hex.ts"
import { vmFamilies } from "../../chain/VmFamily.ts"
import { decodeAction } from "../../hub/Action.ts"
import { initiationKey } from "../../hub/IdempotencyKey.ts"
import { initiationHash } from "../../hub/withdrawal/WithdrawalInitiation.ts"
import { claimInitiated, judgeInitiated, judgeInitiation, type InitiationClaim } from "./JudgeInitiation.ts"

const owner = standInSigner(4)
const claim: InitiationClaim = {
  settlementChainId: "hub",
  expectedAmount: "9007199254740993",
  chainId: slug("solana-vm"),
  currency: currency("solana-vm", 1),
  withdrawer: owner.account,
  withdrawerChainId: slug("ethereum-vm"),
  recipient: account("solana-vm", 5),
  withdrawalNonce: word(6)
}
const signature = (of: InitiationClaim): Hex => {
  const { expectedAmount: amount, withdrawer, withdrawerChainId: ownerChainId, withdrawalNonce: nonce, ...rest } = of
  return owner.sign(initiationHash({ ...rest, amount, owner: withdrawer, ownerChainId, nonce }))
}
const { side } = Result.getOrThrow(claimInitiated(standInContext, claim))
const held = { account: side.ownerAlias, tokenId: side.tokenId, balance: 9007199254740993n }
const reason = (judged: Result.Result<unknown, { readonly reason: string }>) =>
  Result.isFailure(judged) ? judged.failure.reason : "accepted"

describe("the initiation of a withdrawal", () => {
  it("moves exactly the signed amount from the owner to the withdrawal's account", () => {
    const judged = Result.getOrThrow(judgeInitiation(standInContext, claim, signature(claim), held))
    assert.deepStrictEqual(judged.execution.actions.map((each) => Result.getOrThrow(decodeAction(each))), [
      {
        _tag: "Transfer",
        from: side.ownerAlias,
        to: side.withdrawalAddress,
        tokenId: side.tokenId,
        amount: 9007199254740993n
      }
    ])
    assert.strictEqual(judged.execution.idempotencyKey, initiationKey("hub", side.tokenId, side.withdrawalAddress))
  })

  it("needs the signature over every member that moves money", () => {
    const changes: ReadonlyArray<Partial<InitiationClaim>> = [
      { expectedAmount: "1" },
      { settlementChainId: "other" },
      { chainId: slug("solana-vm", true) },
      { currency: currency("solana-vm", 2) },
      { recipient: account("solana-vm", 7) },
      { withdrawalNonce: word(7) },
      { withdrawer: account("ethereum-vm", 8) }
    ]
    for (const change of changes) {
      assert.strictEqual(
        reason(judgeInitiation(standInContext, { ...claim, ...change }, signature(claim), held)),
        "wrong-signature"
      )
    }
  })

  it("is refused without the balance, for zero, for an invalid amount, and for owners that cannot sign", () => {
    const judge = (change: Partial<InitiationClaim>, balance = held) => {
      const made = { ...claim, ...change }
      return reason(judgeInitiation(standInContext, made, signature(made), balance))
    }
    assert.strictEqual(judge({}, { ...held, balance: held.balance - 1n }), "insufficient-balance")
    assert.strictEqual(judge({}, { ...held, tokenId: 1n }), "unread")
    assert.strictEqual(judge({}, { ...held, account: side.withdrawalAddress }), "unread")
    assert.strictEqual(judge({ expectedAmount: "0" }), "zero-amount")
    for (const expectedAmount of ["", "-1", "01", "1.0", "1e3", "0x1", " 1", "9".repeat(1_000_000)]) {
      assert.strictEqual(judge({ expectedAmount }), "malformed")
    }
    for (const family of vmFamilies) {
      if (family !== "ethereum-vm") assert.strictEqual(judge({ withdrawerChainId: slug(family) }), "malformed")
    }
    assert.strictEqual(judge({ recipient: "nobody" }), "malformed")
  })

  it("is proven when the withdrawal's account holds the amount, and the proof has its balance", () => {
    const there = { ...held, account: side.withdrawalAddress, balance: held.balance + 1n }
    const judged = Result.getOrThrow(judgeInitiated(standInContext, claim, there))
    assert.strictEqual(
      judged.proofOfWithdrawalAddressBalance,
      side.withdrawalAddress + there.balance.toString(16).padStart(64, "0") + word(6).slice(2)
    )
    assert.strictEqual(
      reason(judgeInitiated(standInContext, claim, { ...there, balance: held.balance - 1n })),
      "insufficient-balance"
    )
    assert.strictEqual(reason(judgeInitiated(standInContext, claim, held)), "unread")
  })
})
