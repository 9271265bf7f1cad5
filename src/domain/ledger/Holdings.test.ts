import { assert, describe, it } from "@effect/vitest"
import { Address, CurrencyAddress } from "../chain/Address.ts"
import { ChainId } from "../chain/ChainId.ts"
import { Hex32 } from "../encoding/Hex.ts"
import { RequestId } from "../transfer/RequestId.ts"
import { holdingsOf } from "./Holdings.ts"

const wallet = Address.make(`0x${"a".repeat(40)}`)
const usdc = { chainId: ChainId.make(8453), address: CurrencyAddress.make(`0x${"1".repeat(40)}`) }
const ether = { chainId: ChainId.make(1), address: CurrencyAddress.make(`0x${"0".repeat(40)}`) }
const word = `0x${"2".repeat(64)}` as const
const account = {
  Wallet: { _tag: "Wallet", wallet },
  Hold: { _tag: "Hold", wallet, request: RequestId.make(word) },
  Payout: { _tag: "Payout", wallet, payout: Hex32.make(word) },
  AppFeePayable: { _tag: "AppFeePayable", recipient: wallet },
  AppFeePending: { _tag: "AppFeePending", recipient: wallet },
  Receivable: { _tag: "Receivable", wallet }
} as const

describe("a wallet's balances", () => {
  it("include its balance, its holds, and app fees, each currency once", () => {
    const accounts = [
      { account: account.AppFeePayable, currency: ether, units: 9n },
      { account: account.Wallet, currency: usdc, units: 60n },
      { account: account.Hold, currency: usdc, units: 25n },
      { account: account.Hold, currency: usdc, units: 15n },
      { account: account.AppFeePayable, currency: usdc, units: 2n }
    ]
    assert.deepStrictEqual(holdingsOf(accounts), [
      { currency: ether, spendable: 0n, held: 0n, claimable: 9n },
      { currency: usdc, spendable: 60n, held: 40n, claimable: 2n }
    ])
  })

  it("include nothing that is owed, pending, or being paid out", () => {
    const accounts = [account.Payout, account.AppFeePending, account.Receivable].map((each) => ({
      account: each,
      currency: usdc,
      units: each._tag === "Receivable" ? -5n : 5n
    }))
    assert.deepStrictEqual(holdingsOf(accounts), [])
  })
})
