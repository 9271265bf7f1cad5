/** Many open addresses of one sponsor that are paid concurrently again and again, and what must be true afterwards. */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { toHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { MicroUsdc } from "../../../../../src/domain/ledger/MicroUsdc.ts"
import { addressFor, payTo, requestsOf } from "../../../testing/Addressed.ts"
import { nativeRequest } from "../../../testing/Client.ts"
import { eventually } from "../../../testing/Misbehaving.ts"
import { keyOf, ledgerOf } from "../../../testing/Sponsor.ts"
import type { TestSponsor } from "../../../testing/Sponsor.ts"
import { SponsoredQuote } from "../../../testing/Sponsored.ts"
import type { TestChains } from "../../../testing/TestChains.ts"
import { held, USDC } from "../../../testing/Tokens.ts"

const ADDRESSES = 8
const ROUNDS = 4
const BALANCE = 100_000_000n
/** Enough for one later deposit of an address, and not for all. */
const BUDGET = 1_000_000n

export const addressSponsor: TestSponsor = {
  id: "addresses",
  wallet: toHex(0x4add, { size: 20 }),
  balance: BALANCE,
  budget: { laterPerAddressPerDay: MicroUsdc(BUDGET) }
}

const recipientOf = (n: number) => toHex(0x4add_0000 + n, { size: 20 })

/**
 * Whichever process handles them: each address has its first deposit without fees, and its sponsor pays no more than it
 * allows.
 */
export const payAddresses = Effect.fnUntraced(
  function*(url: string, store: string, { alpha, beta, users }: TestChains) {
    const all = yield* Effect.forEach(
      Array.from({ length: ADDRESSES }, (_, n) => n),
      Effect.fnUntraced(function*(n) {
        const user = privateKeyToAccount(users[n] ?? "0x").address
        const body = {
          ...nativeRequest(user, alpha, beta, USDC.some, {
            recipient: recipientOf(n),
            refundTo: user,
            subsidizeFees: true,
            // Gas is dear while all of them are filled: a later deposit would cost more than the usual tolerance has.
            slippageTolerance: "1000"
          }),
          originCurrency: USDC.address,
          destinationCurrency: USDC.address
        }
        const { answer, depositAddress } = yield* addressFor(url, body, keyOf(addressSponsor))
        const { feeSponsorship: { quoted: { sponsoredTotal } } } = Schema.decodeUnknownSync(SponsoredQuote)(answer)
        return { n, depositAddress, offered: BigInt(sponsoredTotal.amount) }
      }),
      { concurrency: "unbounded" }
    )
    yield* Effect.forEach(
      all,
      Effect.fnUntraced(function*({ depositAddress, n }) {
        for (let round = 1; round <= ROUNDS; round += 1) {
          yield* payTo(alpha, users[n] ?? "0x", depositAddress, USDC, USDC.some)
          yield* eventually(
            `${round} are swept`,
            requestsOf(url, depositAddress),
            (found) => found.length === round && found.every(({ status }) => status !== "waiting")
          )
        }
        yield* eventually(
          "all succeed",
          requestsOf(url, depositAddress),
          (found) => found.every(({ status }) => status === "success")
        )
        const out = yield* held(beta, USDC, recipientOf(n))
        assert.isTrue(out > BigInt(ROUNDS - 1) * USDC.some && out < BigInt(ROUNDS) * USDC.some, `${out}`)
      }),
      { concurrency: "unbounded", discard: true }
    )
    const ledger = yield* eventually(
      "nothing is held",
      ledgerOf(store),
      (now) => !Object.keys(now).some((account) => account.startsWith("Hold:"))
    )
    const drawn = BALANCE - (ledger[`Wallet:${addressSponsor.wallet ?? ""}`] ?? 0n)
    const quoted = all.reduce((sum, { offered }) => sum + offered, 0n)
    assert.isTrue(
      drawn > 0n && drawn <= quoted + BigInt(ADDRESSES) * BUDGET,
      `${drawn} of ${quoted} and ${BUDGET} each`
    )
  }
)
