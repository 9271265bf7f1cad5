/**
 * Properties of the chain behind its interface: what a rollback undoes, past states, and that no lamport is created.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Address } from "@solana/kit"
import { createNoopSigner } from "@solana/kit"
import { getTransferSolInstruction } from "@solana-program/system"
import * as fc from "fast-check"
import { wallet } from "./Account.ts"
import { Chain } from "./Chain.ts"
import { localTransaction } from "./Faucet.ts"
import { keyOfName } from "./LocalKey.ts"

const payer = keyOfName("payer")
const receivers = [1, 2, 3].map((nth) => keyOfName(`receiver ${nth}`).address)
const everybody: ReadonlyArray<Address> = [payer.address, ...receivers]
let clock = 1_700_000_000

const fresh = () => {
  const chain = new Chain({ name: "laws", confirmedAfter: 1, finalizedAfter: 3, automine: false, now: () => clock })
  chain.setAccount(payer.address, wallet(1_000_000_000_000n))
  chain.advance()
  return chain
}

const balances = (chain: Chain, slot?: number) =>
  everybody.map((address) =>
    (slot === undefined ? chain.bank.read(address) : chain.bank.readAt(address, slot))?.lamports
  )

type Step = { readonly kind: "pay"; readonly to: number; readonly amount: number } | {
  readonly kind: "end"
  readonly skipped: number
}

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant("pay" as const),
    to: fc.nat(2),
    amount: fc.integer({ min: 1_000_000, max: 9_000_000 })
  }),
  fc.record({ kind: fc.constant("end" as const), skipped: fc.nat(2) })
)

const take = (chain: Chain, each: Step): void => {
  clock += 1
  if (each.kind === "end") return chain.advance(each.skipped)
  const instruction = getTransferSolInstruction({
    source: createNoopSigner(payer.address),
    destination: receivers[each.to]!,
    amount: BigInt(each.amount)
  })
  chain.submit(localTransaction(chain, [payer], [instruction]))
}

describe("Chain", () => {
  it("shows every slot's state, and a rollback restores it", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), fc.nat(12), (steps, depth) => {
        const chain = fresh()
        const history = new Map<number, ReturnType<typeof balances>>()
        for (const each of steps) {
          take(chain, each)
          history.set(chain.ledger.open.slot, balances(chain))
        }
        for (const [slot, then] of history) assert.deepStrictEqual(balances(chain, slot), then)
        const target = Math.max(1, chain.ledger.open.slot - depth)
        const kept = chain.ledger.blockAtOrBelow(target).slot
        const then = balances(chain, kept)
        chain.rollback(chain.ledger.open.slot - target)
        assert.deepStrictEqual(balances(chain), then)
        assert.isTrue(chain.ledger.contents.transactions.every(({ slot }) => slot <= kept))
        assert.strictEqual(chain.ledger.open.parentSlot, kept)
      }),
      { numRuns: 15 }
    )
  })

  it("charges the fees that it reports, and creates no lamport", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 15 }), (steps) => {
        const chain = fresh()
        const total = () => balances(chain).reduce<bigint>((sum, each) => sum + (each ?? 0n), 0n)
        const before = total()
        for (const each of steps) take(chain, each)
        const fees = chain.ledger.contents.transactions.reduce((sum, { meta }) => sum + meta.fee, 0n)
        assert.strictEqual(before - total(), fees)
        assert.isTrue(chain.ledger.contents.transactions.every(({ meta }) => meta.fee === 5000n))
      }),
      { numRuns: 8 }
    )
  })
})
